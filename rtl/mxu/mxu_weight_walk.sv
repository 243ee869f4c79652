// Walks the weight tiles of one matmul after another and asks for their lines: the even ones at one
// window port, the odd ones at the other. It runs ahead of the rows, also across instructions, as
// far as the window ports and the loader behind them take it.
module mxu_weight_walk #(
  parameter  int Rows       = 128,
  parameter  int Cols       = 128,
  localparam int Line       = Rows > Cols ? Rows : Cols,
  localparam int CountWidth = $clog2(Line + 1)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       clear_i,  // forgets everything
  input  logic                       stop_i,   // asks for nothing more

  input  logic                       start_i,  // only while `ready_o`
  output logic                       ready_o,
  /* verilator lint_off UNUSEDSIGNAL */        // the rows' fields are not needed here
  input  isa_pkg::matmul_t           instr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0]                pc_i,
  input  logic [1023:0]              flags_i,
  output logic                       blocked_o,
  output logic [7:0]                 blocked_flag_o,

  output logic                       even_win_valid_o,
  input  logic                       even_win_ready_i,
  output logic [31:0]                even_win_addr_o,
  output logic                       odd_win_valid_o,
  input  logic                       odd_win_ready_i,
  output logic [31:0]                odd_win_addr_o,
  output logic [11:0]                win_end_o,  // of both; they begin at byte 0

  // One tile: `tile_lines_o` lines of `tile_length_o` elements are present.
  output logic                       tile_valid_o,
  input  logic                       tile_ready_i,
  output logic                       tile_transpose_o,
  output float_operand_pkg::format_t tile_format_o,
  output logic [CountWidth-1:0]      tile_lines_o,
  output logic [CountWidth-1:0]      tile_length_o,

  output logic                       misaligned_o,
  output logic [31:0]                misaligned_address_o,
  output logic [31:0]                pc_o  // of the last line asked for
);

  /* verilator lint_off UNUSEDSIGNAL */
  isa_pkg::matmul_t instr_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0]      walk_pc_q;

  // The loops inside weight_level do not change the tile: here they have one iteration.
  function automatic logic [191:0] outer_counts(input logic [191:0] counts,
                                                input logic [2:0] level);
    for (int unsigned loop = 0; loop < 6; loop++)
      outer_counts[loop*32 +: 32] = (loop < 32'(level)) ? counts[loop*32 +: 32] : 32'd1;
  endfunction

  logic         walking;
  logic [191:0] index;
  logic [6:0]   first_levels;
  logic [6:0]   unused_last_levels;
  logic [2:0]   carry;
  logic [31:0]  tile_base;
  logic         launch;

  prim_loop_nest u_nest (
    .clk_i, .rst_ni, .clear_i,
    .start_i(start_i), .counts_i(outer_counts(instr_i.counts, instr_i.weight_level)),
    .step_i(launch), .active_o(walking), .index_o(index), .first_levels_o(first_levels),
    .last_levels_o(unused_last_levels), .carry_o(carry)
  );
  prim_loop_address #(.Forms(1)) u_base (
    .clk_i, .start_i(start_i), .bases_i(instr_i.w_base), .step_i(launch), .carry_i(carry),
    .strides_i(instr_q.w_strides), .value_o(tile_base)
  );
  prim_flag_wait #(.SplitWeights(1'b1)) u_wait (
    .clk_i, .rst_ni, .load_i(start_i), .words_i(instr_i[12*32-1:4*32]), .weights_select_i(1'b1),
    .flags_i, .check_i(walking), .levels_i(first_levels), .blocked_o, .blocked_flag_o,
    .pass_i(launch)
  );

  // 0 for level 7, which names no loop.
  function automatic logic [31:0] index_at(input logic [2:0] level);
    index_at = 32'd0;
    for (int unsigned loop = 0; loop < 6; loop++)
      if (loop == 32'(level)) index_at = index[loop*32 +: 32];
  endfunction

  // Elements below `limit` that lie in tile number `tile` of `size` elements.
  function automatic logic [31:0] in_tile(input logic [31:0] limit, input logic [31:0] tile,
                                          input logic [31:0] size);
    logic [39:0] start;
    logic [39:0] left;
    start   = {8'd0, tile} * {8'd0, size};
    left    = ({8'd0, limit} > start) ? {8'd0, limit} - start : 40'd0;
    in_tile = (left > {8'd0, size}) ? size : left[31:0];
  endfunction

  logic [31:0] k_present;
  logic [31:0] n_present;
  logic [31:0] lines;
  logic [31:0] length;
  logic [1:0]  size_shift;
  logic        is_leading;

  assign is_leading = mxu_pkg::is_leading(instr_q.a_type, instr_q.a_slice, instr_q.w_type,
                                         instr_q.w_slice);
  always_comb begin
    k_present = 32'd0;
    n_present = 32'd0;
    if (walking) begin
      k_present = in_tile(instr_q.k_limit, index_at(instr_q.k_level), Rows);
      if (k_present > 32'(instr_q.a_length)) k_present = 32'(instr_q.a_length);
      n_present = in_tile(instr_q.n_limit, index_at(instr_q.n_level), Cols);
      if (k_present == 32'd0 || n_present == 32'd0) begin
        k_present = 32'd0;
        n_present = 32'd0;
      end
    end
  end
  assign lines            = instr_q.transpose ? n_present : k_present;
  assign length           = instr_q.transpose ? k_present : n_present;
  assign tile_transpose_o = instr_q.transpose;
  assign tile_format_o    = mxu_pkg::format(instr_q.w_type, instr_q.w_slice, is_leading);
  assign tile_lines_o     = CountWidth'(lines);
  assign tile_length_o    = CountWidth'(length);
  assign size_shift       = mxu_pkg::size_shift(instr_q.w_type);

  // Lines still to be asked for.
  logic [CountWidth-1:0] even_left_q;
  logic [CountWidth-1:0] odd_left_q;
  logic [31:0]           step_q;
  logic [31:0]           alignment_q;  // low address bits that must be 0
  logic                  even_misaligned;
  logic                  odd_misaligned;

  assign launch       = walking && !blocked_o && !stop_i && even_left_q == '0 &&
                        odd_left_q == '0 && tile_ready_i;
  assign tile_valid_o = launch;
  assign ready_o      = !walking;

  assign even_misaligned      = even_left_q != '0 && (even_win_addr_o & alignment_q) != 32'd0;
  assign odd_misaligned       = odd_left_q != '0 && (odd_win_addr_o & alignment_q) != 32'd0;
  assign misaligned_o         = even_misaligned || odd_misaligned;
  assign misaligned_address_o = even_misaligned ? even_win_addr_o : odd_win_addr_o;
  assign even_win_valid_o     = even_left_q != '0 && !even_misaligned && !stop_i;
  assign odd_win_valid_o      = odd_left_q != '0 && !odd_misaligned && !stop_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      even_left_q <= '0;
      odd_left_q  <= '0;
    end else if (start_i || launch || even_win_valid_o || odd_win_valid_o) begin
      if (start_i) begin
        instr_q   <= instr_i;
        walk_pc_q <= pc_i;
      end
      if (launch) begin
        even_left_q     <= CountWidth'((lines + 32'd1) >> 1);
        odd_left_q      <= CountWidth'(lines >> 1);
        even_win_addr_o <= tile_base;
        odd_win_addr_o  <= tile_base + instr_q.w_row_stride;
        step_q          <= instr_q.w_row_stride << 1;
        alignment_q     <= (32'd8 << size_shift) - 32'd1;
        win_end_o       <= 12'(length << size_shift);
        pc_o            <= walk_pc_q;
      end
      if (even_win_valid_o && even_win_ready_i) begin
        even_left_q     <= even_left_q - 1'b1;
        even_win_addr_o <= even_win_addr_o + step_q;
      end
      if (odd_win_valid_o && odd_win_ready_i) begin
        odd_left_q     <= odd_left_q - 1'b1;
        odd_win_addr_o <= odd_win_addr_o + step_q;
      end
    end
  end

endmodule
