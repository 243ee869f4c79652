// Keeps the HBM address of a run beside a prim_loop_nest, as prim_loop_address does for 32 bits:
// base + sum over loops of index * stride, modulo 2^40.
//
// In a gather the caller gives loop 0 no stride and adds index * stride itself.
module dma_hbm_address (
  input  logic         clk_i,

  input  logic         start_i,    // as the nest's
  input  logic [39:0]  base_i,     // taken with start_i
  input  logic         step_i,     // as the nest's
  input  logic [2:0]   carry_i,    // the nest's carry_o
  input  logic         gather_i,   // loop 0 contributes nothing here
  input  logic [191:0] strides_i,  // held still

  output logic [39:0]  value_o
);

  logic [63:0] parts_q [0:5];

  // Private to the clocked block below and blocking, so that the loops stay loops.
  /* verilator lint_off BLKSEQ */
  task automatic start();
    for (int unsigned loop = 0; loop < 6; loop++) parts_q[loop] = {24'd0, base_i};
    value_o <= base_i;
  endtask

  task automatic step(input logic [31:0] carry);
    logic [63:0] next;
    next = parts_q[carry];
    if (!gather_i || carry != 32'd0) next = next + 64'(signed'(strides_i[carry*32 +: 32]));
    for (int unsigned loop = 0; loop < 6; loop++) begin
      if (loop >= carry) parts_q[loop] = next;
    end
    value_o <= next[39:0];
  endtask
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clk_i) begin
    if (start_i) start();
    else if (step_i && carry_i != 3'd7) step(32'(carry_i));
  end

endmodule
