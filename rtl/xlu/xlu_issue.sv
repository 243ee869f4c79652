// The front of the cross-lane unit: walks the loop nest of the instruction at the head of the
// queue, holds it for its waits, and hands out a tile per iteration.
//
//   instruction --> nest, linear forms --> tile: addresses, rows, columns, signals at its end
//
// An instruction begins when everything of the one before is visible, so that it may read what that
// one wrote.
module xlu_issue #(
  parameter  int Lanes      = 16,
  localparam int CountWidth = $clog2(Lanes) + 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,

  input  logic                  instr_valid_i,
  output logic                  instr_done_o,   // takes it from the queue
  input  logic [2047:0]         instr_i,        // held until then
  input  logic [1023:0]         flags_i,
  input  logic                  all_retired_i,  // no tile is behind this block

  output logic                  tile_valid_o,
  input  logic                  tile_ready_i,
  output logic [31:0]           tile_in_o,       // address of the first row read
  output logic [31:0]           tile_out_o,      // and of the first row written
  output logic [CountWidth-1:0] tile_rows_o,     // rows read; 0: the tile is empty
  output logic [CountWidth-1:0] tile_cols_o,     // rows written; 0 as well
  output logic [1:0]            tile_signals_o,  // raised at the end of the tile

  output logic                  go_o,  // an iteration is issued in this cycle
  output logic                  waiting_o,
  output logic [7:0]            wait_flag_o,

  output logic                  fault_valid_o,  // for one cycle
  output logic [7:0]            fault_cause_o
);

  typedef enum logic [1:0] {StIdle, StRun, StDrain} state_e;
  state_e state_q;

  // Fields of other units' interest stay unread here.
  // verilator lint_off UNUSEDSIGNAL
  isa_pkg::transpose_t instr;
  // verilator lint_on UNUSEDSIGNAL
  assign instr = instr_i[isa_pkg::TransposeWords*32-1:0];

  logic         unused_words;
  logic         is_sync;
  logic         start;
  logic         go;
  logic         nest_active;
  logic [191:0] index;
  logic [6:0]   first_levels;
  logic [6:0]   last_levels;
  logic [2:0]   carry;
  logic [63:0]  bases;
  logic [7:0]   instr_fault;

  assign unused_words = ^instr_i[2047:isa_pkg::TransposeWords*32];
  assign is_sync      = (instr.opcode == isa_pkg::OpSync);
  assign start        = (state_q == StIdle) && instr_valid_i && instr_fault == isa_pkg::FaultNone
                        && !clear_i;

  function automatic logic is_loop_or_none(input logic [2:0] level);
    is_loop_or_none = 32'(level) < 32'(isa_pkg::Loops) || 32'(level) == 32'(isa_pkg::NoLevel);
  endfunction

  always_comb begin
    instr_fault = isa_pkg::FaultNone;
    if (state_q == StIdle && instr_valid_i && !is_sync) begin
      if (instr.opcode != isa_pkg::OpTranspose) instr_fault = isa_pkg::FaultIllegalOpcode;
      else if (instr.size_log2 == 2'd3 || !is_loop_or_none(instr.rows_level)
               || !is_loop_or_none(instr.cols_level)) instr_fault = isa_pkg::FaultIllegalField;
    end
  end

  prim_loop_nest u_nest (
    .clk_i, .rst_ni, .clear_i,
    .start_i       (start),
    .counts_i      (is_sync ? {6{32'd1}} : instr.counts),
    .step_i        (go),
    .active_o      (nest_active),
    .index_o       (index),
    .first_levels_o(first_levels),
    .last_levels_o (last_levels),
    .carry_o       (carry)
  );

  prim_loop_address #(.Forms(2)) u_addresses (
    .clk_i,
    .start_i  (start),
    .bases_i  ({instr.out_base, instr.in_base}),
    .step_i   (go),
    .carry_i  (carry),
    .strides_i({instr.out_strides, instr.in_strides}),
    .value_o  (bases)
  );

  prim_flag_wait u_waits (
    .clk_i, .rst_ni,
    .load_i          (start),
    .words_i         (instr_i[4*32 +: 256]),
    .weights_select_i(1'b0),
    .flags_i,
    .check_i         (nest_active),
    .levels_i        (first_levels),
    .blocked_o       (waiting_o),
    .blocked_flag_o  (wait_flag_o),
    .pass_i          (go)
  );

  assign go           = nest_active && !waiting_o && (!tile_valid_o || tile_ready_i) && !clear_i;
  assign go_o         = go;
  assign instr_done_o = (state_q == StDrain) && all_retired_i && !tile_valid_o;

  // What the limit leaves for this tile after those before it along the loop.
  function automatic logic [CountWidth-1:0] extent(input logic [31:0] limit, input logic [2:0] level);
    logic [47:0] earlier;
    logic [47:0] left;
    earlier = 48'd0;
    if (32'(level) != 32'(isa_pkg::NoLevel)) begin
      earlier = 48'(index[{level, 5'd0} +: 32]) * 48'(Lanes);
    end
    left   = 48'(limit) - earlier;
    extent = left[47] ? '0 : (left > 48'(Lanes)) ? CountWidth'(Lanes) : CountWidth'(left);
  endfunction

  task automatic issue();
    logic [CountWidth-1:0] rows;
    logic [CountWidth-1:0] cols;
    logic                  empty;
    rows           = extent(instr.rows_limit, instr.rows_level);
    cols           = extent(instr.cols_limit, instr.cols_level);
    empty          = is_sync || rows == '0 || cols == '0;
    tile_in_o      <= bases[31:0];
    tile_out_o     <= bases[63:32];
    tile_rows_o    <= empty ? '0 : rows;
    tile_cols_o    <= empty ? '0 : cols;
    tile_signals_o <= {instr.signal1_valid && last_levels[instr.signal1_level],
                       instr.signal0_valid && last_levels[instr.signal0_level]};
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      state_q       <= StIdle;
      tile_valid_o  <= 1'b0;
      fault_valid_o <= 1'b0;
    end else if (instr_valid_i) begin
      if (go) issue();
      if (go || tile_ready_i) tile_valid_o <= go;
      unique case (state_q)
        StIdle: begin
          fault_valid_o <= (instr_fault != isa_pkg::FaultNone);
          fault_cause_o <= instr_fault;
          if (start) state_q <= StRun;
        end
        StRun:   if (go && last_levels[0]) state_q <= StDrain;
        StDrain: if (instr_done_o) state_q <= StIdle;
        default: state_q <= StIdle;
      endcase
    end
  end

endmodule
