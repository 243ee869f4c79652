// What the sequencer checks of an engine instruction before an engine sees it. Everything that needs
// to know the engine's own fields is checked by the engine.
package sequencer_check_pkg;

  // Whether a header names an instruction, an engine that executes it and its length.
  function automatic logic header_is_legal(input logic [7:0] opcode, input logic [3:0] engine_field,
                                           input logic [5:0] quads, input int engines);
    logic       legal;
    logic [7:0] engine;
    engine = {4'd0, engine_field};
    unique case (opcode)
      isa_pkg::OpHalt, isa_pkg::OpAdd, isa_pkg::OpBranch, isa_pkg::OpLoadScalar, isa_pkg::OpAwait:
        legal = (engine == isa_pkg::EngineSequencer) && (quads == 6'(isa_pkg::ScalarWords / 4));
      isa_pkg::OpSync:
        legal = (engine != isa_pkg::EngineSequencer) && (quads == 6'(isa_pkg::SyncWords / 4));
      isa_pkg::OpLoad:
        legal = (engine == isa_pkg::EngineDmaLoad) && (quads == 6'(isa_pkg::DmaWords / 4));
      isa_pkg::OpStore:
        legal = (engine == isa_pkg::EngineDmaStore) && (quads == 6'(isa_pkg::DmaWords / 4));
      isa_pkg::OpMatmul:
        legal = (engine >= isa_pkg::EngineMxu0) && (quads == 6'(isa_pkg::MatmulWords / 4));
      isa_pkg::OpVector:
        legal = (engine == isa_pkg::EngineVpu) && (quads == 6'(isa_pkg::VectorWords / 4));
      isa_pkg::OpLoadKernel:
        legal = (engine == isa_pkg::EngineVpu) && (quads == 6'(isa_pkg::LoadKernelWords / 4));
      isa_pkg::OpStream:
        legal = (engine == isa_pkg::EngineVpu) && (quads == 6'(isa_pkg::StreamWords / 4));
      isa_pkg::OpTranspose:
        legal = (engine == isa_pkg::EngineXlu) && (quads == 6'(isa_pkg::TransposeWords / 4));
      default: legal = 1'b0;
    endcase
    header_is_legal = legal && (32'(engine) < engines);
  endfunction

  // Whether the prefix names flags and levels that exist: a signal raises a program flag.
  function automatic logic prefix_is_legal(input logic [isa_pkg::PrefixWords*32-1:0] words);
    logic        legal;
    // verilator lint_off UNUSEDSIGNAL
    logic [15:0] signal;
    logic [31:0] held;
    // verilator lint_on UNUSEDSIGNAL
    legal = 1'b1;
    for (int unsigned i = 0; i < 2; i++) begin  // signal i: half of word 3
      signal = words[3*32 + i*16 +: 16];
      if (signal[15] && (32'(signal[7:0]) >= isa_pkg::RemoteFlagBase || signal[10:8] > 3'(isa_pkg::Loops)))
        legal = 1'b0;
    end
    for (int unsigned i = 0; i < 4; i++) begin  // wait i: words 4 + 2i and 5 + 2i
      held = words[(4 + 2*i)*32 +: 32];
      if (held[31] && (32'(held[7:0]) >= isa_pkg::Flags || held[10:8] > 3'(isa_pkg::Loops))) legal = 1'b0;
    end
    prefix_is_legal = legal;
  endfunction

  // Whether no loop is empty, of an instruction that has loops: they stand behind the prefix.
  function automatic logic counts_are_legal(input logic [7:0] opcode,
                                            input logic [isa_pkg::Loops*32-1:0] counts);
    logic legal;
    legal = 1'b1;
    for (int unsigned l = 0; l < isa_pkg::Loops; l++) begin
      if (counts[l*32 +: 32] == 32'd0) legal = 1'b0;
    end
    counts_are_legal = legal || opcode == isa_pkg::OpSync || opcode == isa_pkg::OpLoadKernel
                       || opcode == isa_pkg::OpStream;
  endfunction

endpackage
