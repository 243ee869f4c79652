// Floating point of a vector lane on 32-bit words (rtl/arch/README.md, "Arithmetic"): IEEE fp32
// rounded to nearest even, but that subnormal operands count as zero, a result below 2^-126 before
// rounding is zero, both keeping the sign, and every NaN is 0x7fc00000. Sums, products, order.
//
// Every local is 32 bits wide, nothing branches, comparisons are unsigned and every shift amount is
// clamped, so that loops over lanes vectorise in simulation.
package vpu_float_pkg;

  localparam logic [31:0] CanonicalNan = 32'h7fc0_0000;
  localparam logic [31:0] Infinity     = 32'h7f80_0000;
  localparam logic [31:0] SignBit      = 32'h8000_0000;
  localparam logic [31:0] MinNormal    = 32'h0080_0000;

  // Shift amounts are whole words of which five bits count.
  // verilator lint_off UNUSEDSIGNAL

  // All ones if a < b, for numbers below 2^31: arithmetic, where a second comparison of the same
  // values would make the compiler branch.
  function automatic logic [31:0] less(input logic [31:0] a, input logic [31:0] b);
    less = 32'd0 - ((a - b) >> 31);
  endfunction

  // Magnitude bits of a number, subnormals as zero.
  function automatic logic [31:0] flushed(input logic [31:0] a);
    logic [31:0] magnitude;
    magnitude = a & 32'h7fff_ffff;
    flushed   = (magnitude < MinNormal) ? 32'd0 : magnitude;
  endfunction

  // A flushed magnitude's significand with its hidden bit, bit 23.
  function automatic logic [31:0] significand(input logic [31:0] magnitude);
    significand = (magnitude & 32'h007f_ffff) | (less(32'd0, magnitude) & MinNormal);
  endfunction

  // The larger magnitude minus or plus the smaller one with three more bits, the last of them
  // sticky: enough for one correct rounding, since a difference that loses its leading bits was
  // exact.
  function automatic logic [31:0] add(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] ma, mb, major, minor, major_sign, minor_sign, differ;
    logic [31:0] distance, term, shifted, sticky, sum, exact, exponent, magnitude;
    logic [31:0] finite, special, opposite;
    ma         = flushed(a);
    mb         = flushed(b);
    major      = (ma < mb) ? mb : ma;
    minor      = (ma < mb) ? ma : mb;
    major_sign = ((ma < mb) ? b : a) & SignBit;
    minor_sign = ((ma < mb) ? a : b) & SignBit;
    differ     = major_sign ^ minor_sign;

    distance = (major >> 23) - (minor >> 23);
    distance = (distance > 32'd31) ? 32'd31 : distance;
    term     = significand(minor);
    term     = term << 3;
    shifted  = term >> distance[4:0];
    sticky   = shifted | 32'd1;
    shifted  = ((shifted << distance[4:0]) != term) ? sticky : shifted;
    sum      = significand(major);
    sum      = sum << 3;
    sum      = (differ != 32'd0) ? sum - shifted : sum + shifted;
    exact    = sum;

    // The leading bit goes to bit 27, which stands for the exponent of `major` plus one.
    exponent = (major >> 23) + 32'd1;
    exponent = (sum < 32'h0000_1000) ? exponent - 32'd16 : exponent;
    sum      = (sum < 32'h0000_1000) ? sum << 16 : sum;
    exponent = (sum < 32'h0010_0000) ? exponent - 32'd8 : exponent;
    sum      = (sum < 32'h0010_0000) ? sum << 8 : sum;
    exponent = (sum < 32'h0100_0000) ? exponent - 32'd4 : exponent;
    sum      = (sum < 32'h0100_0000) ? sum << 4 : sum;
    exponent = (sum < 32'h0400_0000) ? exponent - 32'd2 : exponent;
    sum      = (sum < 32'h0400_0000) ? sum << 2 : sum;
    exponent = (sum < 32'h0800_0000) ? exponent - 32'd1 : exponent;
    sum      = (sum < 32'h0800_0000) ? sum << 1 : sum;

    magnitude = ((exponent - 32'd1) << 23) + ((sum + 32'd7 + ((sum >> 4) & 32'd1)) >> 4);
    magnitude = (exponent - 32'd1 >= SignBit) ? 32'd0 : magnitude;  // exponent < 1
    magnitude = (magnitude > Infinity) ? Infinity : magnitude;
    finite    = magnitude | major_sign;
    finite    = (exact == 32'd0) ? major_sign & minor_sign : finite;
    special   = major | major_sign;
    opposite  = (differ != 32'd0) ? CanonicalNan : special;
    special   = (minor == Infinity) ? opposite : special;
    special   = (major > Infinity) ? CanonicalNan : special;
    add       = (major >= Infinity) ? special : finite;
  endfunction

  // 24 x 24 bits from 12-bit halves: `high` holds bits 47..24 of the product, `low` the rest.
  function automatic logic [31:0] multiply(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] ma, mb, sa, sb, major, minor, sign, middle, low, high;
    logic [31:0] exponent, rest, other, magnitude, non_zero, normal, special;
    ma    = flushed(a);
    mb    = flushed(b);
    sa    = significand(ma);
    sb    = significand(mb);
    major = (ma < mb) ? mb : ma;
    minor = (ma < mb) ? ma : mb;
    sign  = (a ^ b) & SignBit;

    low    = (sa & 32'h0000_0fff) * (sb & 32'h0000_0fff);
    middle = (sa >> 12) * (sb & 32'h0000_0fff) + (sa & 32'h0000_0fff) * (sb >> 12) + (low >> 12);
    high   = (sa >> 12) * (sb >> 12) + (middle >> 12);
    low    = ((middle & 32'h0000_0fff) << 12) | (low & 32'h0000_0fff);

    // The leading bit goes to bit 31; what is below bit 8 rounds, the last bit is sticky.
    rest     = (high << 8) | (low >> 16);
    other    = rest | 32'd1;
    rest     = ((low & 32'h0000_ffff) != 32'd0) ? other : rest;
    exponent = (ma >> 23) + (mb >> 23) - 32'd127 + (rest >> 31);
    other    = rest << 1;
    rest     = (rest >= SignBit) ? rest : other;

    magnitude = (((rest >> 8) & 32'd1) + 32'd127 + (rest & 32'h0000_00ff)) >> 8;
    magnitude = ((exponent - 32'd1) << 23) + (rest >> 8) + magnitude;
    magnitude = (magnitude > Infinity) ? Infinity : magnitude;
    magnitude = (exponent > 32'd254) ? Infinity : magnitude;
    non_zero  = less(32'd0, minor);
    normal    = ~(32'd0 - ((exponent - 32'd1) >> 31));  // exponent >= 1
    magnitude = (magnitude & non_zero & normal) | sign;
    special   = ((Infinity | sign) & non_zero) | (CanonicalNan & ~non_zero);
    special   = (major > Infinity) ? CanonicalNan : special;
    multiply  = (major >= Infinity) ? special : magnitude;
  endfunction

  function automatic logic [31:0] is_nan(input logic [31:0] a);
    is_nan = {31'd0, (a & 32'h7fff_ffff) > Infinity};
  endfunction

  // The larger one with invert = 0, the smaller one with all ones.
  function automatic logic [31:0] choose(input logic [31:0] a, input logic [31:0] b,
                                         input logic [31:0] invert);
    logic [31:0] ka, kb, chosen, nan;
    ka     = a ^ ({32{a[31]}} & 32'h7fff_ffff) ^ SignBit ^ invert;
    kb     = b ^ ({32{b[31]}} & 32'h7fff_ffff) ^ SignBit ^ invert;
    chosen = (ka >= kb) ? a : b;
    nan    = is_nan(a) | is_nan(b);
    choose = (nan != 32'd0) ? CanonicalNan : chosen;
  endfunction

  // Numbers in the order of unsigned integers, both zeros in one place.
  function automatic logic [31:0] rank(input logic [31:0] a);
    rank = (((a & 32'h7fff_ffff) ^ {32{a[31]}}) + {31'd0, a[31]}) ^ SignBit;
  endfunction

  // Comparisons: all ones if true.
  function automatic logic [31:0] is_equal(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] ra, rb, holds;
    ra       = rank(a);
    rb       = rank(b);
    holds    = {31'd0, ra == rb} & ~(is_nan(a) | is_nan(b));
    is_equal = 32'd0 - holds;
  endfunction

  function automatic logic [31:0] is_less(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] ra, rb, holds;
    ra      = rank(a);
    rb      = rank(b);
    holds   = {31'd0, ra < rb} & ~(is_nan(a) | is_nan(b));
    is_less = 32'd0 - holds;
  endfunction

  function automatic logic [31:0] is_less_equal(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] ra, rb, holds;
    ra            = rank(a);
    rb            = rank(b);
    holds         = {31'd0, ra <= rb} & ~(is_nan(a) | is_nan(b));
    is_less_equal = 32'd0 - holds;
  endfunction

  // verilator lint_on UNUSEDSIGNAL

endpackage
