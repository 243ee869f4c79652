// The arithmetic of a vector lane on 32-bit words (rtl/arch/README.md, "vector"): IEEE fp32 rounded to
// nearest even, but that subnormal operands count as zero, a result below 2^-126 before rounding is
// zero, both keeping the sign, and every NaN is 0x7fc00000.
//
// Every local is 32 bits wide, nothing branches and every shift amount is clamped, so that loops
// over lanes vectorise in simulation.
package vpu_float_pkg;

  localparam logic [31:0] CanonicalNan = 32'h7fc0_0000;
  localparam logic [31:0] Infinity     = 32'h7f80_0000;
  localparam logic [31:0] SignBit      = 32'h8000_0000;
  localparam logic [31:0] MinNormal    = 32'h0080_0000;

  // Magnitude bits of a number, subnormals as zero.
  function automatic logic [31:0] flushed(input logic [31:0] a);
    logic [31:0] magnitude;
    magnitude = a & 32'h7fff_ffff;
    flushed   = (magnitude < MinNormal) ? 32'd0 : magnitude;
  endfunction

  // A flushed magnitude's significand with its hidden bit, bit 23.
  function automatic logic [31:0] significand(input logic [31:0] magnitude);
    significand = (magnitude == 32'd0) ? 32'd0 : (magnitude & 32'h007f_ffff) | MinNormal;
  endfunction

  // The larger magnitude minus or plus the smaller one with three more bits, the last of them sticky:
  // enough for one correct rounding, since a difference that loses its leading bits was exact.
  function automatic logic [31:0] add(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] ma, mb, major, minor, major_sign, minor_sign, differ;
    logic [31:0] distance, term, shifted, sum, exact, exponent, magnitude, finite, special;
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
    shifted  = shifted | (((shifted << distance[4:0]) != term) ? 32'd1 : 32'd0);
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
    magnitude = ($signed(exponent) < 1) ? 32'd0 : magnitude;
    magnitude = (magnitude > Infinity) ? Infinity : magnitude;
    finite    = magnitude | major_sign;
    finite    = (exact == 32'd0) ? major_sign & minor_sign : finite;
    special   = (major > Infinity || (minor == Infinity && differ != 32'd0)) ? CanonicalNan
                                                                             : major | major_sign;
    add       = (major >= Infinity) ? special : finite;
  endfunction

  // 24 x 24 bits from 12-bit halves: `high` holds bits 47..24 of the product, `low` the rest.
  function automatic logic [31:0] multiply(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] ma, mb, sa, sb, sign, middle, low, high, exponent, rest, magnitude, special;
    ma   = flushed(a);
    mb   = flushed(b);
    sa   = significand(ma);
    sb   = significand(mb);
    sign = (a ^ b) & SignBit;

    low    = (sa & 32'h0000_0fff) * (sb & 32'h0000_0fff);
    middle = (sa >> 12) * (sb & 32'h0000_0fff) + (sa & 32'h0000_0fff) * (sb >> 12) + (low >> 12);
    high   = (sa >> 12) * (sb >> 12) + (middle >> 12);
    low    = ((middle & 32'h0000_0fff) << 12) | (low & 32'h0000_0fff);

    // The leading bit goes to bit 31; what is below bit 8 rounds.
    exponent = (ma >> 23) + (mb >> 23) - 32'd126;
    rest     = (high << 8) | (low >> 16) | (((low & 32'h0000_ffff) != 32'd0) ? 32'd1 : 32'd0);
    exponent = rest[31] ? exponent : exponent - 32'd1;
    rest     = rest[31] ? rest : rest << 1;

    magnitude = (((rest >> 8) & 32'd1) + 32'd127 + (rest & 32'h0000_00ff)) >> 8;
    magnitude = ((exponent - 32'd1) << 23) + (rest >> 8) + magnitude;
    magnitude = ($signed(exponent) > 254 || magnitude > Infinity) ? Infinity : magnitude;
    magnitude = ($signed(exponent) < 1 || ma == 32'd0 || mb == 32'd0) ? 32'd0 : magnitude;
    special   = (ma > Infinity || mb > Infinity || ma == 32'd0 || mb == 32'd0) ? CanonicalNan
                                                                               : Infinity | sign;
    multiply  = (ma >= Infinity || mb >= Infinity) ? special : magnitude | sign;
  endfunction

  function automatic logic [31:0] is_nan(input logic [31:0] a);
    is_nan = {31'd0, (a & 32'h7fff_ffff) > Infinity};
  endfunction

  // The larger one with invert = 0, the smaller one with all ones: numbers as ordered integers.
  function automatic logic [31:0] choose(input logic [31:0] a, input logic [31:0] b,
                                         input logic [31:0] invert);
    logic [31:0] ka, kb, chosen, nan;
    ka     = a ^ ({32{a[31]}} & 32'h7fff_ffff) ^ invert;
    kb     = b ^ ({32{b[31]}} & 32'h7fff_ffff) ^ invert;
    chosen = ($signed(ka) >= $signed(kb)) ? a : b;
    nan    = is_nan(a) | is_nan(b);
    choose = (nan != 32'd0) ? CanonicalNan : chosen;
  endfunction

  function automatic logic [31:0] round_even(input logic [31:0] a);
    logic [31:0] magnitude, fraction_bits, mask, rounded;
    magnitude     = flushed(a);
    fraction_bits = 32'd150 - (magnitude >> 23);  // below the binary point, where 1..23
    mask          = ~(32'hffff_ffff << fraction_bits[4:0]);
    rounded       = (magnitude + (mask >> 1) + ((magnitude >> fraction_bits[4:0]) & 32'd1)) & ~mask;
    rounded       = ($signed(fraction_bits) < 1) ? magnitude : rounded;
    rounded       = (magnitude < 32'h3f80_0000) ? ((magnitude > 32'h3f00_0000) ? 32'h3f80_0000 : 32'd0)
                                                : rounded;
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
    distance   = 32'd158 - (magnitude >> 23);
    distance   = ($signed(distance) > 31) ? 32'd31 : distance;
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

  // s32 times an fp32 scale, rounded to an s8 value with saturation.
  function automatic logic [31:0] requantize(input logic [31:0] a, input logic [31:0] scale);
    logic [31:0] value;
    value      = s32_to_f32(a);
    value      = multiply(value, scale);
    value      = round_even(value);
    value      = f32_to_s32(value);
    value      = ($signed(value) > 127) ? 32'd127 : value;
    requantize = ($signed(value) < -128) ? 32'hffff_ff80 : value;
  endfunction

endpackage
