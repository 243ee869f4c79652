// What the vector unit checks of an instruction before it starts; header, prefix and loop counts were
// checked by the sequencer.
package vpu_check_pkg;

  // A step's word is checked in those bits that have a meaning.
  // verilator lint_off UNUSEDSIGNAL

  function automatic logic op_is_legal(input logic [31:0] word);
    logic op;
    logic operand;
    unique case (word[7:0])
      isa_pkg::VectorOpCopy, isa_pkg::VectorOpAddF32, isa_pkg::VectorOpSubtractF32,
      isa_pkg::VectorOpReverseSubtractF32, isa_pkg::VectorOpMultiplyF32,
      isa_pkg::VectorOpMaximumF32, isa_pkg::VectorOpMinimumF32, isa_pkg::VectorOpRoundEvenF32,
      isa_pkg::VectorOpAddS32, isa_pkg::VectorOpSubtractS32, isa_pkg::VectorOpReverseSubtractS32,
      isa_pkg::VectorOpMultiplyS32, isa_pkg::VectorOpMaximumS32, isa_pkg::VectorOpMinimumS32,
      isa_pkg::VectorOpS32ToF32, isa_pkg::VectorOpF32ToS32, isa_pkg::VectorOpRoundBf16,
      isa_pkg::VectorOpRequantize: op = 1'b1;
      default: op = 1'b0;
    endcase
    unique case ({4'd0, word[11:8]})
      isa_pkg::VectorOperandNone, isa_pkg::VectorOperandY, isa_pkg::VectorOperandZ,
      isa_pkg::VectorOperandImmediate0, isa_pkg::VectorOperandImmediate1,
      isa_pkg::VectorOperandImmediate2, isa_pkg::VectorOperandImmediate3: operand = 1'b1;
      default: operand = 1'b0;
    endcase
    op_is_legal = op && operand;
  endfunction

  // The fault cause, FaultNone if the instruction may run.
  function automatic logic [7:0] instruction_fault(
      input logic [7:0] opcode, input logic [2:0] length_level, input logic [3:0] op_count,
      input logic [isa_pkg::VectorOps*32-1:0] ops, input logic [1:0] x_source,
      input logic [2:0] x_unit, input logic [31:0] mxu_count);
    logic legal;
    legal = (32'(length_level) < 32'(isa_pkg::Loops) || 32'(length_level) == 32'(isa_pkg::NoLevel))
            && 32'(op_count) <= 32'(isa_pkg::VectorOps)
            && 8'(x_source) <= isa_pkg::XSourceAccumulator
            && (8'(x_source) != isa_pkg::XSourceAccumulator || 32'(x_unit) < mxu_count);
    for (int unsigned i = 0; i < isa_pkg::VectorOps; i++) begin
      if (i < 32'(op_count) && !op_is_legal(ops[i*32 +: 32])) legal = 1'b0;
    end
    if (opcode == isa_pkg::OpSync) instruction_fault = isa_pkg::FaultNone;
    else if (opcode != isa_pkg::OpVector) instruction_fault = isa_pkg::FaultIllegalOpcode;
    else instruction_fault = legal ? isa_pkg::FaultNone : isa_pkg::FaultIllegalField;
  endfunction

  // verilator lint_on UNUSEDSIGNAL

endpackage
