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

  // One word per lane: operands, the row at work, the second operand of its step.
  logic [31:0] x_l [0:Lanes-1];
  logic [31:0] y_l [0:Lanes-1];
  logic [31:0] z_l [0:Lanes-1];
  logic [31:0] x_e [0:Lanes-1];
  logic [31:0] b   [0:Lanes-1];
  logic [31:0] unpacked [0:Lanes-1];

  /* verilator lint_off BLKSEQ */  // private registers between the stages, see above

  // Spreads a packed row, or its element 0, over 32-bit lanes. Elements are taken from whole words.
  task automatic unpack(input logic [RowWidth-1:0] row, input logic [1:0] lane_type,
                        input logic splat);
    logic [31:0] word;
    if (lane_type == TypeBf16) begin
      for (int unsigned w = 0; w < Lanes / 2; w++) begin
        word = row[w*32 +: 32];
        unpacked[2*w]     = word << 16;
        unpacked[2*w + 1] = word & 32'hffff_0000;
      end
    end else if (lane_type == TypeS8) begin
      for (int unsigned w = 0; w < Lanes / 4; w++) begin
        word = row[w*32 +: 32] ^ 32'h8080_8080;  // 128 more, which makes all of them positive
        unpacked[4*w]     = (word & 32'h0000_00ff) - 32'd128;
        unpacked[4*w + 1] = ((word >> 8) & 32'h0000_00ff) - 32'd128;
        unpacked[4*w + 2] = ((word >> 16) & 32'h0000_00ff) - 32'd128;
        unpacked[4*w + 3] = (word >> 24) - 32'd128;
      end
    end else begin
      for (int unsigned i = 0; i < Lanes; i++) unpacked[i] = row[i*32 +: 32];
    end
    if (splat) begin
      word = unpacked[0];
      for (int unsigned i = 0; i < Lanes; i++) unpacked[i] = word;
    end
  endtask

  // An operand that is not used reads as zero.
  task automatic load();
    if (x_source_i == 2'(isa_pkg::XSourceBuffer)) begin
      unpack(x_row_i, x_type_i, 1'b0);
      for (int unsigned i = 0; i < Lanes; i++) x_l[i] = unpacked[i];
    end else if (x_source_i == 2'(isa_pkg::XSourceAccumulator)) begin
      for (int unsigned i = 0; i < Lanes; i++) x_l[i] = x_drain_i[i*32 +: 32];
    end else begin
      for (int unsigned i = 0; i < Lanes; i++) x_l[i] = 32'd0;
    end
    if (y_used_i) begin
      unpack(y_row_i, y_type_i, y_splat_i);
      for (int unsigned i = 0; i < Lanes; i++) y_l[i] = unpacked[i];
    end else begin
      for (int unsigned i = 0; i < Lanes; i++) y_l[i] = 32'd0;
    end
    if (z_used_i) begin
      unpack(z_row_i, z_type_i, z_splat_i);
      for (int unsigned i = 0; i < Lanes; i++) z_l[i] = unpacked[i];
    end else begin
      for (int unsigned i = 0; i < Lanes; i++) z_l[i] = 32'd0;
    end
  endtask

  // x_e <- op(x_e, b). Subtraction is addition of an operand with the other sign (f32) or of the
  // complement and one (s32), and minimum the maximum in the other order, so that every lane has
  // one adder and one comparator of each kind.
  task automatic apply();
    logic [31:0] value;
    logic [31:0] flip_x;
    logic [31:0] flip_b;
    flip_x = 32'd0;
    flip_b = 32'd0;
    unique case (op_i)
      isa_pkg::VectorOpSubtractF32:        flip_b = SignBit;
      isa_pkg::VectorOpReverseSubtractF32: flip_x = SignBit;
      isa_pkg::VectorOpSubtractS32:        flip_b = 32'hffff_ffff;
      isa_pkg::VectorOpReverseSubtractS32: flip_x = 32'hffff_ffff;
      isa_pkg::VectorOpMinimumF32:         flip_x = 32'hffff_ffff;
      isa_pkg::VectorOpMinimumS32:         flip_x = 32'hffff_ffff;
      default: ;
    endcase
    unique case (op_i)
      isa_pkg::VectorOpAddF32, isa_pkg::VectorOpSubtractF32,
      isa_pkg::VectorOpReverseSubtractF32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = vpu_float_pkg::add(x_e[i] ^ flip_x, b[i] ^ flip_b);
          x_e[i] = value;
        end
      isa_pkg::VectorOpMultiplyF32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = vpu_float_pkg::multiply(x_e[i], b[i]);
          x_e[i] = value;
        end
      isa_pkg::VectorOpMaximumF32, isa_pkg::VectorOpMinimumF32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = vpu_float_pkg::choose(x_e[i], b[i], flip_x);
          x_e[i] = value;
        end
      isa_pkg::VectorOpRoundEvenF32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = vpu_float_pkg::round_even(x_e[i]);
          x_e[i] = value;
        end
      isa_pkg::VectorOpAddS32, isa_pkg::VectorOpSubtractS32, isa_pkg::VectorOpReverseSubtractS32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = (x_e[i] ^ flip_x) + (b[i] ^ flip_b) + ((flip_x | flip_b) >> 31);
          x_e[i] = value;
        end
      isa_pkg::VectorOpMultiplyS32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = x_e[i] * b[i];
          x_e[i] = value;
        end
      isa_pkg::VectorOpMaximumS32, isa_pkg::VectorOpMinimumS32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = vpu_float_pkg::choose_s32(x_e[i], b[i], flip_x);
          x_e[i] = value;
        end
      isa_pkg::VectorOpS32ToF32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = vpu_float_pkg::s32_to_f32(x_e[i]);
          x_e[i] = value;
        end
      isa_pkg::VectorOpF32ToS32:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = vpu_float_pkg::f32_to_s32(x_e[i]);
          x_e[i] = value;
        end
      isa_pkg::VectorOpRoundBf16:
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = vpu_float_pkg::round_bf16(x_e[i]);
          x_e[i] = value;
        end
      isa_pkg::VectorOpRequantize: begin  // short loops: the compiler gives up on long ones
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = vpu_float_pkg::s32_to_f32(x_e[i]);
          x_e[i] = value;
        end
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = vpu_float_pkg::multiply(x_e[i], b[i]);
          x_e[i] = value;
        end
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = vpu_float_pkg::round_even(x_e[i]);
          x_e[i] = value;
        end
        for (int unsigned i = 0; i < Lanes; i++) begin
          value  = vpu_float_pkg::f32_to_s8(x_e[i]);
          x_e[i] = value;
        end
      end
      default:  // copy
        for (int unsigned i = 0; i < Lanes; i++) x_e[i] = b[i];
    endcase
  endtask

  task automatic step();
    logic [31:0] value;
    if (step_first_i) begin
      for (int unsigned i = 0; i < Lanes; i++) x_e[i] = x_l[i];
    end
    if (!step_pass_i) begin
      if (operand_i == 4'(isa_pkg::VectorOperandY)) begin
        for (int unsigned i = 0; i < Lanes; i++) b[i] = y_l[i];
      end else if (operand_i == 4'(isa_pkg::VectorOperandZ)) begin
        for (int unsigned i = 0; i < Lanes; i++) b[i] = z_l[i];
      end else begin
        value = (operand_i == 4'(isa_pkg::VectorOperandNone))
                ? 32'd0 : immediates_i[{operand_i[1:0], 5'd0} +: 32];
        for (int unsigned i = 0; i < Lanes; i++) b[i] = value;
      end
      apply();
    end
  endtask

  // Packs the working row. What the lanes beyond the count hold is replaced by zero.
  task automatic convert();
    logic [RowWidth-1:0] row;
    logic [31:0]         low;
    logic [31:0]         word;
    logic [31:0]         keep;
    logic [31:0]         count;
    count = 32'(convert_count_i);
    for (int unsigned i = 0; i < Lanes; i++) begin
      keep   = (i < count) ? 32'hffff_ffff : 32'd0;
      x_e[i] = x_e[i] & keep;
    end
    row = '0;
    if (out_type_i == TypeBf16) begin
      for (int unsigned w = 0; w < Lanes / 2; w++) begin
        low  = vpu_float_pkg::round_bf16(x_e[2*w]);
        word = vpu_float_pkg::round_bf16(x_e[2*w + 1]);
        word = word | (low >> 16);
        row[w*32 +: 32] = word;
      end
    end else if (out_type_i == TypeS8) begin
      for (int unsigned w = 0; w < Lanes / 4; w++) begin
        word = x_e[4*w] & 32'h0000_00ff;
        word = word | ((x_e[4*w + 1] & 32'h0000_00ff) << 8);
        word = word | ((x_e[4*w + 2] & 32'h0000_00ff) << 16);
        word = word | (x_e[4*w + 3] << 24);
        row[w*32 +: 32] = word;
      end
    end else begin
      for (int unsigned i = 0; i < Lanes; i++) row[i*32 +: 32] = x_e[i];
    end
    row_o <= row;
  endtask
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clk_i) begin
    if (convert_i) convert();
    if (step_i) step();
    if (load_i) load();
  end

endmodule
