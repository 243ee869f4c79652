// Puts the functions of rtl/float on pins for tests: decoding of one operand in every format, and
// one fused dot product per lane, in which lane l multiplies `act_i` by `weight_i` + l in term 0.
module float_lanes #(
  parameter int Lanes = 256
) (
  input  logic                       clk_i,
  input  float_operand_pkg::format_t act_format_i,
  input  float_operand_pkg::format_t weight_format_i,
  input  logic [31:0]                partial_i,
  input  logic [8*32-1:0]            act_i,      // as fp32; bf16 in the high half
  input  logic [8*32-1:0]            weight_i,
  input  logic [31:0]                lane_step_i,  // added to term 0's weight from lane to lane
  output logic [31:0]                act_decoded_o,
  output logic [Lanes*32-1:0]        result_o
);

  logic [31:0] acts    [0:7];
  logic [31:0] weights [0:7];

  function automatic logic [31:0] decode(input logic [31:0] x,
                                         input float_operand_pkg::format_t format);
    logic [31:0] shift, rounding, specials;
    shift    = float_operand_pkg::byte_shift(format);
    rounding = float_operand_pkg::rounding_mask(format);
    specials = float_operand_pkg::special_mask(format);
    decode   = float_operand_pkg::decode(x, shift, rounding, specials);
  endfunction

  // verilator lint_off BLKSEQ
  always_ff @(posedge clk_i) begin
    logic [31:0] step, shift, rounding, specials, sum, top, q;
    for (int unsigned i = 0; i < 8; i++) begin
      acts[i]    = decode(act_i[i*32 +: 32], act_format_i);
      weights[i] = decode(weight_i[i*32 +: 32], weight_format_i);
    end
    act_decoded_o <= acts[0];
    shift    = float_operand_pkg::byte_shift(weight_format_i);
    rounding = float_operand_pkg::rounding_mask(weight_format_i);
    specials = float_operand_pkg::special_mask(weight_format_i);
    step     = weight_i[31:0];
    for (int unsigned l = 0; l < Lanes; l++) begin
      weights[0] = float_operand_pkg::decode(step + l * lane_step_i, shift, rounding, specials);
      top = float_fused_pkg::partial_exponent(partial_i);
      for (int unsigned i = 0; i < 8; i++) begin
        q   = float_fused_pkg::product(acts[i], weights[i]);
        q   = float_fused_pkg::product_exponent(q);
        top = (q > top) ? q : top;
      end
      sum = float_fused_pkg::align_partial(partial_i, top);
      for (int unsigned i = 0; i < 8; i++) begin
        q   = float_fused_pkg::product(acts[i], weights[i]);
        q   = float_fused_pkg::align_product(q, top);
        sum = sum + q;
      end
      sum = float_fused_pkg::round_sum(sum, top);
      if (top > float_fused_pkg::LastFinitePartial) begin
        top = float_fused_pkg::partial_special(partial_i);
        for (int unsigned i = 0; i < 8; i++) begin
          q   = float_fused_pkg::product(acts[i], weights[i]);
          q   = float_fused_pkg::product_special(q);
          top = top | q;
        end
        sum = float_fused_pkg::resolve_special(sum, top);
      end
      result_o[l*32 +: 32] <= sum;
    end
  end

endmodule
