// The loop primitives as an engine uses them: a nest, two linear forms, the waits of the weight stream and
// those of the other.
module prim_loops (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            clear_i,
  input  logic            start_i,
  input  logic [191:0]    counts_i,
  input  logic [2*32-1:0] bases_i,
  input  logic [383:0]    strides_i,
  input  logic [255:0]    words_i,
  input  logic [1023:0]   flags_i,
  input  logic            step_i,
  output logic            active_o,
  output logic [191:0]    index_o,
  output logic [6:0]      first_levels_o,
  output logic [6:0]      last_levels_o,
  output logic [2:0]      carry_o,
  output logic [2*32-1:0] values_o,
  output logic [1:0]      blocked_o,  // by waits with weights = 0, 1
  output logic [15:0]     blocked_flag_o
);

  prim_loop_nest u_nest (
    .clk_i, .rst_ni, .clear_i, .start_i, .counts_i, .step_i, .active_o, .index_o,
    .first_levels_o, .last_levels_o, .carry_o
  );

  prim_loop_address #(.Forms(2)) u_address (
    .clk_i, .start_i, .bases_i, .step_i, .carry_i(carry_o), .strides_i, .value_o(values_o)
  );

  for (genvar i = 0; i < 2; i++) begin : gen_wait
    prim_flag_wait #(.SplitWeights(1'b1)) u_wait (
      .clk_i, .rst_ni,
      .load_i          (start_i),
      .words_i,
      .weights_select_i(1'(i)),
      .flags_i,
      .check_i         (active_o),
      .levels_i        (first_levels_o),
      .blocked_o       (blocked_o[i]),
      .blocked_flag_o  (blocked_flag_o[i*8 +: 8]),
      .pass_i          (step_i)
    );
  end

endmodule
