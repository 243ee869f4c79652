// One group of eight cells in one column, as a textbook would write it: its weights, their shadow
// and one fused dot product per enabled cycle.
module structural_group (
  input  logic            clk_i,
  input  logic            enable_i,
  input  logic            valid_i,    // the activations belong to a row
  input  logic            exchange_i,
  input  logic [8*32-1:0] act_i,      // decoded
  input  logic [7:0]      load_i,     // a bit per cell
  input  logic [8*32-1:0] weight_i,   // decoded
  input  logic [31:0]     partial_i,
  output logic [31:0]     partial_o
);

  logic [8*32-1:0] shadow_q;
  logic [8*32-1:0] weights_q;
  logic [31:0]     fused;

  always_comb begin
    logic [31:0] top;
    logic [31:0] sum;
    logic [31:0] specials;
    logic [31:0] product;
    top      = float_fused_pkg::partial_exponent(partial_i);
    specials = float_fused_pkg::partial_special(partial_i);
    for (int unsigned i = 0; i < 8; i++) begin
      product = float_fused_pkg::product(act_i[i*32 +: 32], weights_q[i*32 +: 32]);
      if (float_fused_pkg::product_exponent(product) > top)
        top = float_fused_pkg::product_exponent(product);
      specials = specials | float_fused_pkg::product_special(product);
    end
    sum = float_fused_pkg::align_partial(partial_i, top);
    for (int unsigned i = 0; i < 8; i++) begin
      product = float_fused_pkg::product(act_i[i*32 +: 32], weights_q[i*32 +: 32]);
      sum     = sum + float_fused_pkg::align_product(product, top);
    end
    fused = float_fused_pkg::resolve_special(float_fused_pkg::round_sum(sum, top), specials);
  end

  always_ff @(posedge clk_i) begin
    if (enable_i && valid_i) partial_o <= fused;
    if (enable_i && exchange_i) weights_q <= shadow_q;
    for (int unsigned i = 0; i < 8; i++)
      if (load_i[i]) shadow_q[i*32 +: 32] <= weight_i[i*32 +: 32];
  end

endmodule
