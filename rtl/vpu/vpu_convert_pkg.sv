// Conversions between floats and integers, and to narrow float formats and back, in the style of
// vpu_float_pkg.
package vpu_convert_pkg;

  // verilator lint_off UNUSEDSIGNAL

  // An unsigned integer as a float's magnitude, to nearest even.
  function automatic logic [31:0] from_count(input logic [31:0] a);
    logic [31:0] count, exponent, magnitude;
    count      = a;
    exponent   = 32'd158;
    exponent   = (count < 32'h0001_0000) ? exponent - 32'd16 : exponent;
    count      = (count < 32'h0001_0000) ? count << 16 : count;
    exponent   = (count < 32'h0100_0000) ? exponent - 32'd8 : exponent;
    count      = (count < 32'h0100_0000) ? count << 8 : count;
    exponent   = (count < 32'h1000_0000) ? exponent - 32'd4 : exponent;
    count      = (count < 32'h1000_0000) ? count << 4 : count;
    exponent   = (count < 32'h4000_0000) ? exponent - 32'd2 : exponent;
    count      = (count < 32'h4000_0000) ? count << 2 : count;
    exponent   = (count < 32'h8000_0000) ? exponent - 32'd1 : exponent;
    count      = (count < 32'h8000_0000) ? count << 1 : count;
    magnitude  = (((count >> 8) & 32'd1) + 32'd127 + (count & 32'h0000_00ff)) >> 8;
    magnitude  = ((exponent - 32'd1) << 23) + (count >> 8) + magnitude;
    from_count = (a == 32'd0) ? 32'd0 : magnitude;
  endfunction

  function automatic logic [31:0] s32_to_f32(input logic [31:0] a);
    logic [31:0] magnitude;
    magnitude  = from_count((a ^ {32{a[31]}}) + {31'd0, a[31]});
    s32_to_f32 = magnitude | (a & vpu_float_pkg::SignBit);
  endfunction

  // A magnitude below 2^32 without its fraction.
  function automatic logic [31:0] to_count(input logic [31:0] magnitude);
    logic [31:0] distance, count;
    distance = (32'd158 - (magnitude >> 23)) & 32'd31;  // right where not 0
    count    = (magnitude & 32'h007f_ffff) | vpu_float_pkg::MinNormal;
    count    = (count << 8) >> distance[4:0];
    to_count = (magnitude < 32'h3f80_0000) ? 32'd0 : count;
  endfunction

  // Toward zero, saturating; NaN is 0.
  function automatic logic [31:0] f32_to_s32(input logic [31:0] a);
    logic [31:0] magnitude, count;
    magnitude  = a & 32'h7fff_ffff;
    count      = to_count(magnitude);
    count      = (count ^ {32{a[31]}}) + {31'd0, a[31]};
    count      = (magnitude >= 32'h4f00_0000) ? 32'h7fff_ffff + {31'd0, a[31]} : count;
    f32_to_s32 = (magnitude > vpu_float_pkg::Infinity) ? 32'd0 : count;
  endfunction

  function automatic logic [31:0] f32_to_u32(input logic [31:0] a);
    logic [31:0] magnitude, count;
    magnitude  = a & 32'h7fff_ffff;
    count      = to_count(magnitude);
    count      = (magnitude >= 32'h4f80_0000) ? 32'hffff_ffff : count;
    count      = (magnitude > vpu_float_pkg::Infinity) ? 32'd0 : count;
    f32_to_u32 = count & ((a >> 31) - 32'd1);
  endfunction

  // To bf16 in the upper half, the lower half zero. Subnormals are kept.
  function automatic logic [31:0] round_bf16(input logic [31:0] a);
    logic [31:0] rounded, nan;
    rounded    = (a + 32'h0000_7fff + ((a >> 16) & 32'd1)) & 32'hffff_0000;
    nan        = vpu_float_pkg::is_nan(a);
    round_bf16 = (nan != 32'd0) ? vpu_float_pkg::CanonicalNan : rounded;
  endfunction

  // To the precision of f16: 11 bits, below 2^-14 multiples of 2^-24, infinity from 65520 on.
  function automatic logic [31:0] round_f16(input logic [31:0] a);
    logic [31:0] magnitude, bits, mask, rounded, smallest, below;
    magnitude = a & 32'h7fff_ffff;
    bits      = 32'd126 - (magnitude >> 23);  // to be cut off; 14..23 where subnormal
    bits      = (magnitude >= 32'h3880_0000) ? 32'd13 : bits & 32'd31;
    mask      = ~(32'hffff_ffff << bits[4:0]);
    rounded   = (magnitude + (mask >> 1) + ((magnitude >> bits[4:0]) & 32'd1)) & ~mask;
    smallest  = vpu_float_pkg::less(32'h3300_0000, magnitude) & 32'h3380_0000;
    below     = vpu_float_pkg::less(magnitude, 32'h3380_0000);  // than the smallest subnormal
    rounded   = (smallest & below) | (rounded & ~below);
    rounded   = (magnitude >= 32'h477f_f000) ? vpu_float_pkg::Infinity : rounded;
    rounded   = rounded | (a & vpu_float_pkg::SignBit);
    round_f16 = (magnitude > vpu_float_pkg::Infinity) ? vpu_float_pkg::CanonicalNan : rounded;
  endfunction

  // verilator lint_on UNUSEDSIGNAL

endpackage
