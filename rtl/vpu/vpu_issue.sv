`include "prim_assert.svh"

// The front of the vector unit: checks and decodes the instruction at the head of the queue, walks
// the loops outside the kernel, holds each instance for its waits, and forms batches of instances
// that run in lockstep.
//
// A batch is closed when it is full, when an iteration of prologue_level ends with it, at the end
// of the instruction, and when the next instance has to wait while everything behind stands idle. A
// prologue is a batch of one. Up to four batches, each in a bank of its own, are on their way; the
// walk takes and releases them in order. An instruction begins when everything of the one before is
// visible.
module vpu_issue #(
  parameter int MxuCount = 1
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           clear_i,

  input  logic           instr_valid_i,
  output logic           instr_done_o,  // takes it from the queue
  input  logic [2047:0]  instr_i,       // held until then
  input  logic [1023:0]  flags_i,
  input  logic           all_retired_i,  // every instance is visible

  output logic           load_o,  // load_kernel may go
  input  logic           load_done_i,
  output logic           describe_o,  // stream

  // To the streams' forms.
  output logic           start_o,
  output logic           step_o,
  output logic [2:0]     carry_o,
  output logic           capture_o,
  output logic [1:0]     capture_bank_o,
  output logic [1:0]     capture_thread_o,

  output logic           retire_valid_o,  // an instance, with its signals
  input  logic           retire_ready_i,
  output logic [1:0]     retire_signals_o,

  output logic           batch_valid_o,
  input  logic           batch_ready_i,
  output logic [2:0]     batch_count_o,
  output logic           batch_prologue_o,
  input  logic           bank_release_i,

  input  logic           rest_idle_i,  // nothing is on its way behind this block
  output logic           moved_o,
  output logic           waiting_o,  // for this flag
  output logic [7:0]     wait_flag_o,

  output logic           fault_valid_o,  // for one cycle
  output logic [7:0]     fault_cause_o
);

  localparam int Banks = 4;

  typedef enum logic [1:0] {StIdle, StRun, StLoad, StDrain} state_e;
  state_e state_q;

  // Fields of other units' interest stay unread here.
  // verilator lint_off UNUSEDSIGNAL
  isa_pkg::vector_t      instr;
  isa_pkg::stream_t      stream;
  isa_pkg::load_kernel_t load_kernel;
  // verilator lint_on UNUSEDSIGNAL
  assign instr       = instr_i[isa_pkg::VectorWords*32-1:0];
  assign stream      = instr_i[isa_pkg::StreamWords*32-1:0];
  assign load_kernel = instr_i;

  logic         is_vector;
  logic         has_prologue;
  logic [7:0]   instr_fault;
  logic         legal;
  logic         start;
  logic         nest_active;
  logic         blocked;
  logic [6:0]   first_levels;
  logic [6:0]   last_levels;
  logic         go;  // the iteration that the nest shows
  logic [191:0] counts;
  logic [191:0] unused_index;

  assign is_vector = (instr.opcode == isa_pkg::OpVector);
  assign has_prologue = (instr.prologue_level != 3'(isa_pkg::NoLevel));
  assign start     = (state_q == StIdle) && instr_valid_i && (instr_fault == isa_pkg::FaultNone)
                     && !clear_i;
  assign start_o   = start && is_vector;
  assign step_o    = go && is_vector;

  always_comb begin
    instr_fault = isa_pkg::FaultNone;
    legal       = 1'b0;
    counts      = '0;
    if (state_q == StIdle && instr_valid_i) begin
      instr_fault = isa_pkg::FaultIllegalField;
      case (instr.opcode)
        isa_pkg::OpSync: legal = 1'b1;
        isa_pkg::OpVector: begin
          legal = vpu_check_pkg::levels_are_legal(instr_i[3*32 +: 9*32], instr.kernel_level);
          legal = legal && (instr.kernel_level <= 3'(isa_pkg::Loops))
                  && (instr.prologue_level <= instr.kernel_level || !has_prologue);
        end
        isa_pkg::OpStream:
          legal = vpu_check_pkg::stream_is_legal(stream.index, stream.type_, stream.source,
                                                 32'(stream.unit) < MxuCount, stream.flat,
                                                 stream.spread, stream.gather);
        isa_pkg::OpLoadKernel:
          legal = vpu_check_pkg::load_kernel_is_legal(load_kernel.part, load_kernel.first,
                                                      load_kernel.count);
        default: instr_fault = isa_pkg::FaultIllegalOpcode;
      endcase
      if (legal) instr_fault = isa_pkg::FaultNone;
      for (int unsigned loop = 0; loop < isa_pkg::Loops; loop++) begin
        counts[loop*32 +: 32] = (is_vector && loop < 32'(instr.kernel_level))
                                ? instr.counts[loop*32 +: 32] : 32'd1;
      end
    end
  end

  prim_loop_nest u_nest (
    .clk_i, .rst_ni, .clear_i,
    .start_i       (start),
    .counts_i      (counts),
    .step_i        (go),
    .active_o      (nest_active),
    .index_o       (unused_index),
    .first_levels_o(first_levels),
    .last_levels_o (last_levels),
    .carry_o
  );

  prim_flag_wait u_waits (
    .clk_i, .rst_ni,
    .load_i          (start),
    .words_i         (instr_i[4*32 +: 256]),
    .weights_select_i(1'b0),
    .flags_i,
    .check_i         (nest_active),
    .levels_i        (first_levels),
    .blocked_o       (blocked),
    .blocked_flag_o  (wait_flag_o),
    .pass_i          (go)
  );

  // Batches.
  logic [1:0] thread_q;      // instances in the batch being formed
  logic [1:0] bank_q;        // where it is formed
  logic [2:0] banks_used_q;  // by batches that are closed
  logic       introduced_q;  // the prologue before the shown instance is under way
  logic       introduce;     // the prologue comes first
  logic       room;
  logic       close;
  logic       close_early;
  logic       batches_ready;
  logic [2:0] unused_batches;

  assign introduce    = has_prologue && first_levels[instr.prologue_level] && !introduced_q;
  assign room         = (banks_used_q < 3'(Banks)) && retire_ready_i;
  assign capture_o    = nest_active && is_vector && !blocked && room && !clear_i;
  assign go           = nest_active && !blocked && !clear_i
                        && (is_vector ? room && !introduce : 1'b1);
  assign close_early  = nest_active && is_vector && blocked && thread_q != 2'd0 && rest_idle_i
                        && !batch_valid_o && !clear_i;
  assign close        = close_early
                        || (capture_o && (introduce || thread_q == 2'(isa_pkg::VectorThreads - 1)
                                          || last_levels[0]
                                          || (has_prologue && last_levels[instr.prologue_level])));

  assign capture_bank_o   = bank_q;
  assign capture_thread_o = thread_q;
  assign retire_valid_o   = capture_o && !introduce;
  assign retire_signals_o = {instr.signal1_valid && last_levels[instr.signal1_level],
                             instr.signal0_valid && last_levels[instr.signal0_level]};

  prim_fifo #(.Width(4), .Depth(Banks)) u_batches (
    .clk_i, .rst_ni, .clear_i,
    .limit_i    (3'(Banks)),
    .in_valid_i (close),
    .in_ready_o (batches_ready),
    .in_i       ({capture_o && introduce, {1'b0, thread_q} + 3'(capture_o)}),
    .out_valid_o(batch_valid_o),
    .out_ready_i(batch_ready_i),
    .out_o      ({batch_prologue_o, batch_count_o}),
    .used_o     (unused_batches)
  );

  assign load_o       = go && instr.opcode == isa_pkg::OpLoadKernel;
  assign describe_o   = go && instr.opcode == isa_pkg::OpStream;
  assign instr_done_o = (state_q == StDrain) && all_retired_i;
  assign moved_o      = capture_o || go || state_q == StLoad;
  assign waiting_o    = blocked;

  assign fault_valid_o = (instr_fault != isa_pkg::FaultNone);
  assign fault_cause_o = instr_fault;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      state_q      <= StIdle;
      thread_q     <= 2'd0;
      bank_q       <= 2'd0;
      banks_used_q <= 3'd0;
      introduced_q <= 1'b0;
    end else if (instr_valid_i) begin
      if (close) thread_q <= 2'd0;
      else if (capture_o) thread_q <= thread_q + 2'd1;
      if (close) bank_q <= bank_q + 2'd1;
      banks_used_q <= banks_used_q + 3'(close) - 3'(bank_release_i);
      if (capture_o) introduced_q <= introduce;
      unique case (state_q)
        StIdle: if (start) state_q <= StRun;
        StRun: if (go && last_levels[0]) state_q <= load_o ? StLoad : StDrain;
        StLoad: if (load_done_i) state_q <= StDrain;
        StDrain: if (all_retired_i) state_q <= StIdle;
        default: state_q <= StIdle;
      endcase
    end
  end

  `PRIM_ASSERT(BatchHasRoom, !close || batches_ready)
  `PRIM_ASSERT(FullBatchesAreClosed, !introduce || !capture_o || thread_q == 2'd0)

endmodule
