`include "prim_assert.svh"

// A queue of up to `limit_i` words, whose head stands in a register.
//
// A word that is taken in shows at the output one cycle later at the earliest. The output register
// is part of the depth, and is written only when the head changes: a wide word costs nothing while
// it waits. `clear_i` drops everything, also a word offered in the same cycle.
module prim_fifo #(
  parameter  int Width     = 32,
  parameter  int Depth     = 4,
  localparam int UsedWidth = $clog2(Depth + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic [UsedWidth-1:0] limit_i,  // 1..Depth, may change at run time

  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [Width-1:0]     in_i,

  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [Width-1:0]     out_o,

  output logic [UsedWidth-1:0] used_o
);

  localparam int IndexWidth = (Depth > 1) ? $clog2(Depth) : 1;
  localparam logic [IndexWidth-1:0] LastIndex = IndexWidth'(Depth - 1);

  logic [Width-1:0]      entries [0:Depth-1];  // everything behind the head
  logic [UsedWidth-1:0]  used_q;
  logic [IndexWidth-1:0] write_q;
  logic [IndexWidth-1:0] read_q;

  logic push;
  logic pop;
  logic behind_is_empty;  // once the pop of this cycle is done, nothing is left

  assign in_ready_o      = (used_q < limit_i);
  assign out_valid_o     = (used_q != '0);
  assign used_o          = used_q;
  assign push            = in_valid_i && in_ready_o;
  assign pop             = out_valid_o && out_ready_i;
  assign behind_is_empty = (used_q == UsedWidth'(pop));

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      used_q  <= '0;
      write_q <= '0;
      read_q  <= '0;
    end else if (push || pop) begin
      used_q <= used_q + UsedWidth'(push) - UsedWidth'(pop);
      if (behind_is_empty) begin
        if (push) out_o <= in_i;
      end else begin
        if (pop) begin
          out_o  <= entries[read_q];
          read_q <= (read_q == LastIndex) ? '0 : read_q + 1'b1;
        end
        if (push) begin
          entries[write_q] <= in_i;
          write_q          <= (write_q == LastIndex) ? '0 : write_q + 1'b1;
        end
      end
    end
  end

  /* verilator lint_off CMPCONST */  // depths of 2^n - 1 cannot be exceeded
  `PRIM_ASSERT(LimitInRange, limit_i != '0 && 32'(limit_i) <= 32'(Depth))
  `PRIM_ASSERT(NeverOverfull, 32'(used_q) <= 32'(Depth))
  /* verilator lint_on CMPCONST */

endmodule
