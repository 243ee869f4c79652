`include "prim_assert.svh"

// A row <- a function of the operands' elements a, b, c; `folded` <- one of elements at distance d.
`define VPU_EACH_LANE(result) \
  for (int unsigned i = 0; i < Count; i++) begin \
    a = operand[x][i]; \
    b = operand[y][i]; \
    c = operand[z][i]; \
    r = result; \
    rows[dst][i] = r; \
  end
`define VPU_EACH_PAIR(result) \
  for (int unsigned s = 0; s < Segments; s++) begin \
    for (int unsigned i = 0; i < ((d < 16) ? Unit : d); i++) begin \
      a = work[s*((d < 16) ? Unit : 2*d) + i]; \
      b = work[s*((d < 16) ? Unit : 2*d) + i + d]; \
      r = result; \
      folded[s*((d < 16) ? Unit : d) + i] = r; \
    end \
  end

// The lanes of the vector unit: registers, constants, two ALU slots, the lane slot, output queues.
//
//   rows: v of 4 threads | w | a row per output           group_i    scalars_i    constants
//           |        ^                                       |           |            |
//           |        |          .-------- fetch -------------+-----------+------------'
//           '--------+--------> operand: x y z of slot a, x of lane, x y z of slot b, y of lane
//                    |          '---> alu, alu, lane_slot --.
//                    '--------------------------------------+--> present --> out_group_o
//
// A record does all of this in the cycle in which it is issued; every operand is copied before a
// result is written. Wide work is tasks over lanes on private unpacked arrays of 32-bit words with
// blocking assignments, run only under an enable. Both ALU slots use one copy of the operations.
module vpu_lanes #(
  parameter  int Lanes      = 8,
  parameter  int Sublanes   = 2,
  localparam int Count      = Lanes * Sublanes,
  localparam int GroupWidth = Count * 32
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,

  // One legal bundle of one thread.
  input  logic                    issue_i,
  input  logic [159:0]            bundle_i,
  input  logic [1:0]              thread_i,
  input  logic [9:0]              constant_base_i,
  input  logic [16*32-1:0]        scalars_i,
  input  logic [4*GroupWidth-1:0] group_i,

  output logic [1:0]              out_valid_o,
  input  logic [1:0]              out_ready_i,
  output logic [2*GroupWidth-1:0] out_group_o,
  output logic                    can_store_o,

  input  logic                    constant_write_i,
  input  logic [9:0]              constant_addr_i,
  input  logic [31:0]             constant_data_i
);

  localparam int Segment  = (Lanes < isa_pkg::SegmentLanes) ? Lanes : isa_pkg::SegmentLanes;
  localparam int Segments = Count / Segment;
  localparam int Unit     = (Segment < 16) ? Segment : 16;  // see fold

  localparam logic [31:0] SignBit = vpu_float_pkg::SignBit;
  localparam logic [31:0] AllOnes = 32'hffff_ffff;

  // Rows: v0.. of thread 0, 1, 2, 3, then w0.., then a result on its way to each output.
  localparam logic [7:0] SharedRow = 8'd128;
  localparam logic [7:0] OutputRow = 8'd160;

  localparam logic [7:0] OutputCode = 8'(isa_pkg::OperandOutput);

  // Operands: x, y, z of a slot at 4 * slot; the lane slot's in the gaps.
  localparam logic [2:0] LaneX = 3'd3;
  localparam logic [2:0] LaneY = 3'd7;

  logic [31:0] rows      [0:255][0:Count-1];
  logic [31:0] operand   [0:7][0:Count-1];
  logic [31:0] work      [0:2*Count-1];
  logic [31:0] folded    [0:Count-1];
  logic [31:0] remainder [0:Count-1];
  logic [31:0] digits    [0:Count-1];
  logic [31:0] radicand  [0:Count-1];
  logic [31:0] entries   [0:isa_pkg::LookupEntries-1];
  logic [31:0] constants [0:isa_pkg::KernelConstants-1];

  /* verilator lint_off UNUSEDSIGNAL */
  isa_pkg::bundle_t bundle;  // steps and loop control are not of interest here
  /* verilator lint_on UNUSEDSIGNAL */
  assign bundle = bundle_i;

  logic [1:0][7:0] ops;
  logic [1:0][7:0] targets;
  logic [7:0][7:0] codes;
  logic [7:0]      reads;
  logic [1:0]      stores;
  assign ops     = {bundle.b_op, bundle.a_op};
  assign targets = {bundle.b_dst, bundle.a_dst};
  assign codes   = {bundle.lane_y, bundle.b_z, bundle.b_y, bundle.b_x,
                    bundle.lane_x, bundle.a_z, bundle.a_y, bundle.a_x};
  assign reads   = {isa_pkg::lane_op_sources(bundle.lane_op) > 2'd1,
                    isa_pkg::alu_op_sources(bundle.b_op) > 2'd2,
                    isa_pkg::alu_op_sources(bundle.b_op) > 2'd1,
                    isa_pkg::alu_op_sources(bundle.b_op) > 2'd0,
                    isa_pkg::lane_op_sources(bundle.lane_op) > 2'd0,
                    isa_pkg::alu_op_sources(bundle.a_op) > 2'd2,
                    isa_pkg::alu_op_sources(bundle.a_op) > 2'd1,
                    isa_pkg::alu_op_sources(bundle.a_op) > 2'd0};

  // A result for an output waits in its row while the one before it is at the port.
  logic [1:0] waits_q;
  logic [1:0] waits;
  logic [1:0] stays;
  for (genvar q = 0; q < 2; q++) begin : gen_stores
    assign stores[q] = (bundle.a_op != isa_pkg::AluOpNone && bundle.a_dst == OutputCode + 8'(q)) ||
                       (bundle.b_op != isa_pkg::AluOpNone && bundle.b_dst == OutputCode + 8'(q));
  end
  assign waits       = waits_q | (stores & {2{issue_i}});
  assign stays       = out_valid_o & ~out_ready_i;
  assign can_store_o = waits_q == 2'd0;

  // A scalar, or a constant.
  function automatic logic [31:0] narrow_operand(input logic [7:0] code);
    logic [9:0] address;
    logic [3:0] number;
    address        = constant_base_i + {3'd0, code[6:0]};
    number         = 4'(code - 8'(isa_pkg::OperandScalar));
    narrow_operand = code[7] ? constants[address] : scalars_i[{number, 5'd0} +: 32];
  endfunction

  function automatic logic [7:0] row_of(input logic [6:0] code);
    row_of = code[5] ? SharedRow | {3'd0, code[4:0]} : {1'b0, thread_i, code[4:0]};
    row_of = code[6] ? OutputRow | {7'd0, code[0]} : row_of;
  endfunction

  /* verilator lint_off BLKSEQ */  // private state, see above

  task automatic fetch(input logic [2:0] n, input logic [7:0] code);
    logic [31:0] value;
    logic [7:0]  row;
    if (code < 8'(isa_pkg::OperandInput)) begin
      row = row_of(code[6:0]);
      for (int unsigned i = 0; i < Count; i++) operand[n][i] = rows[row][i];
    end else if (code < 8'(isa_pkg::OperandScalar)) begin
      for (int unsigned q = 0; q < 4; q++) begin
        if (code[1:0] == q[1:0]) begin
          for (int unsigned i = 0; i < Count; i++) operand[n][i] = group_i[(q*Count + i)*32 +: 32];
        end
      end
    end else begin
      value = narrow_operand(code);
      for (int unsigned i = 0; i < Count; i++) operand[n][i] = value;
    end
  endtask

  // Copies the entries of a table first: a table is named by its first constant.
  task automatic look_up(input logic [2:0] x, input logic [6:0] first, input logic [7:0] dst);
    logic [31:0] value;
    for (int unsigned n = 0; n < isa_pkg::LookupEntries; n++) begin
      entries[n] = constants[constant_base_i + {3'd0, first} + n[9:0]];
    end
    for (int unsigned i = 0; i < Count; i++) begin
      value        = entries[operand[x][i][4:0]];
      rows[dst][i] = value;
    end
  endtask

  // Three rounds of eight digits of a quotient, held inverted.
  task automatic divide(input logic [2:0] x, input logic [2:0] y, input logic [7:0] dst);
    logic [31:0] a, b, difference, quotient;
    for (int unsigned i = 0; i < Count; i++) begin
      a            = vpu_divide_pkg::dividend(operand[x][i], operand[y][i]);
      b            = vpu_divide_pkg::divisor(operand[y][i]);
      remainder[i] = a - b;
      radicand[i]  = b;
      digits[i]    = 32'd0;
    end
    for (int unsigned round = 0; round < 3; round++) begin
      for (int unsigned i = 0; i < Count; i++) begin
        a        = remainder[i];
        b        = radicand[i];
        quotient = digits[i];
        for (int unsigned digit = 0; digit < 8; digit++) begin
          a          = a << 1;
          difference = a - b;
          quotient   = (quotient << 1) | (difference >> 31);
          a          = (difference < a) ? difference : a;
        end
        remainder[i] = a;
        digits[i]    = quotient;
      end
    end
    for (int unsigned i = 0; i < Count; i++) begin
      a            = vpu_divide_pkg::quotient(operand[x][i], operand[y][i], digits[i]);
      rows[dst][i] = a;
    end
  endtask

  // Five rounds of five digits of a root.
  task automatic square_root(input logic [2:0] x, input logic [7:0] dst);
    logic [31:0] a, bits, root, trial, difference, taken;
    for (int unsigned i = 0; i < Count; i++) begin
      a            = vpu_divide_pkg::radicand(operand[x][i]);
      radicand[i]  = a;
      remainder[i] = 32'd0;
      digits[i]    = 32'd0;
    end
    for (int unsigned round = 0; round < 5; round++) begin
      for (int unsigned i = 0; i < Count; i++) begin
        a    = remainder[i];
        bits = radicand[i];
        root = digits[i];
        for (int unsigned digit = 0; digit < 5; digit++) begin
          a          = (a << 2) | (bits >> 30);
          bits       = bits << 2;
          trial      = (root << 2) | 32'd1;
          difference = a - trial;
          taken      = (difference >> 31) ^ 32'd1;
          root       = (root << 1) | taken;
          a          = (difference < a) ? difference : a;
        end
        remainder[i] = a;
        radicand[i]  = bits;
        digits[i]    = root;
      end
    end
    for (int unsigned i = 0; i < Count; i++) begin
      a            = vpu_divide_pkg::root(operand[x][i], digits[i]);
      rows[dst][i] = a;
    end
  endtask

  // One operation of a slot. `flip` and `invert` make one operation of two relatives.
  task automatic alu(input logic slot, input logic [7:0] op, input logic [6:0] table_code,
                     input logic [7:0] dst);
    logic [31:0] a, b, c, r, flip, invert;
    logic [2:0]  x, y, z;
    x      = {slot, 2'd0};
    y      = {slot, 2'd1};
    z      = {slot, 2'd2};
    flip   = 32'd0;
    invert = 32'd0;
    unique case (op)
      isa_pkg::AluOpSubtractF32, isa_pkg::AluOpMultiplySubtractF32: flip = SignBit;
      isa_pkg::AluOpMinimumF32, isa_pkg::AluOpMinimumU32:           invert = AllOnes;
      isa_pkg::AluOpSubtractS32:                                    invert = AllOnes;
      isa_pkg::AluOpMaximumS32, isa_pkg::AluOpLessS32:              invert = SignBit;
      isa_pkg::AluOpMinimumS32:                                     invert = ~SignBit;
      default: ;
    endcase
    unique case (op)
      isa_pkg::AluOpAddF32, isa_pkg::AluOpSubtractF32:
        `VPU_EACH_LANE(vpu_float_pkg::add(a, b ^ flip))
      isa_pkg::AluOpMultiplyF32: `VPU_EACH_LANE(vpu_float_pkg::multiply(a, b))
      isa_pkg::AluOpMultiplyAddF32, isa_pkg::AluOpMultiplySubtractF32:
        `VPU_EACH_LANE(vpu_fma_pkg::multiply_add(a ^ flip, b, c))
      isa_pkg::AluOpMaximumF32, isa_pkg::AluOpMinimumF32:
        `VPU_EACH_LANE(vpu_float_pkg::choose(a, b, invert))
      isa_pkg::AluOpDivideF32: if (!slot) divide(x, y, dst);
      isa_pkg::AluOpSquareRootF32: if (!slot) square_root(x, dst);
      isa_pkg::AluOpScaleF32: `VPU_EACH_LANE(vpu_round_pkg::scale(a, b))
      isa_pkg::AluOpRoundEvenF32: `VPU_EACH_LANE(vpu_round_pkg::round_even(a))
      isa_pkg::AluOpRoundAwayF32: `VPU_EACH_LANE(vpu_round_pkg::round_away(a))
      isa_pkg::AluOpFloorF32: `VPU_EACH_LANE(vpu_round_pkg::floor(a))
      isa_pkg::AluOpCeilingF32: `VPU_EACH_LANE(vpu_round_pkg::ceiling(a))
      isa_pkg::AluOpEqualF32: `VPU_EACH_LANE(vpu_float_pkg::is_equal(a, b))
      isa_pkg::AluOpLessF32: `VPU_EACH_LANE(vpu_float_pkg::is_less(a, b))
      isa_pkg::AluOpLessEqualF32: `VPU_EACH_LANE(vpu_float_pkg::is_less_equal(a, b))
      isa_pkg::AluOpAddS32, isa_pkg::AluOpSubtractS32: `VPU_EACH_LANE(a + (b ^ invert) - invert)
      isa_pkg::AluOpMultiplyS32: `VPU_EACH_LANE(a * b)
      isa_pkg::AluOpMultiplyHighS32: `VPU_EACH_LANE(vpu_integer_pkg::multiply_high_s32(a, b))
      isa_pkg::AluOpMultiplyHighU32: `VPU_EACH_LANE(vpu_integer_pkg::multiply_high_u32(a, b))
      isa_pkg::AluOpMaximumS32, isa_pkg::AluOpMinimumS32, isa_pkg::AluOpMaximumU32,
      isa_pkg::AluOpMinimumU32:
        `VPU_EACH_LANE(vpu_integer_pkg::choose(a, b, invert))
      isa_pkg::AluOpAnd: `VPU_EACH_LANE(a & b)
      isa_pkg::AluOpOr: `VPU_EACH_LANE(a | b)
      isa_pkg::AluOpXor: `VPU_EACH_LANE(a ^ b)
      isa_pkg::AluOpAndNot: `VPU_EACH_LANE(a & ~b)
      isa_pkg::AluOpShiftLeft: `VPU_EACH_LANE(vpu_integer_pkg::shift_left(a, b))
      isa_pkg::AluOpShiftRightLogical: `VPU_EACH_LANE(vpu_integer_pkg::shift_right(a, b))
      isa_pkg::AluOpShiftRightArithmetic: `VPU_EACH_LANE(vpu_integer_pkg::shift_right_signed(a, b))
      isa_pkg::AluOpRotateLeft: `VPU_EACH_LANE(vpu_integer_pkg::rotate_left(a, b))
      isa_pkg::AluOpEqualS32: `VPU_EACH_LANE(vpu_integer_pkg::is_equal(a, b))
      isa_pkg::AluOpLessS32, isa_pkg::AluOpLessU32:
        `VPU_EACH_LANE(vpu_integer_pkg::is_less(a, b, invert))
      isa_pkg::AluOpSelect: `VPU_EACH_LANE((a != 32'd0) ? b : c)
      isa_pkg::AluOpPopulationCount: `VPU_EACH_LANE(vpu_integer_pkg::population_count(a))
      isa_pkg::AluOpCountLeadingZeros: `VPU_EACH_LANE(vpu_integer_pkg::count_leading_zeros(a))
      isa_pkg::AluOpS32ToF32: `VPU_EACH_LANE(vpu_convert_pkg::s32_to_f32(a))
      isa_pkg::AluOpU32ToF32: `VPU_EACH_LANE(vpu_convert_pkg::from_count(a))
      isa_pkg::AluOpF32ToS32: `VPU_EACH_LANE(vpu_convert_pkg::f32_to_s32(a))
      isa_pkg::AluOpF32ToU32: `VPU_EACH_LANE(vpu_convert_pkg::f32_to_u32(a))
      isa_pkg::AluOpRoundBf16: `VPU_EACH_LANE(vpu_convert_pkg::round_bf16(a))
      isa_pkg::AluOpRoundF16: `VPU_EACH_LANE(vpu_convert_pkg::round_f16(a))
      isa_pkg::AluOpExponentF32: `VPU_EACH_LANE(((a >> 23) & 32'h0000_00ff) - 32'd127)
      isa_pkg::AluOpRequantizeDouble: `VPU_EACH_LANE(vpu_integer_pkg::requantize_double(a, b, c))
      isa_pkg::AluOpRequantizeSingle: `VPU_EACH_LANE(vpu_integer_pkg::requantize_single(a, b, c))
      isa_pkg::AluOpLookup: look_up(x, table_code, dst);
      default: `VPU_EACH_LANE(a)  // copy
    endcase
  endtask

  // Folds each segment of `work` to its first element: element i with the one at a distance, half the
  // segment, ... 2, 1. Distances from 16 on leave the segments packed closer, so that no loop is
  // shorter than a vector of the simulating machine; below that all elements of a unit are computed,
  // of which only the first ones mean something.
  task automatic fold(input logic [7:0] op, input logic [31:0] invert);
    logic [31:0] a, b, r;
    for (int unsigned d = Segment / 2; d > 0; d = d / 2) begin
      unique case (op)
        isa_pkg::LaneOpReduceAddF32: `VPU_EACH_PAIR(vpu_float_pkg::add(a, b))
        isa_pkg::LaneOpReduceMaximumF32, isa_pkg::LaneOpReduceMinimumF32:
          `VPU_EACH_PAIR(vpu_float_pkg::choose(a, b, invert))
        isa_pkg::LaneOpReduceAddS32: `VPU_EACH_PAIR(a + b)
        isa_pkg::LaneOpReduceAnd, isa_pkg::LaneOpReduceOr:
          `VPU_EACH_PAIR(((a ^ invert) & (b ^ invert)) ^ invert)
        default: `VPU_EACH_PAIR(vpu_integer_pkg::choose(a, b, invert))
      endcase
      for (int unsigned i = 0; i < Segments * ((d < 16) ? Unit : d); i++) work[i] = folded[i];
    end
  endtask

  // A segment's first element of `work` goes to all its lanes.
  task automatic spread(input logic [7:0] dst);
    logic [31:0] value;
    for (int unsigned s = 0; s < Segments; s++) begin
      value = work[s*Unit];
      for (int unsigned i = 0; i < Segment; i++) rows[dst][s*Segment + i] = value;
    end
  endtask

  // Two passes for the arg operations: the largest rank of a segment, a NaN's being above all others;
  // then the lowest lane of that rank.
  task automatic reduce(input logic [7:0] op, input logic [7:0] dst);
    logic [31:0] a, r, invert;
    logic        find;
    find = (op == isa_pkg::LaneOpArgMaximumF32) || (op == isa_pkg::LaneOpArgMinimumF32);
    unique case (op)
      isa_pkg::LaneOpReduceMinimumF32, isa_pkg::LaneOpReduceOr,
      isa_pkg::LaneOpArgMinimumF32:    invert = AllOnes;
      isa_pkg::LaneOpReduceMaximumS32: invert = SignBit;
      isa_pkg::LaneOpReduceMinimumS32: invert = ~SignBit;
      default:                         invert = 32'd0;
    endcase
    if (find) begin
      for (int unsigned i = 0; i < Count; i++) begin
        a = operand[LaneX][i];
        r = a ^ ((32'd0 - (a >> 31)) | SignBit) ^ invert;
        r = r | (32'd0 - vpu_float_pkg::is_nan(a));
        operand[LaneX][i] = r;
      end
      invert = 32'd0;
    end
    for (int unsigned i = 0; i < Count; i++) work[i] = operand[LaneX][i];
    for (int unsigned pass = 0; pass < 2; pass++) begin
      if (pass == 0 || find) fold(op, invert);
      if (pass == 0 && find) begin
        for (int unsigned s = 0; s < Segments; s++) begin
          a = work[s*Unit];
          for (int unsigned i = 0; i < Segment; i++) begin
            r = 32'((s*Segment) % Lanes) + i;
            folded[s*Segment + i] = (operand[LaneX][s*Segment + i] == a) ? r : AllOnes;
          end
        end
        for (int unsigned i = 0; i < Count; i++) work[i] = folded[i];
        invert = AllOnes;
      end
    end
    for (int unsigned s = 0; s < Segments; s++) begin
      a = work[s*Unit];
      for (int unsigned i = 0; i < Segment; i++) rows[dst][s*Segment + i] = a;
    end
  endtask

  // Moves `work` down by the amount, one step per bit of it; two loops, as loops of up to eight steps
  // are unrolled for simulation.
  task automatic slide(input logic [31:0] amount, input logic [7:0] dst);
    logic [31:0] steps;
    steps = (amount > 32'(Count)) ? 32'(Count) : amount;
    for (int unsigned i = 0; i < Count; i++) begin
      work[i]         = operand[LaneX][i];
      work[Count + i] = operand[LaneY][i];
    end
    for (int unsigned d = 1; d <= 32 && d <= Count; d = d * 2) begin
      if ((steps & d) != 32'd0) begin
        for (int unsigned i = 0; i < 2*Count - d; i++) work[i] = work[i + d];
      end
    end
    for (int unsigned d = 64; d <= Count; d = d * 2) begin
      if ((steps & d) != 32'd0) begin
        for (int unsigned i = 0; i < 2*Count - d; i++) work[i] = work[i + d];
      end
    end
    for (int unsigned i = 0; i < Count; i++) rows[dst][i] = work[i];
  endtask

  task automatic rotate(input logic [31:0] amount, input logic [7:0] dst);
    for (int unsigned i = 0; i < Count; i++) work[i] = operand[LaneX][i];
    for (int unsigned d = 1; d < Lanes; d = d * 2) begin
      if ((amount & d) != 32'd0) begin
        for (int unsigned s = 0; s < Sublanes; s++) begin
          for (int unsigned i = 0; i < Lanes - d; i++) folded[s*Lanes + i] = work[s*Lanes + i + d];
          for (int unsigned i = 0; i < d; i++) folded[s*Lanes + Lanes - d + i] = work[s*Lanes + i];
        end
        for (int unsigned i = 0; i < Count; i++) work[i] = folded[i];
      end
    end
    for (int unsigned i = 0; i < Count; i++) rows[dst][i] = work[i];
  endtask

  task automatic lane_slot(input logic [7:0] op, input logic [31:0] amount, input logic [7:0] dst);
    logic [31:0] value, base;
    unique case (op)
      isa_pkg::LaneOpBroadcastLane:
        for (int unsigned s = 0; s < Segments; s++) begin
          value = operand[LaneX][s*Segment + (amount & (Segment - 1))];
          for (int unsigned i = 0; i < Segment; i++) rows[dst][s*Segment + i] = value;
        end
      isa_pkg::LaneOpRotateLanes: rotate(amount, dst);
      isa_pkg::LaneOpBroadcastRow: begin
        base = amount & (Sublanes - 1);
        for (int unsigned s = 0; s < Sublanes; s++) begin
          if (base == s) begin
            for (int unsigned i = 0; i < Count; i++) begin
              rows[dst][i] = operand[LaneX][s*Lanes + (i & (Lanes - 1))];
            end
          end
        end
      end
      isa_pkg::LaneOpSlide: slide(amount, dst);
      isa_pkg::LaneOpLaneIndex: for (int unsigned i = 0; i < Count; i++) rows[dst][i] = i & (Lanes - 1);
      isa_pkg::LaneOpRowIndex: for (int unsigned i = 0; i < Count; i++) rows[dst][i] = i / Lanes;
      default: reduce(op, dst);
    endcase
  endtask

  task automatic execute();
    for (int unsigned n = 0; n < 8; n++) begin
      if (reads[n]) fetch(n[2:0], codes[n]);
    end
    for (int unsigned slot = 0; slot < 2; slot++) begin
      if (ops[slot] != isa_pkg::AluOpNone) begin
        alu(slot[0], ops[slot], codes[4*slot + 1][6:0], row_of(targets[slot][6:0]));
      end
    end
    if (bundle.lane_op != isa_pkg::LaneOpNone) begin
      lane_slot(bundle.lane_op, narrow_operand(bundle.lane_z), row_of(bundle.lane_dst[6:0]));
    end
  endtask

  // The waiting result of an output goes to its port.
  task automatic present();
    logic [31:0] value;
    for (int unsigned q = 0; q < 2; q++) begin
      if (waits[q] && !stays[q]) begin
        for (int unsigned i = 0; i < Count; i++) begin
          value = rows[OutputRow + q[7:0]][i];
          out_group_o[(q*Count + i)*32 +: 32] <= value;
        end
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (constant_write_i) constants[constant_addr_i] = constant_data_i;
    if (!rst_ni || clear_i) begin
      out_valid_o <= 2'd0;
      waits_q     <= 2'd0;
    end else if (issue_i || out_valid_o != 2'd0) begin
      if (issue_i) execute();
      present();
      out_valid_o <= waits | stays;
      waits_q     <= waits & stays;
    end
  end
  /* verilator lint_on BLKSEQ */

  `PRIM_ASSERT(SpaceForStores, !issue_i || clear_i || can_store_o)

endmodule

`undef VPU_EACH_LANE
`undef VPU_EACH_PAIR
