// x * y + z with one rounding, in the style of vpu_float_pkg.
//
// Product and addend stand in one 64-bit window (two words), leading bits at bit 62:
//
//   product   0 pppppppp pppppppp pppppppp pppppppp pppppppp pppppppp 000...     48 bits
//   addend    0 cccccccc cccccccc cccccccc 00000...                              24 bits
//
// The one with the smaller exponent moves right; what leaves the window is sticky. A distance that
// loses bits (above 15) leaves at most one leading bit to cancel, so the sticky bit only rounds.
package vpu_fma_pkg;

  // Makes sums of biased exponents positive; zeros have exponent 0, below all others.
  localparam logic [31:0] Offset = 32'd384;

  // verilator lint_off UNUSEDSIGNAL

  function automatic logic [31:0] multiply_add(input logic [31:0] a, input logic [31:0] b,
                                               input logic [31:0] c);
    logic [31:0] ma, mb, mc, sa, sb, factor, other, sign_p, sign_c, differ;
    logic [31:0] low, middle, high, p_hi, p_lo, c_hi, p_exponent, c_exponent, swap;
    logic [31:0] exponent, distance, reverse, back, hi, lo, minor_hi, minor_lo, lost, sign;
    logic [31:0] test, magnitude, normal, special, invalid, infinite;
    ma     = vpu_float_pkg::flushed(a);
    mb     = vpu_float_pkg::flushed(b);
    mc     = vpu_float_pkg::flushed(c);
    sa     = vpu_float_pkg::significand(ma);
    sb     = vpu_float_pkg::significand(mb);
    factor = (ma < mb) ? mb : ma;
    other  = (ma < mb) ? ma : mb;
    sign_p = (a ^ b) & vpu_float_pkg::SignBit;
    sign_c = c & vpu_float_pkg::SignBit;
    differ = 32'd0 - ((sign_p ^ sign_c) >> 31);

    low    = (sa & 32'h0000_0fff) * (sb & 32'h0000_0fff);
    middle = (sa >> 12) * (sb & 32'h0000_0fff) + (sa & 32'h0000_0fff) * (sb >> 12) + (low >> 12);
    high   = (sa >> 12) * (sb >> 12) + (middle >> 12);
    low    = ((middle & 32'h0000_0fff) << 12) | (low & 32'h0000_0fff);
    p_hi   = (high << 7) | (low >> 17);
    p_lo   = low << 15;
    c_hi   = vpu_float_pkg::significand(mc);
    c_hi   = c_hi << 7;

    p_exponent = (ma >> 23) + (mb >> 23) - 32'd126 + Offset;
    p_exponent = p_exponent & vpu_float_pkg::less(32'd0, other);
    c_exponent = (mc >> 23) + Offset;
    c_exponent = c_exponent & vpu_float_pkg::less(32'd0, mc);
    swap       = vpu_float_pkg::less(p_exponent, c_exponent);
    distance   = ((p_exponent - c_exponent) ^ swap) - swap;
    distance   = (distance > 32'd63) ? 32'd63 : distance;
    exponent   = (c_exponent & swap) | (p_exponent & ~swap);
    hi         = (c_hi & swap) | (p_hi & ~swap);
    lo         = p_lo & ~swap;
    minor_hi   = (p_hi & swap) | (c_hi & ~swap);
    minor_lo   = p_lo & swap;

    swap     = vpu_float_pkg::less(32'd31, distance);  // a whole word
    lost     = minor_lo & swap;
    minor_lo = (minor_hi & swap) | (minor_lo & ~swap);
    minor_hi = minor_hi & ~swap;
    distance = distance & 32'd31;
    reverse  = 32'd31 - distance;
    back     = minor_lo << 1;
    lost     = lost | (back << reverse[4:0]);
    back     = minor_hi << 1;
    minor_lo = (minor_lo >> distance[4:0]) | (back << reverse[4:0]);
    minor_hi = minor_hi >> distance[4:0];
    minor_lo = minor_lo | {31'd0, lost != 32'd0};

    // hi, lo <- magnitude of the sum.
    minor_hi = (minor_hi ^ differ) + ({31'd0, minor_lo == 32'd0} & differ);
    minor_lo = (minor_lo ^ differ) - differ;
    lo       = lo + minor_lo;
    hi       = hi + minor_hi + {31'd0, lo < minor_lo};
    swap     = (32'd0 - (hi >> 31)) & differ;
    hi       = (hi ^ swap) + ({31'd0, lo == 32'd0} & swap);
    lo       = (lo ^ swap) - swap;
    sign     = (p_exponent < c_exponent) ? sign_c : sign_p;
    sign     = sign ^ (swap & vpu_float_pkg::SignBit);

    // The leading bit goes to bit 31 of `hi`; what is below bit 8 rounds.
    test     = 32'd0 - {31'd0, hi == 32'd0};
    hi       = hi | (lo & test);
    lo       = lo & ~test;
    exponent = exponent - (test & 32'd32);
    test     = 32'd0 - {31'd0, hi < 32'h0001_0000};
    hi       = (hi << (test & 32'd16)) | ((lo >> 16) & test);
    lo       = lo << (test & 32'd16);
    exponent = exponent - (test & 32'd16);
    test     = 32'd0 - {31'd0, hi < 32'h0100_0000};
    hi       = (hi << (test & 32'd8)) | ((lo >> 24) & test);
    lo       = lo << (test & 32'd8);
    exponent = exponent - (test & 32'd8);
    test     = 32'd0 - {31'd0, hi < 32'h1000_0000};
    hi       = (hi << (test & 32'd4)) | ((lo >> 28) & test);
    lo       = lo << (test & 32'd4);
    exponent = exponent - (test & 32'd4);
    test     = 32'd0 - {31'd0, hi < 32'h4000_0000};
    hi       = (hi << (test & 32'd2)) | ((lo >> 30) & test);
    lo       = lo << (test & 32'd2);
    exponent = exponent - (test & 32'd2);
    test     = 32'd0 - {31'd0, hi < 32'h8000_0000};
    hi       = (hi << (test & 32'd1)) | ((lo >> 31) & test);
    lo       = lo << (test & 32'd1);
    exponent = exponent - (test & 32'd1) + 32'd1 - Offset;
    hi       = hi | {31'd0, lo != 32'd0};

    magnitude = (((hi >> 8) & 32'd1) + 32'd127 + (hi & 32'h0000_00ff)) >> 8;
    magnitude = ((exponent - 32'd1) << 23) + (hi >> 8) + magnitude;
    magnitude = (magnitude > vpu_float_pkg::Infinity) ? vpu_float_pkg::Infinity : magnitude;
    magnitude = (exponent > 32'd254) ? vpu_float_pkg::Infinity : magnitude;
    normal    = ~(32'd0 - ((exponent - 32'd1) >> 31));  // exponent >= 1
    magnitude = (magnitude & normal) | sign;
    magnitude = (hi == 32'd0) ? sign_p & sign_c : magnitude;

    infinite = vpu_float_pkg::less(vpu_float_pkg::Infinity - 32'd1, factor);  // the product is
    special  = (vpu_float_pkg::Infinity | (sign_p & infinite) | (sign_c & ~infinite));
    invalid  = infinite & vpu_float_pkg::less(other, 32'd1);
    invalid  = invalid | vpu_float_pkg::less(vpu_float_pkg::Infinity, factor);
    invalid  = invalid | vpu_float_pkg::less(vpu_float_pkg::Infinity, mc);
    test     = vpu_float_pkg::less(vpu_float_pkg::Infinity - 32'd1, mc);
    invalid  = invalid | (infinite & test & differ);
    special  = (special & ~invalid) | (vpu_float_pkg::CanonicalNan & invalid);
    infinite = infinite | test;
    multiply_add = (special & infinite) | (magnitude & ~infinite);
  endfunction

  // verilator lint_on UNUSEDSIGNAL

endpackage
