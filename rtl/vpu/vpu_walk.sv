`include "prim_assert.svh"

// Walks the bundles of batches of instances, ahead of execution.
//
//   StIdle  a batch is taken, its first bundle read
//   StCheck the bundle is checked, and what comes after it is found out
//   StNext  it goes to the record stage as soon as that is free; the next bundle is read
//
// The record stage (vpu_records) takes at least as many cycles as the batch has instances, and
// execution at least four per bundle, so two cycles for each are no bottleneck. A fault stops the
// walk; it is raised when everything before it has been executed and is visible: a marker follows
// the records to execution, whose end is the fault.
module vpu_walk (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,

  // Fields of other units' interest stay unread here.
  // verilator lint_off UNUSEDSIGNAL
  input  isa_pkg::vector_t  instr_i,
  // verilator lint_on UNUSEDSIGNAL

  input  logic              batch_valid_i,
  output logic              batch_ready_o,
  input  logic [2:0]        batch_count_i,
  input  logic              batch_prologue_i,

  // Kernel memory.
  output logic              read_o,
  output logic [8:0]        read_addr_o,
  input  logic [159:0]      bundle_i,

  // Streams.
  input  logic [5:0]        described_i,
  input  logic [191:0]      groups_limits_i,
  output logic              advance_o,
  output logic [5:0]        loops_ended_o,
  output logic              loop_again_o,
  output logic [2:0]        loop_index_o,

  // To the record stage.
  output logic              step_valid_o,
  input  logic              step_ready_i,
  output vpu_pkg::step_t    step_o,

  output logic              idle_o,
  output logic              moved_o,
  output logic              faulted_o,  // until clear_i
  output logic [7:0]        fault_cause_o,
  output logic [31:0]       fault_address_o
);

  typedef enum logic [1:0] {StIdle, StCheck, StNext, StFault} state_e;
  state_e state_q;

  localparam int Loops   = isa_pkg::Loops;
  localparam int Streams = isa_pkg::InputStreams + isa_pkg::OutputStreams;

  // verilator lint_off UNUSEDSIGNAL
  isa_pkg::bundle_t bundle;  // its reserved bits mean nothing
  // verilator lint_on UNUSEDSIGNAL
  assign bundle = bundle_i;

  // The batch and where it is.
  logic [2:0]  count_q;
  logic        prologue_q;
  logic [16:0] number_q;   // of the bundle, relative to kernel_base
  logic [5:0]  active_q;   // loops
  logic [5:0]  last_q;     // loops that are in their last turn
  logic [32:0] executed_q; // bundles

  // Private to the clocked block below and blocking.
  logic [31:0] turn   [0:Loops-1];    // index of a loop
  logic [31:0] origin [0:Loops-1];    // bundle at which its body starts
  logic [32:0] taken  [0:Streams-1];  // groups of each stream

  // What follows the bundle.
  logic [16:0] next_q;
  logic        leaves_q;  // the batch ends
  logic        again_q;
  logic [2:0]  again_loop_q;
  logic [5:0]  ended_q;
  logic [5:0]  opened_q;  // active loops, before any ends

  logic        take;
  logic        place;
  logic [16:0] first_number;
  logic [16:0] read_number;
  logic [17:0] memory_number;

  assign take          = (state_q == StIdle) && batch_valid_i && !clear_i;
  assign place         = (state_q == StNext) && step_ready_i && !clear_i;
  assign batch_ready_o = take;
  assign first_number  = batch_prologue_i ? 17'd0 : {1'b0, instr_i.body};
  assign read_number   = take ? first_number : next_q;
  assign memory_number = {2'b00, instr_i.kernel_base} + {1'b0, read_number};
  assign read_o        = take || (place && !leaves_q);
  assign read_addr_o   = memory_number[8:0];

  assign step_valid_o = (state_q == StNext);
  assign advance_o      = place;
  assign loops_ended_o  = ended_q;
  assign loop_again_o   = again_q;
  assign loop_index_o   = again_loop_q;
  assign idle_o         = (state_q == StIdle) && !batch_valid_i;
  assign moved_o        = take || place || state_q == StCheck;
  assign faulted_o      = (state_q == StFault);

  logic outside_q;  // the bundle lies beyond the memory

  // Streams that a bundle names, and whether it may; each of them counts a group.
  logic [3:0] a_inputs;
  logic [3:0] b_inputs;
  logic [5:0] named;

  // The functions have arguments even where they read the bundle: yosys takes one without for
  // constant.
  function automatic logic operations_exist(input logic [7:0] a_op, input logic [7:0] b_op,
                                            input logic [7:0] lane_op);
    // verilator lint_off UNUSEDSIGNAL
    logic [1:0] a;
    logic [1:0] b;
    // verilator lint_on UNUSEDSIGNAL
    logic       lane;
    a    = isa_pkg::alu_op_slots(a_op);
    b    = isa_pkg::alu_op_slots(b_op);
    lane = isa_pkg::lane_op_exists(lane_op);
    operations_exist = (a_op == isa_pkg::AluOpNone || a[0])
                       && (b_op == isa_pkg::AluOpNone || b[1])
                       && (lane_op == isa_pkg::LaneOpNone || lane);
  endfunction

  function automatic logic registers_are_legal(input logic prologue);
    logic a_writes;
    logic b_writes;
    logic lane_writes;
    logic a_legal;
    logic b_legal;
    logic lane_legal;
    a_writes    = (bundle.a_op != isa_pkg::AluOpNone);
    b_writes    = (bundle.b_op != isa_pkg::AluOpNone);
    lane_writes = (bundle.lane_op != isa_pkg::LaneOpNone);
    a_legal     = vpu_check_pkg::slot_is_legal(bundle.a_op, bundle.a_dst, bundle.a_x, bundle.a_y,
                                               bundle.a_z, prologue);
    b_legal     = vpu_check_pkg::slot_is_legal(bundle.b_op, bundle.b_dst, bundle.b_x, bundle.b_y,
                                               bundle.b_z, prologue);
    lane_legal  = vpu_check_pkg::lane_slot_is_legal(bundle.lane_op, bundle.lane_dst, bundle.lane_x,
                                                    bundle.lane_y, bundle.lane_z, prologue);
    registers_are_legal = a_legal && b_legal && lane_legal
                          && !(a_writes && b_writes && bundle.a_dst == bundle.b_dst)
                          && !(a_writes && lane_writes && bundle.a_dst == bundle.lane_dst)
                          && !(b_writes && lane_writes && bundle.b_dst == bundle.lane_dst);
  endfunction

  // Cycles in which nothing may start after the bundle's last record.
  function automatic logic [4:0] gap(input logic [2:0] count);
    logic [4:0] most;
    logic [4:0] b;
    logic [4:0] lane;
    most = isa_pkg::alu_op_latency(bundle.a_op);
    b    = isa_pkg::alu_op_latency(bundle.b_op);
    lane = isa_pkg::lane_op_latency(bundle.lane_op);
    if (b > most) most = b;
    if (lane > most) most = lane;
    gap = (most > {2'b00, count}) ? most - {2'b00, count} : 5'd0;
  endfunction

  /* verilator lint_off BLKSEQ */
  function automatic logic streams_are_legal(input logic [5:0] wanted);
    logic        legal;
    logic [31:0] limit;
    legal = ((a_inputs & b_inputs) == 4'd0 || bundle.a_step == bundle.b_step)
            && (wanted & ~described_i) == 6'd0;
    for (int unsigned q = 0; q < Streams; q++) begin
      limit = groups_limits_i[q*32 +: 32];
      if (wanted[q] && limit != 32'd0 && taken[q] >= {1'b0, limit}) legal = 1'b0;
    end
    streams_are_legal = legal;
  endfunction

  function automatic logic loops_are_legal(input logic [5:0] opened, input logic leaves);
    logic [5:0]  bits;
    logic [5:0]  outer;
    logic [32:0] limit;
    bits  = bundle.loop_start | bundle.loop_end;
    outer = 6'((7'd1 << instr_i.kernel_level) - 7'd1);
    limit = (instr_i.bundle_limit == 32'd0) ? 33'h1_0000_0000 : {1'b0, instr_i.bundle_limit};
    loops_are_legal = (bits & outer) == 6'd0 && (bundle.loop_end & ~opened) == 6'd0
                      && !(leaves && (opened & ~bundle.loop_end) != 6'd0)
                      && executed_q < limit;
  endfunction

  // Which loops end with the bundle, and which takes another turn.
  task automatic follow(output logic [5:0] ended, output logic again,
                        output logic [2:0] again_loop);
    logic [5:0] last;
    ended      = 6'd0;
    again      = 1'b0;
    again_loop = 3'd0;
    last       = last_q;
    for (int unsigned loop = 0; loop < Loops; loop++) begin
      if (bundle.loop_start[loop] && !active_q[loop]) begin
        turn[loop]   = 32'd0;
        origin[loop] = {15'd0, number_q};
        last[loop]   = (instr_i.counts[loop*32 +: 32] == 32'd1);
      end
    end
    for (int unsigned i = 0; i < Loops; i++) begin
      if (bundle.loop_end[Loops - 1 - i] && !again) begin
        if (last[Loops - 1 - i]) begin
          ended[Loops - 1 - i] = 1'b1;
        end else begin
          again      = 1'b1;
          again_loop = 3'(Loops - 1 - i);
        end
      end
    end
    last_q <= last;
  endtask

  task automatic check();
    logic [1:0] a_outputs;
    logic [1:0] b_outputs;
    logic [4:0] cycles;
    logic       operations;
    logic       registers;
    logic       loops;
    logic       streams;
    logic       leaves;
    logic [5:0] opened;
    logic [5:0] ended;
    logic       again;
    logic [2:0] again_loop;
    follow(ended, again, again_loop);
    leaves     = bundle.exit && !again;
    opened     = active_q | bundle.loop_start;
    a_inputs   = vpu_check_pkg::inputs_named(bundle.a_op, bundle.a_x, bundle.a_y, bundle.a_z);
    b_inputs   = vpu_check_pkg::inputs_named(bundle.b_op, bundle.b_x, bundle.b_y, bundle.b_z);
    a_outputs  = vpu_check_pkg::outputs_named(bundle.a_op, bundle.a_dst);
    b_outputs  = vpu_check_pkg::outputs_named(bundle.b_op, bundle.b_dst);
    named      = {a_outputs | b_outputs, a_inputs | b_inputs};
    cycles     = gap(count_q);
    operations = operations_exist(bundle.a_op, bundle.b_op, bundle.lane_op);
    registers  = registers_are_legal(prologue_q);
    loops      = loops_are_legal(opened, leaves);
    streams    = streams_are_legal(named);

    fault_address_o <= {15'd0, number_q};
    state_q         <= StFault;
    if (outside_q) fault_cause_o <= isa_pkg::FaultKernelLoop;
    else if (!operations) fault_cause_o <= isa_pkg::FaultKernelOpcode;
    else if (!registers) fault_cause_o <= isa_pkg::FaultKernelRegister;
    else if (!loops) fault_cause_o <= isa_pkg::FaultKernelLoop;
    else if (!streams) fault_cause_o <= isa_pkg::FaultKernelStream;
    else state_q <= StNext;

    ended_q      <= ended;
    again_q      <= again;
    again_loop_q <= again_loop;
    opened_q     <= opened;
    next_q       <= again ? origin[again_loop][16:0] : number_q + 17'd1;
    leaves_q     <= leaves;

    step_o <= {a_outputs, a_inputs, named, leaves, prologue_q, cycles, count_q, bundle_i};
  endtask

  task automatic advance();
    for (int unsigned q = 0; q < Streams; q++) taken[q] = taken[q] + {32'd0, named[q]};
    if (again_q) begin
      turn[again_loop_q]   = turn[again_loop_q] + 32'd1;
      last_q[again_loop_q] <= (turn[again_loop_q] + 32'd1
                               == instr_i.counts[{again_loop_q, 5'd0} +: 32]);
    end
    active_q   <= opened_q & ~ended_q;
    executed_q <= executed_q + 33'd1;
    number_q   <= next_q;
    outside_q  <= (memory_number >= 18'(isa_pkg::KernelBundles));
    state_q    <= leaves_q ? StIdle : StCheck;
  endtask

  task automatic take_batch();
    for (int unsigned q = 0; q < Streams; q++) taken[q] = 33'd0;
    count_q    <= batch_count_i;
    prologue_q <= batch_prologue_i;
    number_q   <= first_number;
    outside_q  <= (memory_number >= 18'(isa_pkg::KernelBundles));
    active_q   <= 6'd0;
    executed_q <= 33'd0;
    state_q    <= StCheck;
  endtask
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      state_q <= StIdle;
    end else if (take || state_q != StIdle) begin
      if (state_q == StCheck) check();
      if (place) advance();
      if (take) take_batch();
    end
  end

endmodule
