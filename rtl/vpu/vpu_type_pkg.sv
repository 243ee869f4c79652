// Element types of streams: their sizes, and conversions between elements and 32-bit lanes.
//
// As in vpu_float_pkg every local is 32 bits wide, nothing branches and every shift amount is
// clamped, so that loops over lanes vectorise in simulation.
package vpu_type_pkg;

  // log2 of an element's bytes.
  function automatic logic [1:0] size_log2(input logic [3:0] lane_type);
    case ({4'd0, lane_type})
      isa_pkg::LaneTypeS8, isa_pkg::LaneTypeU8: size_log2 = 2'd0;
      isa_pkg::LaneTypeBf16, isa_pkg::LaneTypeF16, isa_pkg::LaneTypeS16, isa_pkg::LaneTypeU16:
        size_log2 = 2'd1;
      default: size_log2 = 2'd2;
    endcase
  endfunction

  // An f16 in the upper half of a word to f32, exactly. A subnormal is m * 2^-24: its leading bit
  // is shifted to the place of f32's hidden bit. verilator lint_off UNUSEDSIGNAL
  function automatic logic [31:0] widen_f16(input logic [31:0] element);
    logic [31:0] magnitude, normal, count, exponent;
    magnitude = (element >> 16) & 32'h0000_7fff;
    normal    = (magnitude << 13) + 32'h3800_0000;
    count     = (magnitude << 13) & 32'h00ff_ffff;
    exponent  = 32'd112;
    exponent  = (count < 32'h0001_0000) ? exponent - 32'd8 : exponent;
    count     = (count < 32'h0001_0000) ? count << 8 : count;
    exponent  = (count < 32'h0010_0000) ? exponent - 32'd4 : exponent;
    count     = (count < 32'h0010_0000) ? count << 4 : count;
    exponent  = (count < 32'h0040_0000) ? exponent - 32'd2 : exponent;
    count     = (count < 32'h0040_0000) ? count << 2 : count;
    exponent  = (count < 32'h0080_0000) ? exponent - 32'd1 : exponent;
    count     = (count < 32'h0080_0000) ? count << 1 : count;
    count     = (exponent << 23) + count;
    normal    = (magnitude < 32'h0000_0400) ? count : normal;
    normal    = (magnitude == 32'd0) ? 32'd0 : normal;
    normal    = (magnitude == 32'h0000_7c00) ? 32'h7f80_0000 : normal;
    normal    = normal | (element & 32'h8000_0000);
    widen_f16 = (magnitude > 32'h0000_7c00) ? 32'h7fc0_0000 : normal;
  endfunction

  // f32 to bf16 in the lower half, nearest even, subnormals kept, NaN canonical.
  function automatic logic [31:0] narrow_bf16(input logic [31:0] lane);
    logic [31:0] rounded;
    rounded     = (lane + 32'h0000_7fff + ((lane >> 16) & 32'd1)) >> 16;
    narrow_bf16 = ((lane & 32'h7fff_ffff) > 32'h7f80_0000) ? 32'h0000_7fc0 : rounded;
  endfunction

  // f32 to f16 in the lower half, nearest even. Below 2^-14 the significand is shifted to units of
  // 2^-24; a carry out of either rounding is the next exponent, as it should be.
  function automatic logic [31:0] narrow_f16(input logic [31:0] lane);
    logic [31:0] magnitude, normal, distance, significand, half, subnormal, sign;
    magnitude   = lane & 32'h7fff_ffff;
    sign        = (lane >> 16) & 32'h0000_8000;
    normal      = (magnitude - 32'h3800_0000 + 32'h0000_0fff + ((magnitude >> 13) & 32'd1)) >> 13;
    normal      = (magnitude >= 32'h4780_0000) ? 32'h0000_7c00 : normal;
    distance    = 32'd126 - (magnitude >> 23);
    distance    = (distance > 32'd31) ? 32'd31 : distance;
    significand = (magnitude & 32'h007f_ffff) | 32'h0080_0000;
    half        = (32'd1 << distance[4:0]) >> 1;
    subnormal   = (significand >> distance[4:0]) & 32'd1;
    subnormal   = (significand + half - 32'd1 + subnormal) >> distance[4:0];
    normal      = (magnitude < 32'h3880_0000) ? subnormal : normal;
    normal      = normal | sign;
    narrow_f16  = (magnitude > 32'h7f80_0000) ? 32'h0000_7e00 : normal;
  endfunction
  // verilator lint_on UNUSEDSIGNAL

endpackage
