`include "prim_assert.svh"

// Kernel memory, and load_kernel, which writes one bundle of it or one constant (vpu_lanes keeps
// those) per cycle. A read shows one cycle later and stays.
module vpu_kernel_memory (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          clear_i,

  input  logic          load_i,   // starts the load_kernel instruction
  input  logic [2047:0] instr_i,  // legal, held until done
  output logic          done_o,   // for one cycle

  input  logic          read_i,
  input  logic [8:0]    read_addr_i,
  output logic [159:0]  read_data_o,

  output logic          constant_write_o,
  output logic [9:0]    constant_addr_o,
  output logic [31:0]   constant_data_o
);

  // Fields of other units' interest stay unread here.
  // verilator lint_off UNUSEDSIGNAL
  isa_pkg::load_kernel_t instr;
  // verilator lint_on UNUSEDSIGNAL
  assign instr = instr_i;

  logic         active_q;
  logic [5:0]   index_q;
  logic         write_q;
  logic [8:0]   addr_q;
  logic [159:0] data_q;
  logic         last;

  assign last = (index_q + 6'd1 == instr.count);

  prim_ram #(.Width(160), .Depth(isa_pkg::KernelBundles)) u_bundles (
    .clk_i,
    .write_i     (write_q),
    .write_addr_i(addr_q),
    .write_data_i(data_q),
    .write_mask_i({20{1'b1}}),
    .read_i,
    .read_addr_i,
    .read_data_o
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      active_q         <= 1'b0;
      write_q          <= 1'b0;
      constant_write_o <= 1'b0;
      done_o           <= 1'b0;
    end else if (load_i || active_q || done_o) begin
      active_q         <= load_i || (active_q && !last);
      done_o           <= active_q && last;
      index_q          <= load_i ? 6'd0 : index_q + 6'd1;
      write_q          <= active_q && ({7'd0, instr.part} == isa_pkg::KernelPartBundles);
      constant_write_o <= active_q && ({7'd0, instr.part} == isa_pkg::KernelPartConstants);
      addr_q           <= instr.first[8:0] + 9'(index_q);
      data_q           <= instr.data[32'(index_q[3:0])*160 +: 160];
      constant_addr_o  <= instr.first[9:0] + 10'(index_q);
      constant_data_o  <= instr.data[{index_q, 5'd0} +: 32];
    end
  end

  `PRIM_ASSERT(LoadsOneAtATime, !load_i || !active_q)

endmodule
