// Integer operations of a vector lane, in the style of vpu_float_pkg: products from 16-bit halves,
// order by unsigned comparison.
package vpu_integer_pkg;

  localparam logic [31:0] SignBit = 32'h8000_0000;

  // verilator lint_off UNUSEDSIGNAL

  // The number that is larger after both are inverted where `invert` says: the maximum of unsigned
  // numbers with 0, of signed ones with the sign bit, the minimum with the other bits set.
  function automatic logic [31:0] choose(input logic [31:0] a, input logic [31:0] b,
                                         input logic [31:0] invert);
    logic [31:0] ra, rb;
    ra     = a ^ invert;
    rb     = b ^ invert;
    choose = (ra >= rb) ? a : b;
  endfunction

  function automatic logic [31:0] is_equal(input logic [31:0] a, input logic [31:0] b);
    is_equal = 32'd0 - {31'd0, a == b};
  endfunction

  // All ones if a < b; `offset` is the sign bit for signed numbers, else 0.
  function automatic logic [31:0] is_less(input logic [31:0] a, input logic [31:0] b,
                                          input logic [31:0] offset);
    logic [31:0] ra, rb, holds;
    ra      = a ^ offset;
    rb      = b ^ offset;
    holds   = {31'd0, ra < rb};
    is_less = 32'd0 - holds;
  endfunction

  function automatic logic [31:0] multiply_high_u32(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] al, ah, bl, bh, mixed, middle;
    al     = a & 32'h0000_ffff;
    ah     = a >> 16;
    bl     = b & 32'h0000_ffff;
    bh     = b >> 16;
    mixed  = ah * bl + ((al * bl) >> 16);
    middle = al * bh + (mixed & 32'h0000_ffff);
    multiply_high_u32 = ah * bh + (mixed >> 16) + (middle >> 16);
  endfunction

  function automatic logic [31:0] multiply_high_s32(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] product;
    product           = multiply_high_u32(a, b);
    multiply_high_s32 = product - (b & (32'd0 - (a >> 31))) - (a & (32'd0 - (b >> 31)));
  endfunction

  // Shifts by an unsigned amount; from 32 on nothing of `a` is left.
  function automatic logic [31:0] shift_left(input logic [31:0] a, input logic [31:0] amount);
    logic [31:0] shifted;
    shifted    = a << amount[4:0];
    shift_left = (amount > 32'd31) ? 32'd0 : shifted;
  endfunction

  function automatic logic [31:0] shift_right(input logic [31:0] a, input logic [31:0] amount);
    logic [31:0] shifted;
    shifted     = a >> amount[4:0];
    shift_right = (amount > 32'd31) ? 32'd0 : shifted;
  endfunction

  function automatic logic [31:0] shift_right_signed(input logic [31:0] a,
                                                     input logic [31:0] amount);
    logic [31:0] signs, count, shifted;
    signs              = 32'd0 - (a >> 31);
    count              = (amount > 32'd31) ? 32'd31 : amount;
    shifted            = (a ^ signs) >> count[4:0];
    shift_right_signed = shifted ^ signs;
  endfunction

  function automatic logic [31:0] rotate_left(input logic [31:0] a, input logic [31:0] amount);
    logic [31:0] left, right;
    left        = amount & 32'd31;
    right       = (32'd0 - amount) & 32'd31;
    rotate_left = (a << left[4:0]) | (a >> right[4:0]);
  endfunction

  function automatic logic [31:0] population_count(input logic [31:0] a);
    logic [31:0] count;
    count            = a - ((a >> 1) & 32'h5555_5555);
    count            = (count & 32'h3333_3333) + ((count >> 2) & 32'h3333_3333);
    count            = (count + (count >> 4)) & 32'h0f0f_0f0f;
    population_count = (count * 32'h0101_0101) >> 24;
  endfunction

  // Ones spread from the leading one downwards; the rest is zeros.
  function automatic logic [31:0] count_leading_zeros(input logic [31:0] a);
    logic [31:0] spread;
    spread              = a | (a >> 1);
    spread              = spread | (spread >> 2);
    spread              = spread | (spread >> 4);
    spread              = spread | (spread >> 8);
    spread              = spread | (spread >> 16);
    count_leading_zeros = population_count(~spread);
  endfunction

  // An exponent from -31 to 30.
  function automatic logic [31:0] requantize_shift(input logic [31:0] z);
    logic [31:0] moved;
    moved            = z ^ SignBit;
    moved            = (moved > 32'h8000_001e) ? 32'h8000_001e : moved;
    moved            = (moved < 32'h7fff_ffe1) ? 32'h7fff_ffe1 : moved;
    requantize_shift = moved ^ SignBit;
  endfunction

  // The high word of 2 * a * m, rounded half up; then shifted right, rounded half away from zero.
  // Half up is what truncation after the contract's nudge of either sign gives.
  function automatic logic [31:0] requantize_double(input logic [31:0] x, input logic [31:0] m,
                                                    input logic [31:0] z);
    logic [31:0] shift, left, right, a, low, high, mask, rest, limit, floored;
    shift   = requantize_shift(z);
    left    = shift & ~(32'd0 - (shift >> 31));
    right   = (32'd0 - shift) & (32'd0 - (shift >> 31));
    a       = x << left[4:0];
    low     = a * m;
    high    = multiply_high_s32(a, m);
    low     = low + 32'h4000_0000;
    high    = high + {31'd0, low < 32'h4000_0000};
    high    = (high << 1) | (low >> 31);
    low     = {31'd0, a == SignBit} & {31'd0, m == SignBit};
    high    = high - low;  // 2^31 becomes 2^31 - 1
    mask    = ~(32'hffff_ffff << right[4:0]);
    rest    = high & mask;
    limit   = (mask >> 1) + (high >> 31);
    floored = shift_right_signed(high, right);
    requantize_double = floored + {31'd0, rest > limit};
  endfunction

  // The 64-bit product rounded half up at bit 31 - shift, saturated.
  function automatic logic [31:0] requantize_single(input logic [31:0] x, input logic [31:0] m,
                                                    input logic [31:0] z);
    logic [31:0] right, point, half, low, high, far, count, reverse, back, signs, fits, limit;
    right = requantize_shift(z);
    right = 32'd31 - right;  // 1..62
    low   = x * m;
    high  = multiply_high_s32(x, m);

    point = (right - 32'd1) & 32'd31;
    half  = 32'd1 << point[4:0];
    far   = vpu_float_pkg::less(32'd32, right);  // the half is in the high word
    low   = low + (half & ~far);
    high  = high + (half & far) + {31'd0, low < (half & ~far)};

    far     = vpu_float_pkg::less(32'd31, right);
    signs   = 32'd0 - (high >> 31);
    low     = (high & far) | (low & ~far);
    high    = (signs & far) | (high & ~far);
    count   = right & 32'd31;
    reverse = 32'd31 - count;
    back    = high << 1;
    low     = (low >> count[4:0]) | (back << reverse[4:0]);
    high    = shift_right_signed(high, count);
    limit   = 32'h7fff_ffff ^ signs;
    fits    = high ^ (32'd0 - (low >> 31));
    requantize_single = (fits == 32'd0) ? low : limit;
  endfunction

  // verilator lint_on UNUSEDSIGNAL

endpackage
