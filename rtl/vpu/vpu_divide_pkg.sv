// What stands before and behind the digit recurrences of division and square root (vpu_lanes), in
// the style of vpu_float_pkg.
package vpu_divide_pkg;

  // verilator lint_off UNUSEDSIGNAL

  function automatic logic [31:0] divisor(input logic [31:0] b);
    divisor = (b & 32'h007f_ffff) | vpu_float_pkg::MinNormal;
  endfunction

  // a's significand, or twice it, so that the quotient lies in [1, 2).
  function automatic logic [31:0] dividend(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] sa, sb;
    sa       = divisor(a);
    sb       = divisor(b);
    dividend = sa << (vpu_float_pkg::less(sa, sb) & 32'd1);
  endfunction

  // a / b from the quotient's digits 2^-1 .. 2^-24, inverted. A quotient of numbers of 24 bits
  // never lies in the middle of two such numbers, so that the remainder does not matter.
  function automatic logic [31:0] quotient(input logic [31:0] a, input logic [31:0] b,
                                           input logic [31:0] digits);
    logic [31:0] ma, mb, sa, sb, sign, exponent, bits, magnitude, normal, special, invalid, chosen;
    ma        = vpu_float_pkg::flushed(a);
    mb        = vpu_float_pkg::flushed(b);
    sa        = divisor(a);
    sb        = divisor(b);
    sign      = (a ^ b) & vpu_float_pkg::SignBit;
    bits      = digits ^ 32'h01ff_ffff;  // the leading digit is 1
    exponent  = (ma >> 23) - (mb >> 23) + 32'd127 - (vpu_float_pkg::less(sa, sb) & 32'd1);
    magnitude = ((exponent - 32'd1) << 23) + (bits >> 1) + (bits & 32'd1);
    magnitude = (magnitude > vpu_float_pkg::Infinity) ? vpu_float_pkg::Infinity : magnitude;
    magnitude = (exponent > 32'd254) ? vpu_float_pkg::Infinity : magnitude;
    normal    = ~(32'd0 - ((exponent - 32'd1) >> 31));  // exponent >= 1
    magnitude = magnitude & normal;

    special   = vpu_float_pkg::less(vpu_float_pkg::Infinity - 32'd1, ma)
                | vpu_float_pkg::less(mb, 32'd1);
    magnitude = (special & vpu_float_pkg::Infinity) | (magnitude & ~special);
    chosen    = vpu_float_pkg::less(vpu_float_pkg::Infinity - 32'd1, mb)
                | vpu_float_pkg::less(ma, 32'd1);
    magnitude = magnitude & ~chosen;
    invalid   = (special & chosen) | vpu_float_pkg::less(vpu_float_pkg::Infinity, ma)
                | vpu_float_pkg::less(vpu_float_pkg::Infinity, mb);
    magnitude = magnitude | sign;
    quotient  = (magnitude & ~invalid) | (vpu_float_pkg::CanonicalNan & invalid);
  endfunction

  // The significand, doubled where the exponent is odd, its two leading bits at the top.
  function automatic logic [31:0] radicand(input logic [31:0] a);
    logic [31:0] significand;
    significand = divisor(a);
    radicand    = significand << (32'd8 - ((a >> 23) & 32'd1));
  endfunction

  // The root from its 25 digits. It never lies in the middle of two numbers.
  function automatic logic [31:0] root(input logic [31:0] a, input logic [31:0] digits);
    logic [31:0] magnitude, result, negative;
    magnitude = vpu_float_pkg::flushed(a);
    result    = ((magnitude >> 23) + 32'd127) >> 1;
    result    = ((result - 32'd1) << 23) + (digits >> 1) + (digits & 32'd1);
    result    = (magnitude >= vpu_float_pkg::Infinity) ? magnitude : result;
    result    = (magnitude < vpu_float_pkg::MinNormal) ? 32'd0 : result;
    negative  = vpu_float_pkg::less(32'd0, magnitude) & (32'd0 - (a >> 31));
    result    = result | (a & vpu_float_pkg::SignBit);
    negative  = negative | vpu_float_pkg::less(vpu_float_pkg::Infinity, magnitude);
    root      = (negative != 32'd0) ? vpu_float_pkg::CanonicalNan : result;
  endfunction

  // verilator lint_on UNUSEDSIGNAL

endpackage
