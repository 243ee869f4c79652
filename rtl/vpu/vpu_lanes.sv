// The lanes of the vector unit: operand registers, one step per cycle on all lanes, output conversion.
//
//   rows --load--> x_l, y_l, z_l --step 0..--> x_e --convert--> row_o
//
// The three enables may be given in one cycle and then mean three consecutive rows; vpu_execute gives
// them. Each is a task over lanes that runs only under its enable. The registers between them are
// private and blocking, worked on from the output backwards, so that each stage reads what its
// neighbour held before the edge.
module vpu_lanes #(
  parameter  int Lanes    = 16,
  localparam int RowWidth = Lanes * 32
) (
  input  logic                 clk_i,

  // A row's operands enter; rows of the buffer are packed as their type says.
  input  logic                 load_i,
  input  logic [1:0]           x_source_i,
  input  logic [1:0]           x_type_i,
  input  logic [1:0]           y_type_i,
  input  logic [1:0]           z_type_i,
  input  logic                 y_used_i,
  input  logic                 z_used_i,
  input  logic                 y_splat_i,
  input  logic                 z_splat_i,
  input  logic [RowWidth-1:0]  x_row_i,
  input  logic [RowWidth-1:0]  x_drain_i,
  input  logic [RowWidth-1:0]  y_row_i,
  input  logic [RowWidth-1:0]  z_row_i,

  input  logic                 step_i,
  input  logic                 step_first_i,  // works on the loaded row, else on the last result
  input  logic                 step_pass_i,   // the row has no steps
  input  logic [7:0]           op_i,
  input  logic [3:0]           operand_i,
  input  logic [127:0]         immediates_i,

  // Lanes from `convert_count_i` on leave as zero.
  input  logic                 convert_i,
  input  logic [1:0]           out_type_i,
  input  logic [8:0]           convert_count_i,
  output logic [RowWidth-1:0]  row_o
);

  localparam logic [1:0] TypeBf16 = 2'(isa_pkg::LaneTypeBf16);
  localparam logic [1:0] TypeS8   = 2'(isa_pkg::LaneTypeS8);
  localparam logic [31:0] SignBit = 32'h8000_0000;

  logic [RowWidth-1:0] x_l;
  logic [RowWidth-1:0] y_l;
  logic [RowWidth-1:0] z_l;
  logic [RowWidth-1:0] x_e;

  // Spreads a packed row, or its element 0, over 32-bit lanes. Elements are taken from whole words.
  task automatic unpack(input logic [RowWidth-1:0] row, input logic [1:0] lane_type,
                        input logic splat, output logic [RowWidth-1:0] lanes);
    logic [31:0] word;
    logic [31:0] lane;
    lanes = row;
    if (lane_type == TypeBf16) begin
      for (int unsigned w = 0; w < Lanes / 2; w++) begin
        word = row[w*32 +: 32];
        lanes[(2*w)*32 +: 32]     = word << 16;
        lanes[(2*w + 1)*32 +: 32] = word & 32'hffff_0000;
      end
    end else if (lane_type == TypeS8) begin
      for (int unsigned w = 0; w < Lanes / 4; w++) begin
        word = row[w*32 +: 32];
        lane = $signed(word << 24) >>> 24;
        lanes[(4*w)*32 +: 32]     = lane;
        lane = $signed(word << 16) >>> 24;
        lanes[(4*w + 1)*32 +: 32] = lane;
        lane = $signed(word << 8) >>> 24;
        lanes[(4*w + 2)*32 +: 32] = lane;
        lane = $signed(word) >>> 24;
        lanes[(4*w + 3)*32 +: 32] = lane;
      end
    end
    if (splat) begin
      lane = lanes[31:0];
      for (int unsigned i = 0; i < Lanes; i++) lanes[i*32 +: 32] = lane;
    end
  endtask

  task automatic convert();
    logic [RowWidth-1:0] lanes;
    logic [RowWidth-1:0] row;
    logic [31:0]         low;
    logic [31:0]         high;
    logic [31:0]         word;
    lanes = x_e;
    for (int unsigned i = 0; i < Lanes; i++) begin
      lanes[i*32 +: 32] = (i < 32'(convert_count_i)) ? lanes[i*32 +: 32] : 32'd0;
    end
    row = lanes;
    if (out_type_i == TypeBf16) begin
      row = '0;
      for (int unsigned w = 0; w < Lanes / 2; w++) begin
        low  = vpu_float_pkg::round_bf16(lanes[(2*w)*32 +: 32]);
        high = vpu_float_pkg::round_bf16(lanes[(2*w + 1)*32 +: 32]);
        word = high | (low >> 16);
        row[w*32 +: 32] = word;
      end
    end else if (out_type_i == TypeS8) begin
      row = '0;
      for (int unsigned w = 0; w < Lanes / 4; w++) begin
        word = lanes[(4*w)*32 +: 32] & 32'h0000_00ff;
        word = word | (lanes[(4*w + 1)*32 +: 32] & 32'h0000_00ff) << 8;
        word = word | (lanes[(4*w + 2)*32 +: 32] & 32'h0000_00ff) << 16;
        word = word | lanes[(4*w + 3)*32 +: 32] << 24;
        row[w*32 +: 32] = word;
      end
    end
    row_o <= row;
  endtask

  // r <- op(a, b). Subtraction is addition of an operand with the other sign (f32) or of the
  // complement and one (s32), so that every lane has one adder of each kind.
  task automatic apply(input logic [RowWidth-1:0] a, input logic [RowWidth-1:0] b,
                       output logic [RowWidth-1:0] r);
    logic [31:0] value;
    logic [31:0] flip_a;
    logic [31:0] flip_b;
    flip_a = 32'd0;
    flip_b = 32'd0;
    r = '0;
    unique case (op_i)
      isa_pkg::VectorOpAddF32, isa_pkg::VectorOpSubtractF32,
      isa_pkg::VectorOpReverseSubtractF32: begin
        if (op_i == isa_pkg::VectorOpSubtractF32) flip_b = SignBit;
        if (op_i == isa_pkg::VectorOpReverseSubtractF32) flip_a = SignBit;
        for (int unsigned i = 0; i < Lanes; i++) begin
          value = vpu_float_pkg::add(a[i*32 +: 32] ^ flip_a, b[i*32 +: 32] ^ flip_b);
          r[i*32 +: 32] = value;
        end
      end
      isa_pkg::VectorOpMultiplyF32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value = vpu_float_pkg::multiply(a[i*32 +: 32], b[i*32 +: 32]);
          r[i*32 +: 32] = value;
        end
      isa_pkg::VectorOpMaximumF32, isa_pkg::VectorOpMinimumF32: begin
        if (op_i == isa_pkg::VectorOpMinimumF32) flip_a = 32'hffff_ffff;
        for (int unsigned i = 0; i < Lanes; i++) begin
          value = vpu_float_pkg::choose(a[i*32 +: 32], b[i*32 +: 32], flip_a);
          r[i*32 +: 32] = value;
        end
      end
      isa_pkg::VectorOpRoundEvenF32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value = vpu_float_pkg::round_even(a[i*32 +: 32]);
          r[i*32 +: 32] = value;
        end
      isa_pkg::VectorOpAddS32, isa_pkg::VectorOpSubtractS32,
      isa_pkg::VectorOpReverseSubtractS32: begin
        if (op_i == isa_pkg::VectorOpSubtractS32) flip_b = 32'hffff_ffff;
        if (op_i == isa_pkg::VectorOpReverseSubtractS32) flip_a = 32'hffff_ffff;
        for (int unsigned i = 0; i < Lanes; i++) begin
          value = (a[i*32 +: 32] ^ flip_a) + (b[i*32 +: 32] ^ flip_b) + ((flip_a | flip_b) >> 31);
          r[i*32 +: 32] = value;
        end
      end
      isa_pkg::VectorOpMultiplyS32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value = a[i*32 +: 32] * b[i*32 +: 32];
          r[i*32 +: 32] = value;
        end
      isa_pkg::VectorOpMaximumS32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value = ($signed(a[i*32 +: 32]) < $signed(b[i*32 +: 32])) ? b[i*32 +: 32]
                                                                   : a[i*32 +: 32];
          r[i*32 +: 32] = value;
        end
      isa_pkg::VectorOpMinimumS32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value = ($signed(b[i*32 +: 32]) < $signed(a[i*32 +: 32])) ? b[i*32 +: 32]
                                                                   : a[i*32 +: 32];
          r[i*32 +: 32] = value;
        end
      isa_pkg::VectorOpS32ToF32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value = vpu_float_pkg::s32_to_f32(a[i*32 +: 32]);
          r[i*32 +: 32] = value;
        end
      isa_pkg::VectorOpF32ToS32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value = vpu_float_pkg::f32_to_s32(a[i*32 +: 32]);
          r[i*32 +: 32] = value;
        end
      isa_pkg::VectorOpRoundBf16:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value = vpu_float_pkg::round_bf16(a[i*32 +: 32]);
          r[i*32 +: 32] = value;
        end
      isa_pkg::VectorOpRequantize:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value = vpu_float_pkg::requantize(a[i*32 +: 32], b[i*32 +: 32]);
          r[i*32 +: 32] = value;
        end
      default: r = b;  // copy
    endcase
  endtask

  /* verilator lint_off BLKSEQ */  // the registers between the stages, see above
  task automatic step();
    logic [RowWidth-1:0] a;
    logic [RowWidth-1:0] b;
    logic [RowWidth-1:0] result;
    logic [31:0]         value;
    a = step_first_i ? x_l : x_e;
    if (step_pass_i) begin
      x_e = a;
    end else begin
      b = '0;
      if (operand_i == 4'(isa_pkg::VectorOperandY)) begin
        b = y_l;
      end else if (operand_i == 4'(isa_pkg::VectorOperandZ)) begin
        b = z_l;
      end else if (operand_i != 4'(isa_pkg::VectorOperandNone)) begin
        value = immediates_i[{operand_i[1:0], 5'd0} +: 32];
        for (int unsigned i = 0; i < Lanes; i++) b[i*32 +: 32] = value;
      end
      apply(a, b, result);
      x_e = result;
    end
  endtask

  // An operand that is not used reads as zero.
  task automatic load();
    if (x_source_i == 2'(isa_pkg::XSourceBuffer)) unpack(x_row_i, x_type_i, 1'b0, x_l);
    else if (x_source_i == 2'(isa_pkg::XSourceAccumulator)) x_l = x_drain_i;
    else x_l = '0;
    y_l = '0;
    z_l = '0;
    if (y_used_i) unpack(y_row_i, y_type_i, y_splat_i, y_l);
    if (z_used_i) unpack(z_row_i, z_type_i, z_splat_i, z_l);
  endtask

  always_ff @(posedge clk_i) begin
    if (convert_i) convert();
    if (step_i) step();
    if (load_i) load();
  end
  /* verilator lint_on BLKSEQ */

endmodule
