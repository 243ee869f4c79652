// Finds a job that hangs: when neither the sequencer nor an engine made progress for `limit_i` cycles,
// it names the engine to look at.
//
// That is the lowest-numbered one that waits for a flag, else the lowest-numbered one that is busy,
// else the lowest-numbered one that is stalled. Engine 0 is the sequencer. `fault_valid_o` is one
// cycle long.
module sequencer_watchdog #(
  parameter int Engines = 6
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  running_i,
  input  logic [31:0]           limit_i,  // 0: never
  input  logic [Engines-1:0]    progress_i,
  input  logic [Engines-1:0]    busy_i,
  input  logic [Engines-1:0]    stall_i,
  input  logic [Engines-1:0]    waiting_i,
  input  logic [Engines*8-1:0]  wait_flag_i,
  input  logic [Engines*32-1:0] pc_i,

  output logic                  fault_valid_o,
  output logic [3:0]            fault_engine_o,
  output logic [31:0]           fault_pc_o,
  output logic [7:0]            fault_flag_o  // 0xff: none
);

  localparam logic [7:0] NoFlag = 8'hff;

  logic [31:0] quiet_cycles_q;

  task automatic accuse();
    logic [Engines-1:0] suspects;
    suspects = (waiting_i != '0) ? waiting_i : (busy_i != '0) ? busy_i : stall_i;
    fault_engine_o <= 4'd0;
    fault_pc_o     <= pc_i[31:0];
    fault_flag_o   <= NoFlag;
    for (int e = Engines - 1; e >= 0; e--) begin
      if (suspects[e]) begin
        fault_engine_o <= 4'(e);
        fault_pc_o     <= pc_i[e*32 +: 32];
        fault_flag_o   <= waiting_i[e] ? wait_flag_i[e*8 +: 8] : NoFlag;
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !running_i || progress_i != '0) begin
      quiet_cycles_q <= 32'd0;
      fault_valid_o  <= 1'b0;
    end else begin
      quiet_cycles_q <= quiet_cycles_q + 32'd1;
      fault_valid_o  <= (limit_i != 32'd0) && (quiet_cycles_q + 32'd1 == limit_i);
      if (quiet_cycles_q + 32'd1 == limit_i) accuse();
    end
  end

endmodule
