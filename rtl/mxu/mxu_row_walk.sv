// Walks the activation rows of one instruction after another: checks their waits, asks for their
// windows and hands on what travels with them. A sync instruction waits until every earlier row has
// reached its accumulator, then raises its flags.
module mxu_row_walk #(
  parameter int AccumulatorRows = 256  // of one half
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic             stop_i,

  input  logic             next_valid_i,
  output logic             next_ready_o,
  /* verilator lint_off UNUSEDSIGNAL */  // the weights' fields are not needed here
  input  isa_pkg::matmul_t next_instr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0]      next_pc_i,
  input  logic [1023:0]    flags_i,
  output logic             blocked_o,
  output logic [7:0]       blocked_flag_o,

  output logic             win_valid_o,
  input  logic             win_ready_i,
  output logic [31:0]      win_addr_o,
  output logic [11:0]      win_begin_o,
  output logic [11:0]      win_end_o,
  output logic [31:0]      win_fill_o,

  // With every accepted window, the row that it belongs to.
  output logic             row_valid_o,
  input  logic             row_ready_i,
  output mxu_pkg::row_t    row_o,

  input  logic             drained_i,  // no accepted row is short of its accumulator
  output logic             sync_o,     // a sync instruction is here
  output logic             sync_done_o,
  output logic [8:0]       sync_signal0_o,
  output logic [8:0]       sync_signal1_o,

  output logic             active_o,
  output logic [31:0]      pc_o,        // of the instruction in work
  output logic [31:0]      window_pc_o, // of the last window asked for
  output logic             fault_valid_o,
  output logic [7:0]       fault_cause_o,
  output logic [31:0]      fault_address_o
);

  /* verilator lint_off UNUSEDSIGNAL */
  isa_pkg::matmul_t instr_q;
  /* verilator lint_on UNUSEDSIGNAL */

  logic         start;
  logic         start_sync;
  logic         step;
  logic         walking;
  logic [191:0] index;
  logic [6:0]   first_levels;
  logic [6:0]   last_levels;
  logic [2:0]   carry;
  logic [31:0]  addr;
  logic [31:0]  y;
  logic [31:0]  x;
  logic [31:0]  accumulator;
  logic [255:0] wait_words;

  assign start_sync   = next_instr_i.opcode == isa_pkg::OpSync;
  assign next_ready_o = !stop_i && !sync_o && (!walking || (step && last_levels[0])) &&
                        !(start_sync && walking);
  assign start        = next_valid_i && next_ready_o;
  assign active_o     = walking || sync_o;

  prim_loop_nest u_nest (
    .clk_i, .rst_ni, .clear_i, .start_i(start && !start_sync), .counts_i(next_instr_i.counts),
    .step_i(step), .active_o(walking), .index_o(index), .first_levels_o(first_levels),
    .last_levels_o(last_levels), .carry_o(carry)
  );
  prim_loop_address #(.Forms(4)) u_address (
    .clk_i, .start_i(start && !start_sync), .step_i(step), .carry_i(carry),
    .bases_i({next_instr_i.acc_base, next_instr_i.x_base, next_instr_i.y_base,
              next_instr_i.a_base}),
    .strides_i({instr_q.acc_strides, instr_q.x_steps, instr_q.y_steps, instr_q.a_strides}),
    .value_o({accumulator, x, y, addr})
  );

  // A sync instruction has no weight stream that could wait instead.
  always_comb begin
    wait_words = next_instr_i[12*32-1:4*32];
    if (start_sync) begin
      for (int unsigned i = 0; i < 4; i++) wait_words[i*64 + 11] = 1'b0;
    end
  end
  prim_flag_wait #(.SplitWeights(1'b1)) u_wait (
    .clk_i, .rst_ni, .load_i(start), .words_i(wait_words), .weights_select_i(1'b0), .flags_i,
    .check_i(walking || sync_o), .levels_i(sync_o ? 7'h7f : first_levels), .blocked_o,
    .blocked_flag_o, .pass_i(step)
  );

  // The part of the window that lies inside both coordinates' bounds, in elements.
  logic [1:0]         size_shift;
  logic [31:0]        length;
  logic signed [33:0] right;
  logic [31:0]        begin_element;
  logic [31:0]        end_element;
  logic               any_inside;
  logic               misaligned;
  logic               out_of_range;
  logic               fresh;

  always_comb begin
    size_shift    = mxu_pkg::size_shift(instr_q.a_type);
    length        = 32'(instr_q.a_length);
    right         = $signed({2'b00, instr_q.x_limit}) - 34'($signed(x));
    begin_element = 32'd0;
    end_element   = 32'd0;
    fresh         = !instr_q.accumulate;
    if (walking && !y[31] && y < instr_q.y_limit && right > 34'sd0) begin
      begin_element = x[31] ? ((-x > length) ? length : -x) : 32'd0;
      end_element   = (right > $signed({2'b00, length})) ? length : right[31:0];
    end
    any_inside   = begin_element < end_element;
    misaligned   = any_inside && (addr & ((32'd8 << size_shift) - 32'd1)) != 32'd0;
    out_of_range = accumulator >= 32'(2 * AccumulatorRows);
    if (walking) begin
      for (int unsigned loop = 0; loop < 6; loop++)
        if (instr_q.fresh_mask[loop] && index[loop*32 +: 32] != 32'd0) fresh = 1'b0;
    end
  end

  assign fault_valid_o   = walking && !blocked_o && (misaligned || out_of_range);
  assign fault_cause_o   = misaligned ? isa_pkg::FaultMisaligned : isa_pkg::FaultAccumulatorRange;
  assign fault_address_o = misaligned ? addr : accumulator;

  logic may_ask;
  assign may_ask     = walking && !blocked_o && !stop_i && !fault_valid_o;
  assign win_valid_o = may_ask && row_ready_i;
  assign win_addr_o  = any_inside ? addr : 32'd0;
  assign win_begin_o = 12'(begin_element << size_shift);
  assign win_end_o   = 12'(end_element << size_shift);
  assign win_fill_o  = instr_q.a_fill;
  assign row_valid_o = may_ask && win_ready_i;
  assign step        = win_valid_o && win_ready_i;

  // The signals that fire when this row has reached its accumulator.
  function automatic logic [8:0] signal_of(input logic valid, input logic [2:0] level,
                                           input logic [7:0] flag, input logic [6:0] levels);
    logic [7:0] ends;
    ends      = {1'b0, levels};
    signal_of = {valid && ends[level], flag};
  endfunction

  logic is_leading;
  assign is_leading        = mxu_pkg::is_leading(instr_q.a_type, instr_q.a_slice, instr_q.w_type,
                                         instr_q.w_slice);
  assign row_o.format      = mxu_pkg::format(instr_q.a_type, instr_q.a_slice, is_leading);
  assign row_o.swap        = 1'({1'b0, first_levels} >> instr_q.weight_level);
  assign row_o.fresh       = fresh;
  assign row_o.accumulator = accumulator[15:0];
  assign row_o.signal0     = signal_of(instr_q.signal0_valid, instr_q.signal0_level,
                                       instr_q.signal0_flag, last_levels);
  assign row_o.signal1     = signal_of(instr_q.signal1_valid, instr_q.signal1_level,
                                       instr_q.signal1_flag, last_levels);

  assign sync_done_o    = sync_o && !blocked_o && drained_i && !stop_i;
  assign sync_signal0_o = signal_of(instr_q.signal0_valid, 3'd0, instr_q.signal0_flag, 7'h7f);
  assign sync_signal1_o = signal_of(instr_q.signal1_valid, 3'd0, instr_q.signal1_flag, 7'h7f);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      sync_o <= 1'b0;
    end else if (start || step || sync_done_o) begin
      if (start) begin
        instr_q <= next_instr_i;
        pc_o    <= next_pc_i;
      end
      if (step) window_pc_o <= pc_o;
      sync_o <= (start && start_sync) || (sync_o && !sync_done_o);
    end
  end

endmodule
