// The arithmetic of a vector lane on 32-bit words (rtl/arch/README.md, "vector"): IEEE fp32 rounded to
// nearest even, but that subnormal operands count as zero, a result below 2^-126 before rounding is
// zero, both keeping the sign, and every NaN is 0x7fc00000.
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

  // All ones if a < b, for numbers below 2^31: arithmetic, where a second comparison of the same values
  // would make the compiler branch.
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

  // The larger magnitude minus or plus the smaller one with three more bits, the last of them sticky:
  // enough for one correct rounding, since a difference that loses its leading bits was exact.
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

  // Signed integers in the order of unsigned ones; `invert` all ones turns the order around.
  function automatic logic [31:0] rank_s32(input logic [31:0] a, input logic [31:0] invert);
    rank_s32 = a ^ SignBit ^ invert;
  endfunction

  function automatic logic [31:0] choose_s32(input logic [31:0] a, input logic [31:0] b,
                                             input logic [31:0] invert);
    logic [31:0] ra, rb;
    ra         = rank_s32(a, invert);
    rb         = rank_s32(b, invert);
    choose_s32 = (ra >= rb) ? a : b;
  endfunction

  // The larger one with invert = 0, the smaller one with all ones.
  function automatic logic [31:0] choose(input logic [31:0] a, input logic [31:0] b,
                                         input logic [31:0] invert);
    logic [31:0] ka, kb, chosen, nan;
    ka     = rank_s32(a ^ ({32{a[31]}} & 32'h7fff_ffff), invert);
    kb     = rank_s32(b ^ ({32{b[31]}} & 32'h7fff_ffff), invert);
    chosen = (ka >= kb) ? a : b;
    nan    = is_nan(a) | is_nan(b);
    choose = (nan != 32'd0) ? CanonicalNan : chosen;
  endfunction

  function automatic logic [31:0] round_even(input logic [31:0] a);
    logic [31:0] magnitude, fraction_bits, mask, rounded, one, below_one;
    magnitude     = flushed(a);
    fraction_bits = (32'd150 - (magnitude >> 23)) & 32'd31;  // below the binary point, where 1..23
    mask          = ~(32'hffff_ffff << fraction_bits[4:0]);
    rounded       = (magnitude + (mask >> 1) + ((magnitude >> fraction_bits[4:0]) & 32'd1)) & ~mask;
    rounded       = (magnitude >= 32'h4b00_0000) ? magnitude : rounded;
    one           = less(32'h3f00_0000, magnitude) & 32'h3f80_0000;
    below_one     = less(magnitude, 32'h3f80_0000);
    rounded       = (one & below_one) | (rounded & ~below_one);
    round_even    = (magnitude > Infinity) ? CanonicalNan : rounded | (a & SignBit);
  endfunction

  function automatic logic [31:0] s32_to_f32(input logic [31:0] a);
    logic [31:0] count, exponent, magnitude;
    count      = (a ^ {32{a[31]}}) + {31'd0, a[31]};
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
    s32_to_f32 = (a == 32'd0) ? 32'd0 : magnitude | (a & SignBit);
  endfunction

  // Toward zero, saturating; NaN is 0.
  function automatic logic [31:0] f32_to_s32(input logic [31:0] a);
    logic [31:0] magnitude, distance, count;
    magnitude  = flushed(a);
    distance   = (32'd158 - (magnitude >> 23)) & 32'd31;  // right where neither 0 nor saturated
    count      = significand(magnitude);
    count      = (count << 8) >> distance[4:0];
    count      = (magnitude < 32'h3f80_0000) ? 32'd0 : count;
    count      = (count ^ {32{a[31]}}) + {31'd0, a[31]};
    count      = (magnitude >= 32'h4f00_0000) ? 32'h7fff_ffff + {31'd0, a[31]} : count;
    f32_to_s32 = (magnitude > Infinity) ? 32'd0 : count;
  endfunction

  // To bf16 in the upper half, the lower half zero. Subnormals are kept.
  function automatic logic [31:0] round_bf16(input logic [31:0] a);
    logic [31:0] rounded, nan;
    rounded    = (a + 32'h0000_7fff + ((a >> 16) & 32'd1)) & 32'hffff_0000;
    nan        = is_nan(a);
    round_bf16 = (nan != 32'd0) ? CanonicalNan : rounded;
  endfunction

  // A float as an s8 value, toward zero, with saturation; NaN is 0.
  function automatic logic [31:0] f32_to_s8(input logic [31:0] a);
    logic [31:0] value, rank;
    value     = f32_to_s32(a);
    rank      = rank_s32(value, 32'd0);
    value     = (rank > 32'h8000_007f) ? 32'h0000_007f : value;
    f32_to_s8 = (rank < 32'h7fff_ff80) ? 32'hffff_ff80 : value;
  endfunction

  // verilator lint_on UNUSEDSIGNAL

endpackage
