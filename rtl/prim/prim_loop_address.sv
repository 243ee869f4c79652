// Keeps linear forms of the loop indices, base + sum over loops of index * stride, modulo 2^32,
// beside a prim_loop_nest: one addition per step and form, no multiplier.
//
//   value_o is that of the iteration which the nest shows.
//
// `parts_q` holds, for every loop l, the value at the current indices of loops 0..l with all loops
// inside at 0; the step that advances loop c adds its stride to part c and restarts the parts inside.
module prim_loop_address #(
  parameter int Forms = 1
) (
  input  logic                   clk_i,

  input  logic                   start_i,    // as the nest's
  input  logic [Forms*32-1:0]    bases_i,    // taken with start_i
  input  logic                   step_i,     // as the nest's
  input  logic [2:0]             carry_i,    // the nest's carry_o
  input  logic [Forms*6*32-1:0]  strides_i,  // loop l of form f in bits (f*6 + l)*32 +: 32; held still

  output logic [Forms*32-1:0]    value_o
);

  logic [31:0] parts_q [0:Forms*6-1];

  // The parts are private to the clocked block below and blocking, so that their loops stay loops.
  /* verilator lint_off BLKSEQ */
  task automatic start();
    for (int unsigned form = 0; form < Forms; form++) begin
      for (int unsigned loop = 0; loop < 6; loop++) begin
        parts_q[form*6 + loop] = bases_i[form*32 +: 32];
      end
    end
    value_o <= bases_i;
  endtask

  task automatic step(input logic [31:0] carry);
    logic [31:0] next;
    for (int unsigned form = 0; form < Forms; form++) begin
      next = parts_q[form*6 + carry] + strides_i[(form*6 + carry)*32 +: 32];
      for (int unsigned loop = 0; loop < 6; loop++) begin
        if (loop >= carry) parts_q[form*6 + loop] = next;
      end
      value_o[form*32 +: 32] <= next;
    end
  endtask
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clk_i) begin
    if (start_i) start();
    else if (step_i && carry_i != 3'd7) step(32'(carry_i));
  end
endmodule
