`include "prim_assert.svh"

// An array <- what an operand code names.
`define VPU_FETCH(operand, code) \
  if (code < 8'(isa_pkg::OperandInput)) begin \
    row = row_of(thread_i, code[5:0]); \
    for (int unsigned i = 0; i < Count; i++) operand[i] = rows[row][i]; \
  end else if (code < 8'(isa_pkg::OperandScalar)) begin \
    for (int unsigned q = 0; q < 4; q++) begin \
      if (code[1:0] == q[1:0]) begin \
        for (int unsigned i = 0; i < Count; i++) operand[i] = group_i[(q*Count + i)*32 +: 32]; \
      end \
    end \
  end else begin \
    value = narrow_operand(code); \
    for (int unsigned i = 0; i < Count; i++) operand[i] = value; \
  end

// The value <- a function of the operands' elements.
`define VPU_EACH_LANE(expression) \
  for (int unsigned i = 0; i < Count; i++) begin \
    r = expression; \
    values[i] = r; \
  end

// Folds each segment of `work` to its first element by a function of a and b: element i and the
// one at a distance, half the segment, ... 2, 1. Distances from 16 on leave the segments packed
// closer, so that no loop is shorter than a vector of the simulating machine; below that all
// elements of a unit are computed, of which only the first ones mean something.
`define VPU_FOLD(expression) \
  for (int unsigned d = Segment / 2; d > 0; d = d / 2) begin \
    for (int unsigned s = 0; s < Segments; s++) begin \
      for (int unsigned i = 0; i < ((d < 16) ? Unit : d); i++) begin \
        a = work[s*((d < 16) ? Unit : 2*d) + i]; \
        b = work[s*((d < 16) ? Unit : 2*d) + i + d]; \
        r = expression; \
        folded[s*((d < 16) ? Unit : d) + i] = r; \
      end \
    end \
    for (int unsigned i = 0; i < Segments * ((d < 16) ? Unit : d); i++) work[i] = folded[i]; \
  end

