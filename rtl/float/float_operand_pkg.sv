// How an operand row becomes the words that the MXU multiplies (rtl/float/README.md).
//
// A decoded operand is {sign, exponent 15, zero 8, significand 8}: one addition of two such words
// gives sign and exponent of the product. The exponents are chosen so that, as plain sums of two,
//   absent + anything <= PartialExponent and zero + finite <= PartialExponent: they never win the
//     maximum, whose floor is the exponent of a partial sum of zero;
//   zero + special > finite + finite: one comparison tells a special product.
/* verilator lint_off UNUSEDPARAM */  // not every user needs every constant
package float_operand_pkg;

  // The format of a row at the MXU's ports. In a pass of several over fp32, Inf and NaN take part
  // in the pass of the two leading bytes alone; elsewhere they are absent, on both sides.
  typedef logic [2:0] format_t;
  localparam logic [2:0] FormatInt8        = 3'd0;
  localparam logic [2:0] FormatBf16        = 3'd1;
  localparam logic [2:0] FormatFp32Rounded = 3'd2;  // to bf16, nearest even
  localparam logic [2:0] FormatFp32Leading = 3'd3;  // byte 0 of the significand, with Inf and NaN
  localparam logic [2:0] FormatFp32Byte0   = 3'd4;
  localparam logic [2:0] FormatFp32Byte1   = 3'd5;
  localparam logic [2:0] FormatFp32Byte2   = 3'd6;

  localparam logic [31:0] ZeroExponent    = 32'd384;   // the word of an absent operand is 0
  localparam logic [31:0] FiniteExponent  = 32'd512;   // + the biased exponent
  localparam logic [31:0] SpecialExponent = 32'd1150;  // significand 0: NaN, otherwise Inf
  localparam logic [31:0] PartialExponent = 32'd1151;  // 2 * FiniteExponent + 127, + the exponent

  // What a format asks of `decode`: worked out once per row, so that the loop over the row has no
  // branch in it.
  function automatic logic is_fp32(input format_t format);
    is_fp32 = format >= FormatFp32Rounded;
  endfunction

  function automatic logic [31:0] byte_shift(input format_t format);
    byte_shift = (format == FormatFp32Byte1) ? 32'd8 : (format == FormatFp32Byte2) ? 32'd16 : 32'd0;
  endfunction

  function automatic logic [31:0] rounding_mask(input format_t format);
    rounding_mask = (format == FormatFp32Rounded) ? 32'hffff_ffff : 32'd0;
  endfunction

  function automatic logic [31:0] special_mask(input format_t format);
    special_mask = (format <= FormatFp32Leading) ? 32'hffff_ffff : 32'd0;
  endfunction

  // fp32 to bf16 in the high half, nearest even. A NaN stays NaN, a large value becomes Inf, a
  // subnormal does not round up but is zero.
  function automatic logic [31:0] round_fp32(input logic [31:0] x);
    logic [31:0] rounded;
    rounded    = (x + 32'h0000_7fff + ((x >> 16) & 32'd1)) & 32'hffff_0000;
    rounded    = ((x & 32'h7f80_0000) == 32'd0) ? x & 32'h8000_0000 : rounded;
    round_fp32 = ((x & 32'h7fff_ffff) > 32'h7f80_0000) ? 32'h7fc0_0000 : rounded;
  endfunction

  // One operand, `x` as fp32 (a bf16 value in the high half). The significand is the byte of the
  // 24 bits that `shift` (0, 8 or 16) names: value byte * 2^(exponent - shift - 134), not
  // normalised. Subnormals and bytes of 0 are zero.
  function automatic logic [31:0] decode(input logic [31:0] x, input logic [31:0] shift,
                                         input logic [31:0] rounding, input logic [31:0] specials);
    logic [31:0] value, exponent, fraction, significand, special, word;
    word        = round_fp32(x);
    value       = (word & rounding) | (x & ~rounding);
    exponent    = (value >> 23) & 32'h0000_00ff;
    fraction    = value & 32'h007f_ffff;
    significand = (((fraction | 32'h0080_0000) << shift[4:0]) >> 16) & 32'h0000_00ff;
    significand = (exponent == 32'd0) ? 32'd0 : significand;
    word        = ((exponent + FiniteExponent - shift) << 16) | significand;
    word        = (significand == 32'd0) ? (ZeroExponent << 16) : word;
    word        = word | (value & 32'h8000_0000);
    special     = (SpecialExponent << 16) | (value & 32'h8000_0000);
    special     = special | ((fraction == 32'd0) ? 32'h0000_0080 : 32'd0);
    decode      = (exponent == 32'hff) ? (special & specials) : word;
  endfunction

endpackage
