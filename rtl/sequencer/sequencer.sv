`include "prim_assert.svh"

// Walks the program: executes scalar instructions, and sends every other one in program order into
// the queue of its engine, registers added.
//
//   memory -> sequencer_fetch -> quads -> instr_o, complete -> patches, check -> engine e
//                                     `-> one quad of scalar instruction, executed here
//
// Collecting takes a cycle per quad, each used patch one more. A fault stops the sequencer until
// `abort_i`, which it obeys in every state. `halt` is done when every engine is idle.
module sequencer #(
  parameter  int Engines          = 6,  // itself, dma_load, dma_store, vpu, xlu, MXUs
  parameter  int LineBytes        = 64,
  parameter  int InstructionLines = 64,
  parameter  int BufferBytes      = 65536,
  parameter  int WordBytes        = 16,
  localparam int AddrWidth        = $clog2(BufferBytes / WordBytes)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  // A job: `start_i` while idle, `done_o` for one cycle when its halt is through.
  input  logic                         start_i,
  input  logic [39:0]                  program_base_i,
  input  logic [31:0]                  program_bytes_i,
  output logic                         done_o,
  input  logic                         abort_i,
  output logic                         idle_o,

  // Issue; `instr_o` and `instr_pc_o` go to every engine. Bit 0 (the sequencer) stays 0.
  output logic [Engines-1:0]           instr_valid_o,
  input  logic [Engines-1:0]           instr_ready_i,
  output logic [2047:0]                instr_o,
  output logic [31:0]                  instr_pc_o,
  input  logic                         engines_idle_i,
  input  logic [isa_pkg::Flags*16-1:0] flags_i,

  output logic                         mem_req_valid_o,
  input  logic                         mem_req_ready_i,
  output logic [39:0]                  mem_req_addr_o,
  output logic [7:0]                   mem_req_tag_o,
  input  logic                         mem_rsp_valid_i,
  input  logic [7:0]                   mem_rsp_tag_i,
  input  logic [LineBytes*8-1:0]       mem_rsp_data_i,

  output logic                         buffer_valid_o,
  output logic [AddrWidth-1:0]         buffer_addr_o,
  input  logic                         buffer_ready_i,
  input  logic                         buffer_data_valid_i,
  input  logic [WordBytes*8-1:0]       buffer_data_i,

  output logic                         busy_o,
  output logic                         stall_o,
  output logic                         progress_o,
  output logic                         waiting_o,
  output logic [7:0]                   wait_flag_o,
  output logic [31:0]                  pc_o,
  output logic                         issued_o,  // an instruction was issued or executed
  output logic                         fault_valid_o,
  output logic [3:0]                   fault_engine_o,  // the instruction's
  output logic [7:0]                   fault_cause_o,
  output logic [31:0]                  fault_pc_o,
  output logic [63:0]                  fault_address_o
);

  localparam int WordShift = $clog2(WordBytes);

  typedef enum logic [3:0] {
    StIdle, StCollect, StExecute, StAwait, StLoad, StLoadData, StPatch, StIssue, StHalt, StFault
  } state_e;
  state_e         state_q;
  logic [31:0]    pc_q;
  logic [5:0]     quad_q;          // quads collected
  logic [1023:0]  scalars_q;
  logic           waits_added_q;
  logic [3:0]     patches_left_q;

  logic              fetch_idle;
  logic              quad_valid;
  logic [127:0]      quad;
  logic [31:0]       quad_pc;
  logic              in_program;
  logic              reached;
  logic [5:0]        quads;        // of the instruction that is being collected

  // Formats are laid over whole words, of which this block uses some bits.
  // verilator lint_off UNUSEDSIGNAL
  isa_pkg::scalar_t  scalar;
  isa_pkg::header_t  header;     // of the quad that arrives
  logic [15:0]       distance;
  logic [31:0]       operand_q;  // load_scalar: address; await: target
  // verilator lint_on UNUSEDSIGNAL

  assign scalar     = instr_o[127:0];
  assign header     = quad[31:0];
  assign quad_pc    = pc_q + {22'd0, quad_q, 4'd0};
  assign in_program = ({1'b0, quad_pc} + 33'd16 <= {1'b0, program_bytes_i}) && pc_q <= quad_pc;
  assign quads      = (quad_q == 6'd0) ? header.quads : scalar.quads;
  assign distance   = flags_i[{scalar.target[5:0], 4'd0} +: 16] - operand_q[15:0];
  assign reached    = !distance[15];

  sequencer_fetch #(.LineBytes(LineBytes), .InstructionLines(InstructionLines)) u_fetch (
    .clk_i,
    .rst_ni,
    .start_i,
    .enable_i     (state_q != StIdle && state_q != StHalt && state_q != StFault && !abort_i),
    .program_base_i,
    .program_bytes_i,
    .idle_o       (fetch_idle),
    .want_i       (state_q == StCollect && in_program),
    .pc_i         (quad_pc),
    .quad_valid_o (quad_valid),
    .quad_o       (quad),
    .req_valid_o  (mem_req_valid_o),
    .req_ready_i  (mem_req_ready_i),
    .req_addr_o   (mem_req_addr_o),
    .req_tag_o    (mem_req_tag_o),
    .rsp_valid_i  (mem_rsp_valid_i),
    .rsp_tag_i    (mem_rsp_tag_i),
    .rsp_data_i   (mem_rsp_data_i)
  );

  assign idle_o         = (state_q == StIdle) && fetch_idle;
  assign instr_pc_o     = pc_q;
  assign pc_o           = pc_q;
  assign buffer_valid_o = (state_q == StLoad);
  assign buffer_addr_o  = operand_q[WordShift +: AddrWidth];
  assign waiting_o      = (state_q == StAwait) && !reached;
  assign wait_flag_o    = {2'd0, scalar.target[5:0]};
  assign stall_o        = (state_q == StCollect && in_program && !quad_valid)
                          || (state_q == StAwait && !reached)
                          || (state_q == StLoad && !buffer_ready_i)
                          || (state_q == StIssue && (instr_valid_o & instr_ready_i) == '0)
                          || (state_q == StHalt);
  assign busy_o         = state_q != StIdle && state_q != StFault && !stall_o;
  assign progress_o     = busy_o;

  for (genvar e = 0; e < Engines; e++) begin : gen_issue
    assign instr_valid_o[e] = (e != 0) && (state_q == StIssue) && (scalar.engine == 4'(e));
  end

  function automatic logic [31:0] read_scalar(input logic [4:0] index);
    read_scalar = scalars_q[{index, 5'd0} +: 32];
  endfunction

  task automatic write_scalar(input logic [4:0] index, input logic [31:0] value);
    if (index != 5'd0) scalars_q[{index, 5'd0} +: 32] <= value;
  endtask

  task automatic raise_fault(input logic [7:0] cause, input logic [63:0] address);
    state_q         <= StFault;
    fault_valid_o   <= 1'b1;
    fault_engine_o  <= 4'd0;
    fault_cause_o   <= cause;
    fault_pc_o      <= pc_q;
    fault_address_o <= address;
  endtask

  task automatic next_instruction(input logic [31:0] pc);
    state_q  <= StCollect;
    pc_q     <= pc;
    quad_q   <= 6'd0;
    issued_o <= 1'b1;
  endtask

  task automatic collect();
    if (!in_program) begin
      raise_fault(isa_pkg::FaultProgramBounds, 64'(quad_pc));
    end else if (quad_valid) begin
      if (quad_q == 6'd0) instr_o <= {1920'd0, quad};
      else instr_o[{quad_q[3:0], 7'd0} +: 128] <= quad;
      quad_q <= quad_q + 6'd1;
      if (quad_q == 6'd0 && !sequencer_check_pkg::header_is_legal(header.opcode, header.engine, header.quads,
                                                                  Engines)) begin
        raise_fault(isa_pkg::FaultIllegalOpcode, 64'(quad[31:0]));
      end else if (quad_q + 6'd1 == quads) begin
        state_q        <= (quads == 6'(isa_pkg::ScalarWords / 4)) ? StExecute : StPatch;
        waits_added_q  <= 1'b0;
      end
    end
  endtask

  task automatic execute();
    logic [31:0] rs;
    logic [31:0] right;
    logic [31:0] sum;
    logic        taken;
    rs    = read_scalar(scalar.rs);
    right = read_scalar(scalar.rt) + scalar.imm;
    sum   = rs + scalar.imm;
    unique case (scalar.opcode)
      isa_pkg::OpHalt: begin
        state_q  <= StHalt;
        issued_o <= 1'b1;
      end
      isa_pkg::OpAdd: begin
        write_scalar(scalar.rd, rs + right);
        next_instruction(pc_q + 32'd16);
      end
      isa_pkg::OpBranch: begin
        unique case ({5'd0, scalar.condition})
          isa_pkg::ConditionEq: taken = (rs == right);
          isa_pkg::ConditionNe: taken = (rs != right);
          isa_pkg::ConditionLt: taken = ($signed(rs) < $signed(right));
          isa_pkg::ConditionGe: taken = ($signed(rs) >= $signed(right));
          default:              taken = 1'b1;
        endcase
        if ({5'd0, scalar.condition} > isa_pkg::ConditionGe)
          raise_fault(isa_pkg::FaultIllegalField, 64'(scalar.condition));
        else if (taken && scalar.target[3:0] != 4'd0)
          raise_fault(isa_pkg::FaultIllegalField, 64'(scalar.target));
        else next_instruction(taken ? scalar.target : pc_q + 32'd16);
      end
      isa_pkg::OpLoadScalar: begin
        operand_q <= sum;
        state_q   <= StLoad;
        if (sum[1:0] != 2'd0) raise_fault(isa_pkg::FaultMisaligned, 64'(sum));
        else if (sum >= 32'(BufferBytes)) raise_fault(isa_pkg::FaultBufferRange, 64'(sum));
      end
      default: begin  // await
        operand_q <= sum;
        state_q   <= StAwait;
        if (scalar.target >= 32'(isa_pkg::Flags))
          raise_fault(isa_pkg::FaultIllegalField, 64'(scalar.target));
      end
    endcase
  endtask

  // Adds the registers of the waits, then one patch per cycle, and checks the result at the end.
  task automatic patch();
    logic [4:0]  register;
    logic [5:0]  word;
    logic [31:0] sum;
    if (!waits_added_q) begin
      waits_added_q  <= 1'b1;
      patches_left_q <= 4'd0;
      for (int unsigned i = 0; i < 4; i++) begin  // patch i: half of word 1 + i/2
        register = instr_o[32 + i*16 + 8 +: 5];
        if (register != 5'd0) patches_left_q[i] <= 1'b1;
      end
      for (int unsigned i = 0; i < 4; i++) begin  // wait i: words 4 + 2i and 5 + 2i
        register = instr_o[(4 + 2*i)*32 + 16 +: 5];
        sum      = read_scalar(register);
        instr_o[(5 + 2*i)*32 +: 16] <= instr_o[(5 + 2*i)*32 +: 16] + sum[15:0];
      end
    end else if (patches_left_q != 4'd0) begin
      register = 5'd0;
      word     = 6'd0;
      for (int i = 3; i >= 0; i--) begin
        if (patches_left_q[i]) begin
          word     = instr_o[32 + i*16 +: 6];
          register = instr_o[32 + i*16 + 8 +: 5];
        end
      end
      patches_left_q <= patches_left_q & (patches_left_q - 4'd1);
      sum            = instr_o[{word, 5'd0} +: 32] + read_scalar(register);
      if (word >= 6'(isa_pkg::PrefixWords)) instr_o[{word, 5'd0} +: 32] <= sum;
    end else if (!sequencer_check_pkg::prefix_is_legal(instr_o[isa_pkg::PrefixWords*32-1:0])
                 || !sequencer_check_pkg::counts_are_legal(
                      scalar.opcode,
                      instr_o[isa_pkg::PrefixWords*32 +: isa_pkg::Loops*32])) begin
      raise_fault(isa_pkg::FaultIllegalField, 64'd0);
      fault_engine_o <= scalar.engine;
    end else begin
      state_q <= StIssue;
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q       <= StIdle;
      done_o        <= 1'b0;
      issued_o      <= 1'b0;
      fault_valid_o <= 1'b0;
    end else if (start_i || state_q != StIdle || done_o) begin
      done_o        <= 1'b0;
      issued_o      <= 1'b0;
      fault_valid_o <= 1'b0;
      unique case (state_q)
        StIdle: if (start_i) begin
          state_q   <= StCollect;
          pc_q      <= 32'd0;
          quad_q    <= 6'd0;
          scalars_q <= '0;
        end
        StCollect: collect();
        StExecute: execute();
        StAwait:   if (reached) next_instruction(pc_q + 32'd16);
        StLoad:    if (buffer_ready_i) state_q <= StLoadData;
        StLoadData: if (buffer_data_valid_i) begin
          write_scalar(scalar.rd, buffer_data_i[{operand_q[WordShift-1:2], 5'd0} +: 32]);
          next_instruction(pc_q + 32'd16);
        end
        StPatch: patch();
        StIssue: if ((instr_valid_o & instr_ready_i) != '0) begin
          next_instruction(pc_q + {22'd0, scalar.quads, 4'd0});
        end
        StHalt: if (engines_idle_i && fetch_idle) begin
          state_q <= StIdle;
          done_o  <= 1'b1;
        end
        default: ;  // StFault waits for abort_i
      endcase
      if (abort_i) begin
        state_q       <= StIdle;
        done_o        <= 1'b0;
        fault_valid_o <= 1'b0;
      end
    end
  end

  `PRIM_ASSERT(StartsIdle, !start_i || idle_o)
  `PRIM_ASSERT(NeverBusyAndStalled, !(busy_o && stall_o))

endmodule
