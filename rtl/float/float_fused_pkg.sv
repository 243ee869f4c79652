// The steps of the fused dot product of eight (rtl/float/README.md): c + sum of eight products of
// decoded operands on one grid, rounded once. Every local is 32 bits wide and every shift amount
// is clamped, so that loops over columns vectorise in simulation.
/* verilator lint_off UNUSEDPARAM */  // not every user needs every constant
package float_fused_pkg;

  localparam logic [31:0] PartialExponent      = 32'd1151;  // as in float_operand_pkg
  localparam logic [31:0] LastFiniteProduct    = 32'd1532;  // 2 * (FiniteExponent + 254)
  localparam logic [31:0] LastFinitePartial    = 32'd1405;  // PartialExponent + 254
  localparam logic [31:0] CanonicalNan         = 32'h7fc0_0000;
  localparam logic [31:0] PlusInfinity         = 32'h7f80_0000;
  localparam logic [31:0] MinusInfinity        = 32'hff80_0000;

  // {sign, exponent 15, significand 16}; the significand of 1.0 x 1.0 is 2^14.
  function automatic logic [31:0] product(input logic [31:0] x, input logic [31:0] y);
    logic [31:0] sum;
    sum     = x + y;
    product = (sum & 32'hffff_0000) | ((x & 32'h0000_00ff) * (y & 32'h0000_00ff));
  endfunction

  function automatic logic [31:0] product_exponent(input logic [31:0] word);
    product_exponent = (word >> 16) & 32'h0000_7fff;
  endfunction

  function automatic logic [31:0] partial_exponent(input logic [31:0] partial);
    partial_exponent = ((partial >> 23) & 32'h0000_00ff) + PartialExponent;
  endfunction

  // A signed count of grid steps of 2^(top - 25); what lies below the grid is cut from the
  // magnitude.
  function automatic logic [31:0] align_product(input logic [31:0] word, input logic [31:0] top);
    logic [31:0] distance, magnitude;
    distance      = top - ((word >> 16) & 32'h0000_7fff);
    distance      = (distance > 32'd31) ? 32'd31 : distance;
    magnitude     = (word & 32'h0000_ffff) << 11;
    magnitude     = magnitude >> distance[4:0];
    align_product = (magnitude ^ {32{word[31]}}) + {31'd0, word[31]};
  endfunction

  function automatic logic [31:0] align_partial(input logic [31:0] partial, input logic [31:0] top);
    logic [31:0] exponent, distance, magnitude;
    exponent      = (partial >> 23) & 32'h0000_00ff;
    distance      = top - exponent - PartialExponent;
    distance      = (distance > 32'd31) ? 32'd31 : distance;
    magnitude     = ((partial & 32'h007f_ffff) | 32'h0080_0000) << 2;
    magnitude     = (exponent == 32'd0) ? 32'd0 : magnitude;
    magnitude     = magnitude >> distance[4:0];
    align_partial = (magnitude ^ {32{partial[31]}}) + {31'd0, partial[31]};
  endfunction

  // Grid count to fp32: normalise in steps of constant shifts, then one rounding to nearest even.
  // Tiny before rounding, or zero: +0. The hidden bit and a rounding carry step the exponent.
  function automatic logic [31:0] round_sum(input logic [31:0] sum, input logic [31:0] top);
    logic [31:0] count, exponent, magnitude;
    count     = (sum ^ {32{sum[31]}}) + {31'd0, sum[31]};
    exponent  = top - (PartialExponent - 32'd5);
    exponent  = (count < 32'h0001_0000) ? exponent - 32'd16 : exponent;
    count     = (count < 32'h0001_0000) ? count << 16 : count;
    exponent  = (count < 32'h0100_0000) ? exponent - 32'd8 : exponent;
    count     = (count < 32'h0100_0000) ? count << 8 : count;
    exponent  = (count < 32'h1000_0000) ? exponent - 32'd4 : exponent;
    count     = (count < 32'h1000_0000) ? count << 4 : count;
    exponent  = (count < 32'h4000_0000) ? exponent - 32'd2 : exponent;
    count     = (count < 32'h4000_0000) ? count << 2 : count;
    exponent  = (count < 32'h8000_0000) ? exponent - 32'd1 : exponent;
    count     = (count < 32'h8000_0000) ? count << 1 : count;
    magnitude = (exponent << 23) + (((count >> 1) + 32'd63 + ((count >> 8) & 32'd1)) >> 7);
    magnitude = (magnitude > PlusInfinity) ? PlusInfinity : magnitude;
    magnitude = magnitude | (sum & 32'h8000_0000);
    round_sum = (exponent[31] | (sum == 32'd0)) ? 32'd0 : magnitude;
  endfunction

  // {NaN, -Inf, +Inf} among a partial sum or a product; gathered by OR, then resolved: NaN, and
  // both infinities, make NaN.
  function automatic logic [31:0] partial_special(input logic [31:0] partial);
    partial_special = {29'd0, (partial & 32'h7fff_ffff) > PlusInfinity, partial == MinusInfinity,
                       partial == PlusInfinity};
  endfunction

  function automatic logic [31:0] product_special(input logic [31:0] word);
    logic [31:0] kind;
    kind            = word[31] ? 32'd2 : 32'd1;
    kind            = ((word & 32'h0000_ffff) == 32'd0) ? 32'd4 : kind;
    product_special = (((word >> 16) & 32'h0000_7fff) > LastFiniteProduct) ? kind : 32'd0;
  endfunction

  function automatic logic [31:0] resolve_special(input logic [31:0] finite,
                                                  input logic [31:0] specials);
    logic [31:0] infinite;
    infinite        = specials[1] ? MinusInfinity : specials[0] ? PlusInfinity : finite;
    resolve_special = (specials >= 32'd3) ? CanonicalNan : infinite;
  endfunction

endpackage
