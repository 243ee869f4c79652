`include "prim_assert.svh"

// The cross-lane unit: an engine that transposes tiles from buffer to buffer.
//
//   queue --> issue --> rows --> window ... row --> transposer --> row writer
//                         '--- tiles, signals ----------------------'   |
//                                    signals <-- a row is visible <-----'
//
// Ports and meaning: rtl/arch/README.md. Rows are written and become visible in the order of tiles;
// the signals of an iteration are raised in the cycle after its last row became visible.
module xlu #(
  parameter  int Lanes       = 16,  // a power of two, at least 8
  parameter  int BufferBytes = 4096,
  localparam int RowWidth    = Lanes * 32
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // Engine port.
  input  logic                instr_valid_i,
  output logic                instr_ready_o,
  input  logic [2047:0]       instr_i,
  input  logic [31:0]         instr_pc_i,
  input  logic [3:0]          queue_depth_i,
  input  logic [1023:0]       flags_i,
  input  logic                abort_i,
  output logic [1:0]          signal_valid_o,
  output logic [15:0]         signal_flag_o,
  output logic                idle_o,
  output logic                busy_o,
  output logic                stall_o,
  output logic                progress_o,
  output logic                waiting_o,
  output logic [7:0]          wait_flag_o,
  output logic [31:0]         pc_o,
  output logic                fault_valid_o,
  output logic [7:0]          fault_cause_o,
  output logic [31:0]         fault_pc_o,
  output logic [63:0]         fault_address_o,

  // Window port with its rows. Windows are checked here, never clipped.
  output logic                win_valid_o,
  input  logic                win_ready_i,
  output logic [31:0]         win_addr_o,
  output logic [11:0]         win_begin_o,
  output logic [11:0]         win_end_o,
  output logic [31:0]         win_fill_o,
  input  logic                row_valid_i,
  output logic                row_ready_o,
  input  logic [RowWidth-1:0] row_i,
  output logic                clear_o,  // window and writer drop everything

  // Row writer port; wr_done_i is done_o of unified_buffer_writer.
  output logic                wr_valid_o,
  input  logic                wr_ready_i,
  output logic [31:0]         wr_addr_o,
  output logic [11:0]         wr_bytes_o,
  output logic [RowWidth-1:0] wr_row_o,
  input  logic                wr_done_i
);

  localparam int CountWidth   = $clog2(Lanes) + 1;
  localparam int RowsInFlight = 8;  // more than the writer holds
  localparam int InstrWidth   = isa_pkg::TransposeWords * 32;

  logic stopped_q;  // by a fault, until the abort that follows
  logic clear;

  assign clear   = abort_i || stopped_q || fault_valid_o;
  assign clear_o = clear;

  // Queue.
  logic                  instr_valid;
  logic                  instr_done;
  logic [InstrWidth-1:0] instr;
  logic [31:0]           pc;
  logic [3:0]            unused_queued;
  logic                  unused_words;

  assign unused_words = ^instr_i[2047:InstrWidth];

  prim_fifo #(.Width(32 + InstrWidth), .Depth(8)) u_queue (
    .clk_i, .rst_ni,
    .clear_i    (clear),
    .limit_i    (queue_depth_i),
    .in_valid_i (instr_valid_i),
    .in_ready_o (instr_ready_o),
    .in_i       ({instr_pc_i, instr_i[InstrWidth-1:0]}),
    .out_valid_o(instr_valid),
    .out_ready_i(instr_done),
    .out_o      ({pc, instr}),
    .used_o     (unused_queued)
  );

  // Fields of other blocks' interest stay unread here.
  // verilator lint_off UNUSEDSIGNAL
  isa_pkg::transpose_t fields;
  // verilator lint_on UNUSEDSIGNAL
  assign fields = instr;

  // Tiles.
  logic                  tile_valid;
  logic                  tile_ready;
  logic                  tile_begins;
  logic                  tile_empty;
  logic [31:0]           tile_in;
  logic [31:0]           tile_out;
  logic [CountWidth-1:0] tile_rows;
  logic [CountWidth-1:0] tile_cols;
  logic [1:0]            tile_signals;
  logic                  all_retired;
  logic                  go;
  logic                  issue_fault_valid;
  logic [7:0]            issue_fault_cause;
  logic                  rows_fault_valid;
  logic [7:0]            rows_fault_cause;
  logic [63:0]           rows_fault_address;
  logic                  transposer_room;
  logic                  transposer_empty;
  logic                  record_room;

  xlu_issue #(.Lanes(Lanes)) u_issue (
    .clk_i, .rst_ni,
    .clear_i       (clear),
    .instr_valid_i (instr_valid),
    .instr_done_o  (instr_done),
    .instr_i       (2048'(instr)),
    .flags_i,
    .all_retired_i (all_retired),
    .tile_valid_o  (tile_valid),
    .tile_ready_i  (tile_ready),
    .tile_in_o     (tile_in),
    .tile_out_o    (tile_out),
    .tile_rows_o   (tile_rows),
    .tile_cols_o   (tile_cols),
    .tile_signals_o(tile_signals),
    .go_o          (go),
    .waiting_o,
    .wait_flag_o,
    .fault_valid_o (issue_fault_valid),
    .fault_cause_o (issue_fault_cause)
  );

  xlu_rows #(.Lanes(Lanes), .BufferBytes(BufferBytes)) u_rows (
    .clk_i, .rst_ni,
    .clear_i        (clear),
    .size_log2_i    (fields.size_log2),
    .in_stride_i    (fields.in_row_stride),
    .out_stride_i   (fields.out_row_stride),
    .tile_valid_i   (tile_valid),
    .tile_ready_o   (tile_ready),
    .tile_begins_o  (tile_begins),
    .tile_room_i    (transposer_room && record_room),
    .tile_in_i      (tile_in),
    .tile_out_i     (tile_out),
    .tile_rows_i    (tile_rows),
    .tile_cols_i    (tile_cols),
    .win_valid_o,
    .win_ready_i,
    .win_addr_o,
    .win_bytes_o    (win_end_o),
    .fault_valid_o  (rows_fault_valid),
    .fault_cause_o  (rows_fault_cause),
    .fault_address_o(rows_fault_address)
  );
  assign win_begin_o = '0;
  assign win_fill_o  = '0;
  assign tile_empty  = (tile_rows == '0);

  assign fault_valid_o   = issue_fault_valid || rows_fault_valid;
  assign fault_cause_o   = issue_fault_valid ? issue_fault_cause : rows_fault_cause;
  assign fault_address_o = issue_fault_valid ? 64'd0 : rows_fault_address;

  logic out_valid;
  logic out_ready;

  xlu_transposer #(.Lanes(Lanes)) u_transposer (
    .clk_i, .rst_ni,
    .clear_i     (clear),
    .size_log2_i (fields.size_log2),
    .tile_valid_i(tile_begins && !tile_empty),
    .tile_ready_o(transposer_room),
    .tile_rows_i (tile_rows),
    .tile_cols_i (tile_cols),
    .row_valid_i,
    .row_ready_o,
    .row_i,
    .out_valid_o (out_valid),
    .out_ready_i (out_ready),
    .out_row_o   (wr_row_o),
    .empty_o     (transposer_empty)
  );

  // Tiles wait here for their rows. An empty one becomes a row without bytes, for its signals.
  logic                  record_valid;
  logic                  record_done;
  logic [31:0]           record_out;
  logic [CountWidth-1:0] record_rows;
  logic [CountWidth-1:0] record_cols;
  logic [1:0]            record_signals;
  logic [2:0]            unused_records;

  prim_fifo #(.Width(34 + 2 * CountWidth), .Depth(4)) u_records (
    .clk_i, .rst_ni,
    .clear_i    (clear),
    .limit_i    (3'd4),
    .in_valid_i (tile_begins),
    .in_ready_o (record_room),
    .in_i       ({tile_out, tile_rows, tile_cols, tile_signals}),
    .out_valid_o(record_valid),
    .out_ready_i(record_done),
    .out_o      ({record_out, record_rows, record_cols, record_signals}),
    .used_o     (unused_records)
  );

  logic [CountWidth-1:0] out_index_q;  // row of the record
  logic [31:0]           out_addr_q;   // its address, but for the first
  logic                  record_empty;
  logic                  record_last;
  logic                  out_go;
  logic [11:0]           padded_rows;

  assign record_empty = (record_rows == '0);
  assign record_last  = (out_index_q + 1'b1 >= record_cols);
  assign padded_rows  = (12'(record_rows) + 12'd7) & ~12'd7;
  assign wr_valid_o   = record_valid && (record_empty || out_valid);
  assign wr_bytes_o   = padded_rows << fields.size_log2;
  assign wr_addr_o    = record_empty ? 32'd0 : (out_index_q == '0) ? record_out : out_addr_q;
  assign out_go       = wr_valid_o && wr_ready_i;
  assign out_ready    = out_go && !record_empty;
  assign record_done  = out_go && record_last;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear) begin
      out_index_q <= '0;
    end else if (out_go) begin
      out_index_q <= record_last ? '0 : out_index_q + 1'b1;
      out_addr_q  <= wr_addr_o + fields.out_row_stride;
    end
  end

  // Signals wait here, in order, for the writer to say that a row is visible.
  logic       retire_ready;
  logic       retire_valid;
  logic [1:0] retire_signals;
  logic [3:0] unused_retiring;

  prim_fifo #(.Width(2), .Depth(RowsInFlight)) u_retire (
    .clk_i, .rst_ni,
    .clear_i    (clear),
    .limit_i    (4'(RowsInFlight)),
    .in_valid_i (out_go),
    .in_ready_o (retire_ready),
    .in_i       (record_last ? record_signals : 2'b00),
    .out_valid_o(retire_valid),
    .out_ready_i(wr_done_i),
    .out_o      (retire_signals),
    .used_o     (unused_retiring)
  );

  assign all_retired = !tile_valid && !record_valid && !retire_valid && transposer_empty;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear) begin
      signal_valid_o <= 2'b00;
      stopped_q      <= rst_ni && !abort_i;
    end else if (wr_done_i || signal_valid_o != 2'b00) begin
      signal_valid_o <= wr_done_i ? retire_signals : 2'b00;
      signal_flag_o  <= {fields.signal1_flag, fields.signal0_flag};
    end
  end

  assign pc_o       = pc;
  assign fault_pc_o = pc;
  assign idle_o     = !instr_valid && signal_valid_o == 2'b00 && !stopped_q && !fault_valid_o;
  assign stall_o    = waiting_o && all_retired;
  assign busy_o     = !idle_o && !stall_o;
  assign progress_o = go || tile_begins || (win_valid_o && win_ready_i)
                      || (row_valid_i && row_ready_o) || out_go || wr_done_i || instr_done;

  `PRIM_ASSERT(RetireHasRoom, !out_go || retire_ready)
  `PRIM_ASSERT(DoneHasRow, !wr_done_i || retire_valid || clear)

endmodule
