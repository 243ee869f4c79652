`include "prim_assert.svh"

// The matrix unit: an engine that executes `matmul` and `sync` (rtl/arch/README.md) with a bf16
// array, an int8 array or both, and its accumulators.
//
//   instr --> queue --> weight walk --> [even, odd window ports] --> loader --> shadow weights
//               |                                                                  | exchange
//               '-----> row walk ---> [activation window port] --> issue -----> arrays
//                                                          claim |                 |
//                            drain port <-------- accumulators <-+-----------------'
//
// The weight walk takes an instruction first; the rows follow from a slot of one instruction.
module mxu #(
  parameter  int Rows            = 128,
  parameter  int Cols            = 128,
  parameter  bit Bf16            = 1'b1,
  parameter  bit Int8            = 1'b1,
  parameter  int TileColumns     = 64,
  parameter  int ProductStage    = 0,
  parameter  int AccumulatorRows = 256,
  localparam int Line            = Rows > Cols ? Rows : Cols,
  localparam int RowWidth        = Line * 32
) (
  input  logic                clk_i,
  input  logic                rst_ni,

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

  output logic                act_win_valid_o,
  input  logic                act_win_ready_i,
  output logic [31:0]         act_win_addr_o,
  output logic [11:0]         act_win_begin_o,
  output logic [11:0]         act_win_end_o,
  output logic [31:0]         act_win_fill_o,
  input  logic                act_row_valid_i,
  output logic                act_row_ready_o,
  input  logic [RowWidth-1:0] act_row_i,
  input  logic                act_fault_valid_i,
  input  logic [31:0]         act_fault_address_i,

  // Even weight lines, then odd ones.
  output logic                weven_win_valid_o,
  input  logic                weven_win_ready_i,
  output logic [31:0]         weven_win_addr_o,
  output logic [11:0]         weven_win_begin_o,
  output logic [11:0]         weven_win_end_o,
  output logic [31:0]         weven_win_fill_o,
  input  logic                weven_row_valid_i,
  output logic                weven_row_ready_o,
  input  logic [RowWidth-1:0] weven_row_i,
  input  logic                weven_fault_valid_i,
  input  logic [31:0]         weven_fault_address_i,

  output logic                wodd_win_valid_o,
  input  logic                wodd_win_ready_i,
  output logic [31:0]         wodd_win_addr_o,
  output logic [11:0]         wodd_win_begin_o,
  output logic [11:0]         wodd_win_end_o,
  output logic [31:0]         wodd_win_fill_o,
  input  logic                wodd_row_valid_i,
  output logic                wodd_row_ready_o,
  input  logic [RowWidth-1:0] wodd_row_i,
  input  logic                wodd_fault_valid_i,
  input  logic [31:0]         wodd_fault_address_i,

  // Accumulator rows to the vector unit: granted in the same cycle, data the cycle after.
  input  logic                drain_valid_i,
  input  logic [15:0]         drain_row_i,
  output logic                drain_ready_o,
  output logic                drain_data_valid_o,
  output logic [Cols*32-1:0]  drain_data_o
);

  localparam int CountWidth = $clog2(Line + 1);
  localparam int PairWidth  = $clog2(Line / 2);
  localparam int AccWidth   = $clog2(2 * AccumulatorRows);
  // Columns per activation register: a divisor of Cols, whatever the configuration says.
  localparam int TileCols   = (TileColumns >= Cols) ? Cols
                              : (Cols % TileColumns == 0) ? TileColumns : 8;

  logic stopped_q;  // a fault was reported; waits for abort
  logic fault;
  logic stop;
  logic rows_drained;
  logic rows_flying;

  // ---- Queue, and the slot in front of the rows.
  logic               head_valid;
  isa_pkg::matmul_t   head;
  logic [31:0]        head_pc;
  logic               head_is_sync;
  logic               head_illegal;
  logic               take;
  logic               queue_ready;
  logic               slot_valid_q;
  isa_pkg::matmul_t   slot_q;
  logic [31:0]        slot_pc_q;
  logic               slot_taken;
  logic               weights_ready;
  logic               rows_active;
  logic               rows_sync;

  assign instr_ready_o = queue_ready && !abort_i;
  /* verilator lint_off PINCONNECTEMPTY */
  prim_fifo #(.Width(2080), .Depth(8)) u_queue (
    .clk_i, .rst_ni, .clear_i(abort_i), .limit_i(queue_depth_i),
    .in_valid_i(instr_valid_i), .in_ready_o(queue_ready), .in_i({instr_pc_i, instr_i}),
    .out_valid_o(head_valid), .out_ready_i(take), .out_o({head_pc, head}), .used_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  mxu_check #(.Rows(Rows), .Bf16(Bf16), .Int8(Int8)) u_check (
    .check_i(head_valid), .instr_i(head), .illegal_o(head_illegal)
  );

  // A sync holds back the weights of what follows it, too.
  assign head_is_sync = head.opcode == isa_pkg::OpSync;
  assign take         = head_valid && !head_illegal && !stop && weights_ready && !slot_valid_q &&
                        !rows_sync;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || abort_i) begin
      slot_valid_q <= 1'b0;
    end else if (take || slot_taken) begin
      slot_valid_q <= take;
      if (take) begin
        slot_q    <= head;
        slot_pc_q <= head_pc;
      end
    end
  end

  // ---- Weights.
  logic                       weights_blocked;
  logic [7:0]                 weights_blocked_flag;
  logic                       tile_valid;
  logic                       tile_ready;
  logic                       tile_transpose;
  float_operand_pkg::format_t tile_format;
  logic [CountWidth-1:0]      tile_lines;
  logic [CountWidth-1:0]      tile_length;
  logic                       weights_misaligned;
  logic [31:0]                weights_misaligned_address;
  logic [31:0]                weights_pc;
  logic [11:0]                weights_end;

  mxu_weight_walk #(.Rows(Rows), .Cols(Cols)) u_weight_walk (
    .clk_i, .rst_ni, .clear_i(abort_i), .stop_i(stop),
    .start_i(take && !head_is_sync), .ready_o(weights_ready), .instr_i(head), .pc_i(head_pc),
    .flags_i, .blocked_o(weights_blocked), .blocked_flag_o(weights_blocked_flag),
    .even_win_valid_o(weven_win_valid_o), .even_win_ready_i(weven_win_ready_i),
    .even_win_addr_o(weven_win_addr_o),
    .odd_win_valid_o(wodd_win_valid_o), .odd_win_ready_i(wodd_win_ready_i),
    .odd_win_addr_o(wodd_win_addr_o), .win_end_o(weights_end),
    .tile_valid_o(tile_valid), .tile_ready_i(tile_ready), .tile_transpose_o(tile_transpose),
    .tile_format_o(tile_format), .tile_lines_o(tile_lines), .tile_length_o(tile_length),
    .misaligned_o(weights_misaligned), .misaligned_address_o(weights_misaligned_address),
    .pc_o(weights_pc)
  );
  assign weven_win_begin_o = '0;
  assign weven_win_end_o   = weights_end;
  assign weven_win_fill_o  = '0;
  assign wodd_win_begin_o  = '0;
  assign wodd_win_end_o    = weights_end;
  assign wodd_win_fill_o   = '0;

  logic                       load;
  logic                       load_transpose;
  float_operand_pkg::format_t load_format;
  logic [PairWidth-1:0]       load_pair;
  logic [Line-1:0]            load_even_present;
  logic [Line-1:0]            load_odd_present;
  logic                       swap_ready;
  logic                       swap_issue;
  logic                       swap_enter;
  logic                       hold;
  logic                       loader_active;

  mxu_weight_loader #(.Rows(Rows), .Cols(Cols)) u_weight_loader (
    .clk_i, .rst_ni, .clear_i(abort_i),
    .tile_valid_i(tile_valid), .tile_ready_o(tile_ready), .tile_transpose_i(tile_transpose),
    .tile_format_i(tile_format), .tile_lines_i(tile_lines), .tile_length_i(tile_length),
    .even_row_valid_i(weven_row_valid_i), .even_row_ready_o(weven_row_ready_o),
    .odd_row_valid_i(wodd_row_valid_i), .odd_row_ready_o(wodd_row_ready_o),
    .load_o(load), .load_transpose_o(load_transpose), .load_format_o(load_format),
    .load_pair_o(load_pair), .load_even_present_o(load_even_present),
    .load_odd_present_o(load_odd_present),
    .swap_ready_o(swap_ready), .swap_issue_i(swap_issue), .swap_enter_i(swap_enter),
    .hold_o(hold), .active_o(loader_active)
  );

  // ---- Rows.
  logic             rows_blocked;
  logic [7:0]       rows_blocked_flag;
  logic             row_in_valid;
  logic             row_in_ready;
  mxu_pkg::row_t    row_in;
  logic             row_valid;
  logic             row_ready;
  mxu_pkg::row_t    row;
  logic             sync_done;
  logic [8:0]       sync_signal0;
  logic [8:0]       sync_signal1;
  logic [31:0]      rows_pc;
  logic [31:0]      window_pc;
  logic             rows_fault;
  logic [7:0]       rows_fault_cause;
  logic [31:0]      rows_fault_address;

  mxu_row_walk #(.AccumulatorRows(AccumulatorRows)) u_row_walk (
    .clk_i, .rst_ni, .clear_i(abort_i), .stop_i(stop),
    .next_valid_i(slot_valid_q), .next_ready_o(slot_taken), .next_instr_i(slot_q),
    .next_pc_i(slot_pc_q), .flags_i,
    .blocked_o(rows_blocked), .blocked_flag_o(rows_blocked_flag),
    .win_valid_o(act_win_valid_o), .win_ready_i(act_win_ready_i), .win_addr_o(act_win_addr_o),
    .win_begin_o(act_win_begin_o), .win_end_o(act_win_end_o), .win_fill_o(act_win_fill_o),
    .row_valid_o(row_in_valid), .row_ready_i(row_in_ready), .row_o(row_in),
    .drained_i(rows_drained), .sync_o(rows_sync), .sync_done_o(sync_done),
    .sync_signal0_o(sync_signal0), .sync_signal1_o(sync_signal1),
    .active_o(rows_active), .pc_o(rows_pc), .window_pc_o(window_pc),
    .fault_valid_o(rows_fault), .fault_cause_o(rows_fault_cause),
    .fault_address_o(rows_fault_address)
  );

  // As many rows as the window port can have under way.
  /* verilator lint_off PINCONNECTEMPTY */
  prim_fifo #(.Width(mxu_pkg::RowBits), .Depth(8)) u_rows (
    .clk_i, .rst_ni, .clear_i(abort_i), .limit_i(4'd8),
    .in_valid_i(row_in_valid), .in_ready_o(row_in_ready), .in_i(row_in),
    .out_valid_o(row_valid), .out_ready_i(row_ready), .out_o(row), .used_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  logic                       claim;
  logic                       claim_fresh;
  logic                       claim_ready;
  logic [AccWidth-1:0]        claim_row;
  logic                       array_valid;
  logic                       array_swap;
  float_operand_pkg::format_t array_format;
  logic [RowWidth-1:0]        array_row;
  logic                       result_valid;
  logic [Cols*32-1:0]         result;
  logic                       write;
  logic [AccWidth-1:0]        write_row;
  logic [Cols*32-1:0]         partial;

  mxu_issue #(.Rows(Rows), .Cols(Cols), .RowWidth(RowWidth),
              .AccumulatorRows(AccumulatorRows)) u_issue (
    .clk_i, .rst_ni, .clear_i(abort_i), .hold_i(hold),
    .row_valid_i(row_valid), .row_ready_o(row_ready), .row_i(row),
    .window_valid_i(act_row_valid_i), .window_ready_o(act_row_ready_o), .window_i(act_row_i),
    .swap_ready_i(swap_ready), .swap_issue_o(swap_issue), .swap_enter_o(swap_enter),
    .claim_o(claim), .claim_fresh_o(claim_fresh), .claim_row_o(claim_row),
    .claim_ready_i(claim_ready),
    .array_valid_o(array_valid), .array_swap_o(array_swap), .array_format_o(array_format),
    .array_row_o(array_row), .result_valid_i(result_valid),
    .write_o(write), .write_row_o(write_row),
    .sync_done_i(sync_done), .sync_signal0_i(sync_signal0), .sync_signal1_i(sync_signal1),
    .signal_valid_o, .signal_flag_o, .flying_o(rows_flying), .drained_o(rows_drained)
  );

  mxu_accumulators #(.Cols(Cols), .RowsPerHalf(AccumulatorRows)) u_accumulators (
    .clk_i, .rst_ni, .clear_i(abort_i),
    .claim_row_i(claim_row), .claim_ready_o(claim_ready), .claim_i(claim),
    .claim_fresh_i(claim_fresh), .read_data_o(partial), .keep_read_i(array_valid && hold),
    .write_i(write), .write_row_i(write_row), .write_data_i(result),
    .drain_valid_i, .drain_row_i, .drain_ready_o, .drain_data_valid_o, .drain_data_o
  );

  mxu_arrays #(.Rows(Rows), .Cols(Cols), .Bf16(Bf16), .Int8(Int8), .TileCols(TileCols),
               .ProductStage(ProductStage)) u_arrays (
    .clk_i, .rst_ni(rst_ni && !abort_i), .enable_i(!hold),
    .row_valid_i(array_valid), .row_swap_i(array_swap), .row_format_i(array_format),
    .row_i(array_row), .partial_i(partial),
    .weight_valid_i(load), .weight_transpose_i(load_transpose), .weight_format_i(load_format),
    .weight_pair_i(load_pair), .weight_even_i(weven_row_i), .weight_odd_i(wodd_row_i),
    .weight_even_present_i(load_even_present), .weight_odd_present_i(load_odd_present),
    .result_valid_o(result_valid), .result_o(result)
  );

  // ---- Faults: the first is reported, then nothing new begins until abort. An instruction that
  // may not run is reported when everything before it is done.
  logic illegal;
  logic window_fault;

  assign illegal      = head_valid && head_illegal && !slot_valid_q && !rows_active && rows_drained;
  assign window_fault = act_fault_valid_i || weven_fault_valid_i || wodd_fault_valid_i;
  assign fault        = rows_fault || window_fault || weights_misaligned || illegal;
  assign stop         = stopped_q || fault;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || abort_i) begin
      stopped_q     <= 1'b0;
      fault_valid_o <= 1'b0;
    end else if (fault || fault_valid_o) begin
      stopped_q     <= stop;
      fault_valid_o <= fault && !stopped_q;
      fault_cause_o <= window_fault       ? isa_pkg::FaultBufferRange
                       : rows_fault         ? rows_fault_cause
                       : weights_misaligned ? isa_pkg::FaultMisaligned
                                            : isa_pkg::FaultIllegalField;
      fault_pc_o    <= act_fault_valid_i    ? window_pc
                       : window_fault       ? weights_pc
                       : rows_fault         ? rows_pc
                       : weights_misaligned ? weights_pc : head_pc;
      fault_address_o <= act_fault_valid_i     ? {32'd0, act_fault_address_i}
                         : weven_fault_valid_i ? {32'd0, weven_fault_address_i}
                         : wodd_fault_valid_i  ? {32'd0, wodd_fault_address_i}
                         : rows_fault          ? {32'd0, rows_fault_address}
                         : weights_misaligned  ? {32'd0, weights_misaligned_address} : 64'd0;
    end
  end

  // ---- Status: each cycle is exactly one of idle, busy and stalled.
  logic asks;
  assign asks        = (act_win_valid_o && act_win_ready_i) ||
                       (weven_win_valid_o && weven_win_ready_i) ||
                       (wodd_win_valid_o && wodd_win_ready_i);
  assign progress_o  = take || (slot_valid_q && slot_taken) || asks || load || claim || write ||
                       sync_done;
  assign idle_o      = !head_valid && !slot_valid_q && !rows_active && rows_drained &&
                       weights_ready && !loader_active && !stopped_q;
  assign busy_o      = !idle_o && (progress_o || rows_flying);
  assign stall_o     = !idle_o && !busy_o;
  assign waiting_o   = rows_blocked || weights_blocked;
  assign wait_flag_o = rows_blocked ? rows_blocked_flag : weights_blocked_flag;
  assign pc_o        = rows_active ? rows_pc : slot_valid_q ? slot_pc_q : head_pc;

  `PRIM_ASSERT(WholeGroups, Rows % 8 == 0 && Cols % 8 == 0 && Cols % TileCols == 0)

endmodule
