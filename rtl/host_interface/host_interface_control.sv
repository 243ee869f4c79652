`include "prim_assert.svh"

// Runs jobs: command queue, state of the chip, first fault, interrupt reasons.
//
//   idle -> launching -> running -> idle           or the next launching
//               |           |
//               +-- fault --+--> draining -> halted -> (control.reset) -> idle
//
// While draining and halted `abort_o` holds every engine. A reset that arrives with an abort or while
// draining takes effect once the chip has halted, so no transfer is cut off; a reset of a chip that
// works is ignored.
module host_interface_control #(
  parameter  int Engines    = 5,
  parameter  int Capacity   = 16,
  localparam int UsedWidth  = $clog2(Capacity + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // From the registers; pulses.
  input  logic                  doorbell_i,
  input  logic [63:0]           doorbell_address_i,
  input  logic                  abort_i,
  input  logic                  reset_i,
  input  logic [1:0]            interrupt_clear_i,
  output logic [1:0]            interrupt_status_o,  // completion, fault
  output logic [2:0]            state_o,
  output logic [UsedWidth-1:0]  queue_used_o,
  output logic [31:0]           completed_o,

  output logic [7:0]            fault_cause_o,
  output logic [3:0]            fault_engine_o,
  output logic [31:0]           fault_pc_o,
  output logic [7:0]            fault_flag_o,
  output logic [63:0]           fault_address_o,

  // The job: a pulse per step.
  output logic                  job_begins_o,  // counters start; segments and flags are cleared
  output logic                  job_active_o,
  output logic                  launch_start_o,
  output logic [63:0]           descriptor_o,
  input  logic                  launch_idle_i,
  input  logic                  launch_done_i,
  input  logic                  launch_fault_i,
  input  logic [7:0]            launch_fault_cause_i,
  input  logic [63:0]           launch_fault_address_i,
  output logic                  sequencer_start_o,
  input  logic                  sequencer_done_i,
  output logic                  running_o,

  // To and from all engines, the sequencer as engine 0.
  output logic                  abort_o,
  output logic                  clear_o,       // control.reset takes effect
  input  logic [Engines-1:0]    idle_i,
  input  logic [31:0]           sequencer_pc_i,
  input  logic [3:0]            sequencer_fault_engine_i,  // whose instruction it refused
  input  logic [Engines-1:0]    fault_valid_i,
  input  logic [Engines*8-1:0]  fault_cause_i,
  input  logic [Engines*32-1:0] fault_pc_i,
  input  logic [Engines*64-1:0] fault_address_i,
  input  logic                  watchdog_valid_i,
  input  logic [3:0]            watchdog_engine_i,
  input  logic [31:0]           watchdog_pc_i,
  input  logic [7:0]            watchdog_flag_i
);

  localparam logic [7:0] NoFlag = 8'hff;

  // Values as the field `state` of the register `status`.
  typedef enum logic [2:0] {
    StIdle = 3'd0, StLaunching = 3'd1, StRunning = 3'd2, StDraining = 3'd3, StHalted = 3'd4
  } state_e;
  state_e state_q;
  logic   reset_pending_q;

  logic        queue_ready;
  logic        queue_valid;
  logic        queue_pop;
  logic [63:0] queue_head;
  logic        accepts_jobs;

  assign accepts_jobs      = (state_q == StIdle || state_q == StLaunching || state_q == StRunning);
  assign state_o           = state_q;
  assign job_active_o      = (state_q != StIdle && state_q != StHalted);
  assign running_o         = (state_q == StRunning);
  assign queue_pop         = (state_q == StIdle) && queue_valid;
  assign job_begins_o      = queue_pop;

  prim_fifo #(.Width(64), .Depth(Capacity)) u_queue (
    .clk_i,
    .rst_ni,
    .clear_i     (abort_o || clear_o),
    .limit_i     (UsedWidth'(Capacity)),
    .in_valid_i  (doorbell_i && accepts_jobs),
    .in_ready_o  (queue_ready),
    .in_i        (doorbell_address_i),
    .out_valid_o (queue_valid),
    .out_ready_i (queue_pop),
    .out_o       (queue_head),
    .used_o      (queue_used_o)
  );

  // The lowest-numbered engine wins over its neighbours, the launch (which is alone) over all.
  task automatic record_fault();
    state_q               <= StDraining;
    abort_o               <= 1'b1;
    fault_flag_o          <= NoFlag;
    if (launch_fault_i) begin
      fault_cause_o   <= launch_fault_cause_i;
      fault_engine_o  <= 4'd0;
      fault_pc_o      <= 32'd0;
      fault_address_o <= launch_fault_address_i;
    end else if (fault_valid_i != '0) begin
      for (int e = Engines - 1; e >= 0; e--) begin
        if (fault_valid_i[e]) begin
          fault_cause_o   <= fault_cause_i[e*8 +: 8];
          fault_engine_o  <= (e == 0) ? sequencer_fault_engine_i : 4'(e);
          fault_pc_o      <= fault_pc_i[e*32 +: 32];
          fault_address_o <= fault_address_i[e*64 +: 64];
        end
      end
    end else if (watchdog_valid_i) begin
      fault_cause_o   <= isa_pkg::FaultWatchdog;
      fault_engine_o  <= watchdog_engine_i;
      fault_pc_o      <= watchdog_pc_i;
      fault_flag_o    <= watchdog_flag_i;
      fault_address_o <= 64'd0;
    end else begin
      fault_cause_o   <= isa_pkg::FaultAborted;
      fault_engine_o  <= 4'd0;
      fault_pc_o      <= sequencer_pc_i;
      fault_address_o <= 64'd0;
    end
  endtask

  task automatic forget();
    state_q            <= StIdle;
    reset_pending_q    <= 1'b0;
    abort_o            <= 1'b0;
    clear_o            <= 1'b1;
    fault_cause_o      <= isa_pkg::FaultNone;
    fault_engine_o     <= 4'd0;
    fault_pc_o         <= 32'd0;
    fault_flag_o       <= NoFlag;
    fault_address_o    <= 64'd0;
  endtask

  task automatic step();
    unique case (state_q)
      StIdle: begin
        if (queue_pop) begin
          state_q        <= StLaunching;
          launch_start_o <= 1'b1;
          descriptor_o   <= queue_head;
        end
      end
      StLaunching, StRunning: begin
        if (state_q == StLaunching && launch_done_i) begin
          state_q           <= StRunning;
          sequencer_start_o <= 1'b1;
        end
        if (state_q == StRunning && sequencer_done_i) begin
          state_q               <= StIdle;
          completed_o           <= completed_o + 32'd1;
          interrupt_status_o[0] <= 1'b1;
        end
        if (launch_fault_i || fault_valid_i != '0 || watchdog_valid_i || abort_i) begin
          sequencer_start_o  <= 1'b0;
          completed_o        <= completed_o;
          interrupt_status_o <= interrupt_status_o & ~interrupt_clear_i;
          reset_pending_q    <= abort_i && reset_i;
          record_fault();
        end
      end
      StDraining: begin
        if (reset_i) reset_pending_q <= 1'b1;
        if (idle_i == '1 && launch_idle_i) begin
          state_q               <= StHalted;
          interrupt_status_o[1] <= 1'b1;
        end
      end
      default: if (reset_i || reset_pending_q) forget();
    endcase
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      launch_start_o     <= 1'b0;
      sequencer_start_o  <= 1'b0;
      interrupt_status_o <= 2'd0;
      completed_o        <= 32'd0;
      forget();
    end else if (state_q != StIdle || queue_valid || clear_o || interrupt_clear_i != 2'd0
                 || launch_start_o || sequencer_start_o) begin
      clear_o            <= 1'b0;
      launch_start_o     <= 1'b0;
      sequencer_start_o  <= 1'b0;
      interrupt_status_o <= interrupt_status_o & ~interrupt_clear_i;
      step();
    end
  end

  `PRIM_ASSERT(EnginesKeepQuietWithoutAJob, job_active_o || idle_i == '1)
  `PRIM_ASSERT(QueueIsKnown, queue_ready || queue_used_o == UsedWidth'(Capacity))

endmodule