// The lanes of the vector unit: registers, constants, two ALU slots, the lane slot, output queues.
//
//       rows: v of 4 threads, w       group_i    scalars_i    constants
//         |          ^                   |           |            |
//         '----------|-----> fetch <-----+-----------+------------'
//                    |         '---> x, y, z --> alu, alu, lane_slot --> values
//                    |                                                     |
//                    +------ write_back <-- result, stage by stage <-------'
//                    '--> queue --> present --> out_group_o
//
// The three slots of a record work in the cycle in which it is issued, one after the other on the
// same arrays; what they read is not written before all of them have read. Wide work is tasks over
// lanes on private unpacked arrays of 32-bit words with blocking assignments, run only under an
// enable; indices of these arrays other than the lane's are constants or stay outside the loops.
// `Stages` rows of registers behind the arithmetic are for synthesis to retime into it; results
// are written when a record of the same thread may be issued four cycles later, so at most 3.
module vpu_lanes #(
  parameter  int Lanes      = 8,
  parameter  int Sublanes   = 2,
  parameter  int Stages     = 0,
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
  localparam int Unit     = (Segment < 16) ? Segment : 16;  // see VPU_FOLD

  localparam logic [31:0] SignBit = vpu_float_pkg::SignBit;
  localparam logic [31:0] AllOnes = 32'hffff_ffff;

  // Rows: v0.. of thread 0, 1, 2, 3, then w0..
  localparam logic [7:0] SharedRow = 8'd128;


  // Of a result's way: {valid, thread, destination code}.
  localparam int TargetWidth = 10;

  logic [31:0] rows      [0:255][0:Count-1];
  logic [31:0] x         [0:Count-1];
  logic [31:0] y         [0:Count-1];
  logic [31:0] z         [0:Count-1];
  logic [31:0] values    [0:Count-1];
  logic [31:0] result    [0:4*Stages+3][0:Count-1];
  logic [31:0] queue     [0:15][0:Count-1];
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

  // What a record writes: slot a, b, lane from the lowest bit.
  logic [3*TargetWidth-1:0] record;
  assign record = issue_i ? {bundle.lane_op != isa_pkg::LaneOpNone, thread_i, bundle.lane_dst[6:0],
                             bundle.b_op != isa_pkg::AluOpNone, thread_i, bundle.b_dst[6:0],
                             bundle.a_op != isa_pkg::AluOpNone, thread_i, bundle.a_dst[6:0]}
                          : '0;

  // Per output: stores on their way to the port, those of them in `queue`, and its ends.
  logic [(Stages+1)*3*TargetWidth-1:0] targets;
  logic [3:0] stores  [0:1];
  logic [3:0] waiting [0:1];
  logic [2:0] newest  [0:1];
  logic [2:0] oldest  [0:1];

  // A scalar, or a constant.
  function automatic logic [31:0] narrow_operand(input logic [7:0] code);
    logic [9:0] address;
    logic [3:0] number;
    address        = constant_base_i + {3'd0, code[6:0]};
    number         = 4'(code - 8'(isa_pkg::OperandScalar));
    narrow_operand = code[7] ? constants[address] : scalars_i[{number, 5'd0} +: 32];
  endfunction

  // A thread's v, or a w.
  function automatic logic [7:0] row_of(input logic [1:0] thread, input logic [5:0] code);
    row_of = code[5] ? SharedRow | {3'd0, code[4:0]} : {1'b0, thread, code[4:0]};
  endfunction

  /* verilator lint_off BLKSEQ */  // private state, see above

  task automatic fetch(input logic [1:0] sources, input logic [7:0] x_code,
                       input logic [7:0] y_code, input logic [7:0] z_code);
    logic [31:0] value;
    logic [7:0]  row;
    if (sources > 2'd0) begin
      `VPU_FETCH(x, x_code)
    end
    if (sources > 2'd1) begin
      `VPU_FETCH(y, y_code)
    end
    if (sources > 2'd2) begin
      `VPU_FETCH(z, z_code)
    end
  endtask

  // Copies the entries of a table first: a table is named by its first constant.
  task automatic look_up(input logic [6:0] first);
    logic [31:0] value;
    for (int unsigned k = 0; k < isa_pkg::LookupEntries; k++) begin
      entries[k] = constants[constant_base_i + {3'd0, first} + k[9:0]];
    end
    for (int unsigned i = 0; i < Count; i++) begin
      value           = entries[x[i][4:0]];
      values[i] = value;
    end
  endtask

  // In slot a. Three rounds of eight digits of a quotient, held inverted.
  task automatic divide();
    logic [31:0] a, b, difference, quotient;
    for (int unsigned i = 0; i < Count; i++) begin
      a            = vpu_divide_pkg::dividend(x[i], y[i]);
      b            = vpu_divide_pkg::divisor(y[i]);
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
      a            = vpu_divide_pkg::quotient(x[i], y[i], digits[i]);
      values[i] = a;
    end
  endtask

  // In slot a. Five rounds of five digits of a root.
  task automatic square_root();
    logic [31:0] a, bits, root, trial, difference, taken;
    for (int unsigned i = 0; i < Count; i++) begin
      a            = vpu_divide_pkg::radicand(x[i]);
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
      a            = vpu_divide_pkg::root(x[i], digits[i]);
      values[i] = a;
    end
  endtask

  // One operation of a slot. `flip` and `invert` make one operation of two relatives.
  task automatic alu(input logic divides, input logic [7:0] op, input logic [6:0] table_code);
    logic [31:0] r, flip, invert;
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
        `VPU_EACH_LANE(vpu_float_pkg::add(x[i], y[i] ^ flip))
      isa_pkg::AluOpMultiplyF32: `VPU_EACH_LANE(vpu_float_pkg::multiply(x[i], y[i]))
      isa_pkg::AluOpMultiplyAddF32, isa_pkg::AluOpMultiplySubtractF32:
        `VPU_EACH_LANE(vpu_fma_pkg::multiply_add(x[i] ^ flip, y[i], z[i]))
      isa_pkg::AluOpMaximumF32, isa_pkg::AluOpMinimumF32:
        `VPU_EACH_LANE(vpu_float_pkg::choose(x[i], y[i], invert))
      isa_pkg::AluOpDivideF32: if (divides) divide();
      isa_pkg::AluOpSquareRootF32: if (divides) square_root();
      isa_pkg::AluOpScaleF32: `VPU_EACH_LANE(vpu_round_pkg::scale(x[i], y[i]))
      isa_pkg::AluOpRoundEvenF32: `VPU_EACH_LANE(vpu_round_pkg::round_even(x[i]))
      isa_pkg::AluOpRoundAwayF32: `VPU_EACH_LANE(vpu_round_pkg::round_away(x[i]))
      isa_pkg::AluOpFloorF32: `VPU_EACH_LANE(vpu_round_pkg::floor(x[i]))
      isa_pkg::AluOpCeilingF32: `VPU_EACH_LANE(vpu_round_pkg::ceiling(x[i]))
      isa_pkg::AluOpEqualF32: `VPU_EACH_LANE(vpu_float_pkg::is_equal(x[i], y[i]))
      isa_pkg::AluOpLessF32: `VPU_EACH_LANE(vpu_float_pkg::is_less(x[i], y[i]))
      isa_pkg::AluOpLessEqualF32: `VPU_EACH_LANE(vpu_float_pkg::is_less_equal(x[i], y[i]))
      isa_pkg::AluOpAddS32, isa_pkg::AluOpSubtractS32:
        `VPU_EACH_LANE(x[i] + (y[i] ^ invert) - invert)
      isa_pkg::AluOpMultiplyS32: `VPU_EACH_LANE(x[i] * y[i])
      isa_pkg::AluOpMultiplyHighS32: `VPU_EACH_LANE(vpu_integer_pkg::multiply_high_s32(x[i], y[i]))
      isa_pkg::AluOpMultiplyHighU32: `VPU_EACH_LANE(vpu_integer_pkg::multiply_high_u32(x[i], y[i]))
      isa_pkg::AluOpMaximumS32, isa_pkg::AluOpMinimumS32, isa_pkg::AluOpMaximumU32,
      isa_pkg::AluOpMinimumU32:
        `VPU_EACH_LANE(vpu_integer_pkg::choose(x[i], y[i], invert))
      isa_pkg::AluOpAnd: `VPU_EACH_LANE(x[i] & y[i])
      isa_pkg::AluOpOr: `VPU_EACH_LANE(x[i] | y[i])
      isa_pkg::AluOpXor: `VPU_EACH_LANE(x[i] ^ y[i])
      isa_pkg::AluOpAndNot: `VPU_EACH_LANE(x[i] & ~y[i])
      isa_pkg::AluOpShiftLeft: `VPU_EACH_LANE(vpu_integer_pkg::shift_left(x[i], y[i]))
      isa_pkg::AluOpShiftRightLogical: `VPU_EACH_LANE(vpu_integer_pkg::shift_right(x[i], y[i]))
      isa_pkg::AluOpShiftRightArithmetic:
        `VPU_EACH_LANE(vpu_integer_pkg::shift_right_signed(x[i], y[i]))
      isa_pkg::AluOpRotateLeft: `VPU_EACH_LANE(vpu_integer_pkg::rotate_left(x[i], y[i]))
      isa_pkg::AluOpEqualS32: `VPU_EACH_LANE(vpu_integer_pkg::is_equal(x[i], y[i]))
      isa_pkg::AluOpLessS32, isa_pkg::AluOpLessU32:
        `VPU_EACH_LANE(vpu_integer_pkg::is_less(x[i], y[i], invert))
      isa_pkg::AluOpSelect: `VPU_EACH_LANE((x[i] != 32'd0) ? y[i] : z[i])
      isa_pkg::AluOpPopulationCount: `VPU_EACH_LANE(vpu_integer_pkg::population_count(x[i]))
      isa_pkg::AluOpCountLeadingZeros: `VPU_EACH_LANE(vpu_integer_pkg::count_leading_zeros(x[i]))
      isa_pkg::AluOpS32ToF32: `VPU_EACH_LANE(vpu_convert_pkg::s32_to_f32(x[i]))
      isa_pkg::AluOpU32ToF32: `VPU_EACH_LANE(vpu_convert_pkg::from_count(x[i]))
      isa_pkg::AluOpF32ToS32: `VPU_EACH_LANE(vpu_convert_pkg::f32_to_s32(x[i]))
      isa_pkg::AluOpF32ToU32: `VPU_EACH_LANE(vpu_convert_pkg::f32_to_u32(x[i]))
      isa_pkg::AluOpRoundBf16: `VPU_EACH_LANE(vpu_convert_pkg::round_bf16(x[i]))
      isa_pkg::AluOpRoundF16: `VPU_EACH_LANE(vpu_convert_pkg::round_f16(x[i]))
      isa_pkg::AluOpExponentF32: `VPU_EACH_LANE(((x[i] >> 23) & 32'h0000_00ff) - 32'd127)
      isa_pkg::AluOpRequantizeDouble:
        `VPU_EACH_LANE(vpu_integer_pkg::requantize_double(x[i], y[i], z[i]))
      isa_pkg::AluOpRequantizeSingle:
        `VPU_EACH_LANE(vpu_integer_pkg::requantize_single(x[i], y[i], z[i]))
      isa_pkg::AluOpLookup: look_up(table_code);
      default: `VPU_EACH_LANE(x[i])  // copy
    endcase
  endtask

  // The arg operations fold twice: to the largest rank of a segment, a NaN's being above all
  // others; then to the lowest lane of that rank.
  task automatic reduce(input logic [7:0] op);
    logic [31:0] a, b, r, invert;
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
        a    = x[i];
        r    = a ^ ((32'd0 - (a >> 31)) | SignBit) ^ invert;
        r    = r | (32'd0 - vpu_float_pkg::is_nan(a));
        x[i] = r;
      end
      invert = 32'd0;
    end
    for (int unsigned i = 0; i < Count; i++) work[i] = x[i];
    unique case (op)
      isa_pkg::LaneOpReduceAddF32: `VPU_FOLD(vpu_float_pkg::add(a, b))
      isa_pkg::LaneOpReduceMaximumF32, isa_pkg::LaneOpReduceMinimumF32:
        `VPU_FOLD(vpu_float_pkg::choose(a, b, invert))
      isa_pkg::LaneOpReduceAddS32: `VPU_FOLD(a + b)
      isa_pkg::LaneOpReduceAnd, isa_pkg::LaneOpReduceOr:
        `VPU_FOLD(((a ^ invert) & (b ^ invert)) ^ invert)
      default: `VPU_FOLD(vpu_integer_pkg::choose(a, b, invert))
    endcase
    if (find) begin
      for (int unsigned s = 0; s < Segments; s++) begin
        a = work[s*Unit];
        for (int unsigned i = 0; i < Segment; i++) begin
          r = 32'((s*Segment) % Lanes) + i;
          folded[s*Segment + i] = (x[s*Segment + i] == a) ? r : AllOnes;
        end
      end
      for (int unsigned i = 0; i < Count; i++) work[i] = folded[i];
      `VPU_FOLD(vpu_integer_pkg::choose(a, b, AllOnes))
    end
    for (int unsigned s = 0; s < Segments; s++) begin
      a = work[s*Unit];
      for (int unsigned i = 0; i < Segment; i++) values[s*Segment + i] = a;
    end
  endtask

  // Moves `work` down by the amount, one step per bit of it; two loops, as loops of up to eight
  // steps are unrolled for simulation.
  task automatic slide(input logic [31:0] amount);
    logic [31:0] steps;
    steps = (amount > 32'(Count)) ? 32'(Count) : amount;
    for (int unsigned i = 0; i < Count; i++) begin
      work[i]         = x[i];
      work[Count + i] = y[i];
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
    for (int unsigned i = 0; i < Count; i++) values[i] = work[i];
  endtask

  task automatic rotate(input logic [31:0] amount);
    for (int unsigned i = 0; i < Count; i++) work[i] = x[i];
    for (int unsigned d = 1; d < Lanes; d = d * 2) begin
      if ((amount & d) != 32'd0) begin
        for (int unsigned s = 0; s < Sublanes; s++) begin
          for (int unsigned i = 0; i < Lanes - d; i++) folded[s*Lanes + i] = work[s*Lanes + i + d];
          for (int unsigned i = 0; i < d; i++) folded[s*Lanes + Lanes - d + i] = work[s*Lanes + i];
        end
        for (int unsigned i = 0; i < Count; i++) work[i] = folded[i];
      end
    end
    for (int unsigned i = 0; i < Count; i++) values[i] = work[i];
  endtask

  task automatic lane_slot(input logic [7:0] op, input logic [31:0] amount);
    logic [31:0] value, base;
    unique case (op)
      isa_pkg::LaneOpBroadcastLane:
        for (int unsigned s = 0; s < Segments; s++) begin
          value = x[s*Segment + (amount & (Segment - 1))];
          for (int unsigned i = 0; i < Segment; i++) values[s*Segment + i] = value;
        end
      isa_pkg::LaneOpRotateLanes: rotate(amount);
      isa_pkg::LaneOpBroadcastRow: begin
        base = amount & (Sublanes - 1);
        for (int unsigned s = 0; s < Sublanes; s++) begin
          if (base == s) begin
            for (int unsigned i = 0; i < Count; i++) begin
              values[i] = x[s*Lanes + (i & (Lanes - 1))];
            end
          end
        end
      end
      isa_pkg::LaneOpSlide: slide(amount);
      isa_pkg::LaneOpLaneIndex:
        for (int unsigned i = 0; i < Count; i++) values[i] = i & (Lanes - 1);
      isa_pkg::LaneOpRowIndex: for (int unsigned i = 0; i < Count; i++) values[i] = i / Lanes;
      default: reduce(op);
    endcase
  endtask

  task automatic execute();
    if (bundle.a_op != isa_pkg::AluOpNone) begin
      fetch(isa_pkg::alu_op_sources(bundle.a_op), bundle.a_x, bundle.a_y, bundle.a_z);
      alu(1'b1, bundle.a_op, bundle.a_y[6:0]);
      for (int unsigned i = 0; i < Count; i++) result[0][i] = values[i];
    end
    if (bundle.b_op != isa_pkg::AluOpNone) begin
      fetch(isa_pkg::alu_op_sources(bundle.b_op), bundle.b_x, bundle.b_y, bundle.b_z);
      alu(1'b0, bundle.b_op, bundle.b_y[6:0]);
      for (int unsigned i = 0; i < Count; i++) result[1][i] = values[i];
    end
    if (bundle.lane_op != isa_pkg::LaneOpNone) begin
      fetch(isa_pkg::lane_op_sources(bundle.lane_op), bundle.lane_x, bundle.lane_y, 8'd0);
      lane_slot(bundle.lane_op, narrow_operand(bundle.lane_z));
      for (int unsigned i = 0; i < Count; i++) result[2][i] = values[i];
    end
  endtask

  // Results of the last stage go where they belong.
  task automatic write_back();
    logic [TargetWidth-1:0] target;
    logic [7:0] row;
    for (int unsigned n = 0; n < 3; n++) begin
      target = targets[(Stages*3 + n)*TargetWidth +: TargetWidth];
      if (target[9] && target[6]) begin
        for (int unsigned q = 0; q < 2; q++) begin
          if (target[0] == q[0]) begin
            row = {4'd0, q[0], newest[q]};
            for (int unsigned i = 0; i < Count; i++) queue[row[3:0]][i] = result[4*Stages + n][i];
            newest[q]  = newest[q] + 3'd1;
            waiting[q] = waiting[q] + 4'd1;
          end
        end
      end else if (target[9]) begin
        row = row_of(target[8:7], target[5:0]);
        for (int unsigned i = 0; i < Count; i++) rows[row][i] = result[4*Stages + n][i];
      end
    end
  endtask

  // The oldest waiting result of an output goes to its port once that is free.
  task automatic present();
    logic [31:0] value;
    for (int unsigned q = 0; q < 2; q++) begin
      if (!out_valid_o[q] || out_ready_i[q]) begin
        out_valid_o[q] <= waiting[q] != 4'd0;
        if (waiting[q] != 4'd0) begin
          for (int unsigned i = 0; i < Count; i++) begin
            value = queue[{q[0], oldest[q]}][i];
            out_group_o[(q*Count + i)*32 +: 32] <= value;
          end
          oldest[q]  = oldest[q] + 3'd1;
          waiting[q] = waiting[q] - 4'd1;
          stores[q]  = stores[q] - 4'd1;
        end
      end
    end
  endtask

  task automatic count_stores();
    for (int unsigned n = 0; n < 2; n++) begin
      for (int unsigned q = 0; q < 2; q++) begin
        if (record[n*TargetWidth + 9] && record[n*TargetWidth + 6] &&
            record[n*TargetWidth] == q[0]) begin
          stores[q] = stores[q] + 4'd1;
        end
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      out_valid_o <= 2'd0;
      can_store_o <= 1'b1;
      targets     = '0;
      for (int unsigned q = 0; q < 2; q++) begin
        stores[q]  = 4'd0;
        waiting[q] = 4'd0;
        newest[q]  = 3'd0;
        oldest[q]  = 3'd0;
      end
    end else if (issue_i || targets != '0 || stores[0] != 4'd0 || stores[1] != 4'd0 ||
                 out_valid_o != 2'd0) begin
      present();
      for (int unsigned n = 4; n < 4*Stages + 4; n++) begin  // the last stage first
        for (int unsigned i = 0; i < Count; i++) begin
          result[4*Stages + 7 - n][i] = result[4*Stages + 3 - n][i];
        end
      end
      targets = (targets << (3 * TargetWidth)) | ($bits(targets))'(record);
      if (issue_i) execute();
      write_back();
      count_stores();
      can_store_o <= !stores[0][3] && !stores[1][3];
    end
    if (constant_write_i) constants[constant_addr_i] = constant_data_i;
  end
  /* verilator lint_on BLKSEQ */

  `PRIM_ASSERT(SpaceForStores, can_store_o || clear_i || !(record[9] && record[6] ||
                                                           record[19] && record[16]))

endmodule

`undef VPU_FETCH
`undef VPU_EACH_LANE
`undef VPU_FOLD
