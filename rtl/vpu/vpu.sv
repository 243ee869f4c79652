`include "prim_assert.svh"

// The vector unit: an engine that runs short lists of steps over rows of lanes.
//
//   queue --> issue --> x, y, z windows, accumulator rows --> execute --> row writer
//               '------ records, signals ------------------------'           |
//                                signals <-- a row is visible <--------------'
//
// Ports and meaning: rtl/arch/README.md. Rows leave and become visible in the order of iterations;
// the signals of an iteration are raised in the cycle after its row became visible, so a signal at
// the innermost level costs no throughput.
module vpu #(
  parameter  int Lanes           = 16,  // a multiple of 8
  parameter  int Cols            = 16,  // of each MXU, at most Lanes
  parameter  int MxuCount        = 1,
  parameter  int AccumulatorRows = 16,
  parameter  int BufferBytes     = 4096,
  localparam int RowWidth        = Lanes * 32
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  // Engine port.
  input  logic                         instr_valid_i,
  output logic                         instr_ready_o,
  input  logic [2047:0]                instr_i,
  input  logic [31:0]                  instr_pc_i,
  input  logic [3:0]                   queue_depth_i,
  input  logic [1023:0]                flags_i,
  input  logic                         abort_i,
  output logic [1:0]                   signal_valid_o,
  output logic [15:0]                  signal_flag_o,
  output logic                         idle_o,
  output logic                         busy_o,
  output logic                         stall_o,
  output logic                         progress_o,
  output logic                         waiting_o,
  output logic [7:0]                   wait_flag_o,
  output logic [31:0]                  pc_o,
  output logic                         fault_valid_o,
  output logic [7:0]                   fault_cause_o,
  output logic [31:0]                  fault_pc_o,
  output logic [63:0]                  fault_address_o,

  // Window ports x, y, z (flat, x lowest) with their rows. Windows are checked here, never clipped.
  output logic [2:0]                   win_valid_o,
  input  logic [2:0]                   win_ready_i,
  output logic [3*32-1:0]              win_addr_o,
  output logic [3*12-1:0]              win_begin_o,
  output logic [3*12-1:0]              win_end_o,
  output logic [3*32-1:0]              win_fill_o,
  input  logic [2:0]                   row_valid_i,
  output logic [2:0]                   row_ready_o,
  input  logic [3*RowWidth-1:0]        row_i,
  output logic                         clear_o,  // windows and writer drop everything

  // Drain ports.
  output logic [MxuCount-1:0]          drain_valid_o,
  output logic [MxuCount*16-1:0]       drain_row_o,
  input  logic [MxuCount-1:0]          drain_ready_i,
  input  logic [MxuCount-1:0]          drain_data_valid_i,
  input  logic [MxuCount*Cols*32-1:0]  drain_data_i,

  // Row writer port; wr_done_i is done_o of unified_buffer_writer.
  output logic                         wr_valid_o,
  input  logic                         wr_ready_i,
  output logic [31:0]                  wr_addr_o,
  output logic [11:0]                  wr_bytes_o,
  output logic [RowWidth-1:0]          wr_row_o,
  input  logic                         wr_done_i
);

  localparam int RecordsInFlight = 16;  // more than stages and queues behind issue can hold

  logic stopped_q;  // by a fault, until the abort that follows
  logic clear;

  assign clear   = abort_i || stopped_q || fault_valid_o;
  assign clear_o = clear;

  // Queue.
  logic          instr_valid;
  logic          instr_done;
  logic [2047:0] instr;
  logic [31:0]   pc;
  logic [3:0]    unused_queued;

  prim_fifo #(.Width(2080), .Depth(8)) u_queue (
    .clk_i, .rst_ni,
    .clear_i    (clear),
    .limit_i    (queue_depth_i),
    .in_valid_i (instr_valid_i),
    .in_ready_o (instr_ready_o),
    .in_i       ({instr_pc_i, instr_i}),
    .out_valid_o(instr_valid),
    .out_ready_i(instr_done),
    .out_o      ({pc, instr}),
    .used_o     (unused_queued)
  );

  // Issue.
  logic        fetch_valid;
  logic        fetch_ready;
  logic [15:0] fetch_row;
  logic        record_valid;
  logic        record_ready;
  logic [8:0]  record_count;
  logic [31:0] record_addr;
  logic [11:0] record_bytes;
  logic [1:0]  record_signals;
  logic        all_retired;
  logic        go;
  logic        held;

  vpu_issue #(
    .Lanes(Lanes), .BufferBytes(BufferBytes), .MxuCount(MxuCount),
    .AccumulatorRows(AccumulatorRows)
  ) u_issue (
    .clk_i, .rst_ni,
    .clear_i         (clear),
    .instr_valid_i   (instr_valid),
    .instr_done_o    (instr_done),
    .instr_i         (instr),
    .flags_i,
    .all_retired_i   (all_retired),
    .x_valid_o       (win_valid_o[0]),
    .x_ready_i       (win_ready_i[0]),
    .x_addr_o        (win_addr_o[31:0]),
    .x_bytes_o       (win_end_o[11:0]),
    .y_valid_o       (win_valid_o[1]),
    .y_ready_i       (win_ready_i[1]),
    .y_addr_o        (win_addr_o[63:32]),
    .y_bytes_o       (win_end_o[23:12]),
    .z_valid_o       (win_valid_o[2]),
    .z_ready_i       (win_ready_i[2]),
    .z_addr_o        (win_addr_o[95:64]),
    .z_bytes_o       (win_end_o[35:24]),
    .drain_valid_o   (fetch_valid),
    .drain_ready_i   (fetch_ready),
    .drain_row_o     (fetch_row),
    .record_valid_o  (record_valid),
    .record_ready_i  (record_ready),
    .record_count_o  (record_count),
    .record_addr_o   (record_addr),
    .record_bytes_o  (record_bytes),
    .record_signals_o(record_signals),
    .go_o            (go),
    .held_o          (held),
    .waiting_o,
    .wait_flag_o,
    .fault_valid_o,
    .fault_cause_o,
    .fault_address_o
  );
  assign win_begin_o = '0;
  assign win_fill_o  = '0;

  // Fields of other units' interest stay unread here.
  // verilator lint_off UNUSEDSIGNAL
  isa_pkg::vector_t fields;
  // verilator lint_on UNUSEDSIGNAL
  assign fields = instr;

  logic                drain_row_valid;
  logic                drain_row_ready;
  logic [RowWidth-1:0] drain_row;

  vpu_drain #(.Lanes(Lanes), .Cols(Cols), .MxuCount(MxuCount)) u_drain (
    .clk_i, .rst_ni,
    .clear_i      (clear),
    .fetch_valid_i(fetch_valid),
    .fetch_ready_o(fetch_ready),
    .fetch_unit_i (fields.x_unit),
    .fetch_row_i  (fetch_row),
    .row_valid_o  (drain_row_valid),
    .row_ready_i  (drain_row_ready),
    .row_o        (drain_row),
    .drain_valid_o,
    .drain_row_o,
    .drain_ready_i,
    .drain_data_valid_i,
    .drain_data_i
  );

  // Execute.
  logic executing;

  vpu_execute #(.Lanes(Lanes)) u_execute (
    .clk_i, .rst_ni,
    .clear_i       (clear),
    .instr_i       (instr),
    .record_valid_i(record_valid),
    .record_ready_o(record_ready),
    .record_count_i(record_count),
    .record_addr_i (record_addr),
    .record_bytes_i(record_bytes),
    .x_valid_i     (row_valid_i[0]),
    .x_ready_o     (row_ready_o[0]),
    .x_row_i       (row_i[0 +: RowWidth]),
    .drain_valid_i (drain_row_valid),
    .drain_ready_o (drain_row_ready),
    .drain_row_i   (drain_row),
    .y_valid_i     (row_valid_i[1]),
    .y_ready_o     (row_ready_o[1]),
    .y_row_i       (row_i[RowWidth +: RowWidth]),
    .z_valid_i     (row_valid_i[2]),
    .z_ready_o     (row_ready_o[2]),
    .z_row_i       (row_i[2*RowWidth +: RowWidth]),
    .wr_valid_o,
    .wr_ready_i,
    .wr_addr_o,
    .wr_bytes_o,
    .wr_row_o,
    .active_o      (executing)
  );

  // Signals wait here, in order, for the writer to say that a row is visible.
  logic       retire_ready;
  logic       retire_valid;
  logic [1:0] retire_signals;
  logic [4:0] unused_retiring;

  prim_fifo #(.Width(2), .Depth(RecordsInFlight)) u_retire (
    .clk_i, .rst_ni,
    .clear_i    (clear),
    .limit_i    (5'(RecordsInFlight)),
    .in_valid_i (record_valid && record_ready),
    .in_ready_o (retire_ready),
    .in_i       (record_signals),
    .out_valid_o(retire_valid),
    .out_ready_i(wr_done_i),
    .out_o      (retire_signals),
    .used_o     (unused_retiring)
  );

  assign all_retired = !retire_valid && !record_valid;

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
  assign stall_o    = held && !executing;
  assign busy_o     = !idle_o && !stall_o;
  assign progress_o = go || executing || wr_done_i || instr_done;

  `PRIM_ASSERT(RetireHasRoom, !record_valid || retire_ready)
  `PRIM_ASSERT(DoneHasRecord, !wr_done_i || retire_valid || clear)

endmodule
