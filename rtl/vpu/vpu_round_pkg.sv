// Rounding of a float to an integral value, and scaling by a power of two, in the style of
// vpu_float_pkg. A rounded value keeps the sign of its operand, also where it is zero.
package vpu_round_pkg;

  // verilator lint_off UNUSEDSIGNAL

  // A magnitude without the bits of `mask`, after `up` was added; a carry into the exponent is
  // right.
  function automatic logic [31:0] cut(input logic [31:0] magnitude, input logic [31:0] mask,
                                      input logic [31:0] up);
    cut = (magnitude + up) & ~mask;
  endfunction

  // Bits below the binary point, for magnitudes from 1 to below 2^23.
  function automatic logic [31:0] fraction_mask(input logic [31:0] magnitude);
    logic [31:0] bits;
    bits          = (32'd150 - (magnitude >> 23)) & 32'd31;
    fraction_mask = ~(32'hffff_ffff << bits[4:0]);
  endfunction

  // `rounded` where 1 <= magnitude < 2^23; below that 1 where `one` is all ones, else 0; from 2^23
  // on the operand itself.
  function automatic logic [31:0] finish(input logic [31:0] a, input logic [31:0] rounded,
                                         input logic [31:0] one);
    logic [31:0] magnitude, below_one, result;
    magnitude = vpu_float_pkg::flushed(a);
    below_one = vpu_float_pkg::less(magnitude, 32'h3f80_0000);
    result    = (magnitude >= 32'h4b00_0000) ? magnitude : rounded;
    result    = (one & below_one & 32'h3f80_0000) | (result & ~below_one);
    result    = result | (a & vpu_float_pkg::SignBit);
    finish    = (magnitude > vpu_float_pkg::Infinity) ? vpu_float_pkg::CanonicalNan : result;
  endfunction

  function automatic logic [31:0] round_even(input logic [31:0] a);
    logic [31:0] magnitude, mask, odd, rounded, one;
    magnitude  = vpu_float_pkg::flushed(a);
    mask       = fraction_mask(magnitude);
    odd        = {31'd0, (magnitude & (mask + 32'd1)) != 32'd0};
    // In [1, 2) the lowest kept bit is the hidden one, which the exponent's lowest bit shows.
    rounded    = cut(magnitude, mask, (mask >> 1) + odd);
    one        = vpu_float_pkg::less(32'h3f00_0000, magnitude);
    round_even = finish(a, rounded, one);
  endfunction

  function automatic logic [31:0] round_away(input logic [31:0] a);
    logic [31:0] magnitude, mask, rounded, one;
    magnitude  = vpu_float_pkg::flushed(a);
    mask       = fraction_mask(magnitude);
    rounded    = cut(magnitude, mask, (mask + 32'd1) >> 1);
    one        = vpu_float_pkg::less(32'h3eff_ffff, magnitude);
    round_away = finish(a, rounded, one);
  endfunction

  // Away from zero for one sign, toward zero for the other: `outward` is all ones where negative
  // (floor) or positive (ceiling) numbers move away.
  function automatic logic [31:0] round_directed(input logic [31:0] a, input logic [31:0] outward);
    logic [31:0] magnitude, mask, rounded, one;
    magnitude      = vpu_float_pkg::flushed(a);
    mask           = fraction_mask(magnitude);
    rounded        = cut(magnitude, mask, mask & outward);
    one            = vpu_float_pkg::less(32'd0, a & 32'h7fff_ffff) & outward;  // subnormals, too
    round_directed = finish(a, rounded, one);
  endfunction

  function automatic logic [31:0] floor(input logic [31:0] a);
    floor = round_directed(a, 32'd0 - (a >> 31));
  endfunction

  function automatic logic [31:0] ceiling(input logic [31:0] a);
    ceiling = round_directed(a, (a >> 31) - 32'd1);
  endfunction

  // a * 2^count, count signed. Exact but for overflow and what falls below the normal numbers.
  function automatic logic [31:0] scale(input logic [31:0] a, input logic [31:0] count);
    logic [31:0] magnitude, moved, exponent, result, keep;
    magnitude = vpu_float_pkg::flushed(a);
    moved     = count ^ vpu_float_pkg::SignBit;  // the order of unsigned numbers
    moved     = (moved > 32'h8000_0200) ? 32'h8000_0200 : moved;
    moved     = (moved < 32'h7fff_fe00) ? 32'h7fff_fe00 : moved;
    moved     = moved ^ vpu_float_pkg::SignBit;
    exponent  = (magnitude >> 23) + moved;
    result    = magnitude + (moved << 23);
    result    = (exponent > 32'd254) ? vpu_float_pkg::Infinity : result;
    keep      = ~(32'd0 - ((exponent - 32'd1) >> 31));  // exponent >= 1
    keep      = keep & vpu_float_pkg::less(32'd0, magnitude);
    result    = result & keep;
    result    = (magnitude >= vpu_float_pkg::Infinity) ? magnitude : result;
    result    = result | (a & vpu_float_pkg::SignBit);
    scale     = (magnitude > vpu_float_pkg::Infinity) ? vpu_float_pkg::CanonicalNan : result;
  endfunction

  // verilator lint_on UNUSEDSIGNAL

endpackage
