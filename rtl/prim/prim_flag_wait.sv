`include "prim_assert.svh"

// The four waits of an engine instruction: tells whether one of them holds the engine before the
// iteration that the loop nest shows, and advances the targets of those that were passed.
//
// `load_i` takes words 4..11 of the instruction. From then on, in every cycle: `blocked_o` is set if
// `check_i` and any wait whose level is in `levels_i` (first_levels_o of the nest) has not been
// reached by its flag. `pass_i`, given once per iteration and only while not blocked, adds its step
// to the target of every wait of those levels. Flags compare as 16-bit serial numbers.
module prim_flag_wait #(
  // Set: only waits whose `weights` bit equals weights_select_i exist here. Clear: all waits.
  parameter bit SplitWeights = 1'b0
) (
  input  logic          clk_i,
  input  logic          rst_ni,

  input  logic          load_i,
  input  logic [255:0]  words_i,
  input  logic          weights_select_i,

  input  logic [1023:0] flags_i,
  input  logic          check_i,
  input  logic [6:0]    levels_i,
  output logic          blocked_o,
  output logic [7:0]    blocked_flag_o,  // of the lowest-numbered wait that holds
  input  logic          pass_i
);

  logic [3:0]  valid_q;
  logic [23:0] flag_q;    // 6 bits each
  logic [11:0] level_q;   // 3 bits each
  logic [63:0] target_q;  // 16 bits each
  logic [63:0] step_q;

  logic [3:0]  applies;
  logic [3:0]  holds;
  logic [7:0]  levels;

  function automatic logic is_behind(input logic [15:0] flag, input logic [15:0] target);
    is_behind = (16'(flag - target) >= 16'h8000);
  endfunction

  assign levels = {1'b0, levels_i};

  for (genvar i = 0; i < 4; i++) begin : gen_wait
    assign applies[i] = valid_q[i] && levels[level_q[i*3 +: 3]];
    assign holds[i]   = applies[i] && is_behind(flags_i[{flag_q[i*6 +: 6], 4'd0} +: 16],
                                                target_q[i*16 +: 16]);
  end

  assign blocked_o      = check_i && (holds != 4'd0);
  assign blocked_flag_o = {2'd0, holds[0] ? flag_q[0 +: 6] : holds[1] ? flag_q[6 +: 6] :
                                 holds[2] ? flag_q[12 +: 6] : flag_q[18 +: 6]};

  // Word 2*i of words_i: flag, level, weights and valid of wait i; word 2*i + 1: target and step.
  task automatic load();
    for (int unsigned i = 0; i < 4; i++) begin
      valid_q[i]           <= words_i[i*64 + 31]
                              && (!SplitWeights || words_i[i*64 + 11] == weights_select_i);
      flag_q[i*6 +: 6]     <= words_i[i*64 +: 6];
      level_q[i*3 +: 3]    <= words_i[i*64 + 8 +: 3];
      target_q[i*16 +: 16] <= words_i[i*64 + 32 +: 16];
      step_q[i*16 +: 16]   <= words_i[i*64 + 48 +: 16];
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 4'd0;
    end else if (load_i) begin
      load();
    end else if (pass_i) begin
      for (int unsigned i = 0; i < 4; i++) begin
        if (applies[i]) target_q[i*16 +: 16] <= target_q[i*16 +: 16] + step_q[i*16 +: 16];
      end
    end
  end

  `PRIM_ASSERT(PassesOnlyUnblocked, !pass_i || holds == 4'd0)

endmodule
