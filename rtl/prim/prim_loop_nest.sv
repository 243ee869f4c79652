`include "prim_assert.svh"

// Walks a nest of 6 loops, loop 0 outermost, one innermost iteration per step.
//
// `start_i` takes the counts (each at least 1) and shows iteration (0, ..., 0) from the next cycle
// on; `step_i` goes to the next iteration, and after the last one `active_o` falls. A start in the
// cycle of a step wins. Level L stands for one iteration of loops 0..L-1 together: first_levels_o[L]
// says that an iteration of level L begins with the shown one, last_levels_o[L] that it ends with it;
// so bit 6 is always set, and bit 0 marks the first and the last iteration of the nest.
module prim_loop_nest (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,  // abandons the walk

  input  logic         start_i,
  input  logic [191:0] counts_i,  // count of loop l in bits 32*l +: 32, taken with start_i
  input  logic         step_i,    // only while active_o

  output logic         active_o,
  output logic [191:0] index_o,
  output logic [6:0]   first_levels_o,
  output logic [6:0]   last_levels_o,
  output logic [2:0]   carry_o  // the loop that a step advances (loops inside restart); 7: none is left
);

  logic [191:0] last_q;  // count - 1 of every loop
  logic [5:0]   at_first_q;
  logic [5:0]   at_last_q;

  // A level starts when every loop inside it is at its first iteration, and likewise for the end.
  assign first_levels_o = {1'b1, at_first_q[5], &at_first_q[5:4], &at_first_q[5:3],
                           &at_first_q[5:2], &at_first_q[5:1], &at_first_q[5:0]};
  assign last_levels_o  = {1'b1, at_last_q[5], &at_last_q[5:4], &at_last_q[5:3],
                           &at_last_q[5:2], &at_last_q[5:1], &at_last_q[5:0]};
  assign carry_o = !at_last_q[5] ? 3'd5 : !at_last_q[4] ? 3'd4 : !at_last_q[3] ? 3'd3 :
                   !at_last_q[2] ? 3'd2 : !at_last_q[1] ? 3'd1 : !at_last_q[0] ? 3'd0 : 3'd7;

  task automatic start();
    index_o    <= '0;
    at_first_q <= '1;
    for (int unsigned loop = 0; loop < 6; loop++) begin
      last_q[loop*32 +: 32] <= counts_i[loop*32 +: 32] - 32'd1;
      at_last_q[loop]       <= (counts_i[loop*32 +: 32] == 32'd1);
    end
  endtask

  task automatic step();
    logic [31:0] next;
    for (int unsigned loop = 0; loop < 6; loop++) begin
      if (loop == 32'(carry_o)) begin
        next                   = index_o[loop*32 +: 32] + 32'd1;
        index_o[loop*32 +: 32] <= next;
        at_first_q[loop]       <= 1'b0;
        at_last_q[loop]        <= (next == last_q[loop*32 +: 32]);
      end else if (loop > 32'(carry_o)) begin
        index_o[loop*32 +: 32] <= 32'd0;
        at_first_q[loop]       <= 1'b1;
        at_last_q[loop]        <= (last_q[loop*32 +: 32] == 32'd0);
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      active_o <= 1'b0;
    end else if (start_i || step_i) begin
      if (start_i) start();
      else step();
      active_o <= start_i || !last_levels_o[0];
    end
  end

  `PRIM_ASSERT(StepsOnlyWhileActive, !step_i || active_o)

endmodule
