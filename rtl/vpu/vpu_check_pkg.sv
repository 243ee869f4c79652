// What the vector unit checks: of an instruction before it starts (header, prefix and loop counts
// were checked by the sequencer), and of a bundle before it executes.
package vpu_check_pkg;

  function automatic logic load_kernel_is_legal(input logic part, input logic [15:0] first,
                                                input logic [5:0] count);
    logic [31:0] most;
    logic [31:0] size;
    logic        bundles;
    bundles = ({7'd0, part} == isa_pkg::KernelPartBundles);
    most    = bundles ? 32'd10 : 32'd50;
    size    = bundles ? 32'(isa_pkg::KernelBundles) : 32'(isa_pkg::KernelConstants);
    load_kernel_is_legal = (count != 6'd0) && (32'(count) <= most)
                           && (32'(first) + 32'(count) <= size);
  endfunction

  function automatic logic stream_is_legal(input logic [2:0] index, input logic [3:0] lane_type,
                                           input logic [1:0] source, input logic unit_exists,
                                           input logic flat, input logic [1:0] spread,
                                           input logic gather);
    logic legal;
    logic is_output;
    logic from_buffer;
    logic from_accumulator;
    is_output        = (index >= 3'(isa_pkg::InputStreams));
    from_buffer      = ({6'd0, source} == isa_pkg::StreamSourceBuffer);
    from_accumulator = ({6'd0, source} == isa_pkg::StreamSourceAccumulator);
    legal = (32'(index) < isa_pkg::InputStreams + isa_pkg::OutputStreams)
            && ({4'd0, lane_type} <= isa_pkg::LaneTypeU32)
            && ({6'd0, source} <= isa_pkg::StreamSourceIota);
    if (from_accumulator && (!unit_exists || flat || gather || spread != 2'd0)) legal = 1'b0;
    if (is_output && !from_buffer) legal = 1'b0;
    if (flat && spread != 2'd0) legal = 1'b0;
    if (gather && (is_output || flat || !from_buffer)) legal = 1'b0;
    stream_is_legal = legal;
  endfunction

  // Words 3..11 of an instruction: whether signals and waits are of levels up to `top`.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic levels_are_legal(input logic [9*32-1:0] words, input logic [2:0] top);
    logic legal;
    legal = 1'b1;
    for (int unsigned i = 0; i < 2; i++) begin
      if (words[i*16 + 15] && words[i*16 + 8 +: 3] > top) legal = 1'b0;
    end
    for (int unsigned i = 0; i < 4; i++) begin
      if (words[32 + i*64 + 31] && words[32 + i*64 + 8 +: 3] > top) legal = 1'b0;
    end
    levels_are_legal = legal;
  endfunction
  // verilator lint_on UNUSEDSIGNAL

  // An operand of an ALU slot: v, w, in, s, constant.
  function automatic logic operand_is_legal(input logic [7:0] code);
    operand_is_legal = (code < 8'(isa_pkg::OperandInput + isa_pkg::InputStreams))
                       || (code >= 8'(isa_pkg::OperandScalar)
                           && code < 8'(isa_pkg::OperandScalar + isa_pkg::VectorScalars))
                       || code >= 8'(isa_pkg::OperandConstant);
  endfunction

  function automatic logic register_is_written(input logic [7:0] code, input logic prologue);
    register_is_written = code < (prologue ? 8'(isa_pkg::OperandInput) : 8'(isa_pkg::OperandShared));
  endfunction

  // Operands and destination of an ALU slot whose operation exists.
  function automatic logic slot_is_legal(input logic [7:0] op, input logic [7:0] dst,
                                         input logic [7:0] x, input logic [7:0] y,
                                         input logic [7:0] z, input logic prologue);
    logic [1:0] sources;
    logic       legal;
    sources = isa_pkg::alu_op_sources(op);
    legal   = register_is_written(dst, prologue)
              || dst == 8'(isa_pkg::OperandOutput) || dst == 8'(isa_pkg::OperandOutput + 1);
    if (sources >= 2'd1 && !operand_is_legal(x)) legal = 1'b0;
    if (sources >= 2'd2 && !operand_is_legal(y)) legal = 1'b0;
    if (sources >= 2'd3 && !operand_is_legal(z)) legal = 1'b0;
    if (op == isa_pkg::AluOpLookup && y < 8'(isa_pkg::OperandConstant)) legal = 1'b0;
    slot_is_legal = legal || op == isa_pkg::AluOpNone;
  endfunction

  function automatic logic lane_slot_is_legal(input logic [7:0] op, input logic [7:0] dst,
                                              input logic [7:0] x, input logic [7:0] y,
                                              input logic [7:0] z, input logic prologue);
    logic [1:0] sources;
    logic       amount;
    logic       legal;
    sources = isa_pkg::lane_op_sources(op);
    amount  = isa_pkg::lane_op_amount(op);
    legal   = register_is_written(dst, prologue);
    if (sources >= 2'd1 && x >= 8'(isa_pkg::OperandInput)) legal = 1'b0;
    if (sources >= 2'd2 && y >= 8'(isa_pkg::OperandInput)) legal = 1'b0;
    if (amount && (z < 8'(isa_pkg::OperandScalar) || !operand_is_legal(z))) legal = 1'b0;
    lane_slot_is_legal = legal || op == isa_pkg::LaneOpNone;
  endfunction

  // Input streams that a legal ALU slot names.
  function automatic logic [3:0] inputs_named(input logic [7:0] op, input logic [7:0] x,
                                              input logic [7:0] y, input logic [7:0] z);
    logic [1:0] sources;
    logic [3:0] named;
    logic [7:0] code;
    sources = isa_pkg::alu_op_sources(op);
    named   = 4'd0;
    for (int unsigned q = 0; q < isa_pkg::InputStreams; q++) begin
      code = 8'(isa_pkg::OperandInput + q);
      named[q] = (sources >= 2'd1 && x == code) || (sources >= 2'd2 && y == code)
                 || (sources >= 2'd3 && z == code);
    end
    inputs_named = named;
  endfunction

  // Output streams that a legal ALU slot writes.
  function automatic logic [1:0] outputs_named(input logic [7:0] op, input logic [7:0] dst);
    outputs_named[0] = (op != isa_pkg::AluOpNone) && dst == 8'(isa_pkg::OperandOutput);
    outputs_named[1] = (op != isa_pkg::AluOpNone) && dst == 8'(isa_pkg::OperandOutput + 1);
  endfunction

endpackage
