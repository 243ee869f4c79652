// The front of both DMA engines: queue of instructions, check of the one at its head, walk of the one
// before. The next instruction is checked and may start while the last is still draining behind.
module dma_queue #(
  parameter  bit Store       = 1'b0,
  parameter  int BufferBytes = 65536,
  parameter  int WordBytes   = 16,
  parameter  int AddrWidth   = 12,
  localparam int RunWidth    = dma_pkg::RunWidth
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   instr_valid_i,
  output logic                   instr_ready_o,
  input  logic [2047:0]          instr_i,
  input  logic [31:0]            instr_pc_i,
  input  logic [3:0]             queue_depth_i,
  input  logic [1023:0]          flags_i,
  input  logic                   abort_i,

  output logic [5:0]             seg_index_o,
  input  logic [39:0]            seg_base_i,
  input  logic [39:0]            seg_bytes_i,
  input  logic                   seg_allowed_i,

  output logic                   rd_valid_o,
  output logic [AddrWidth-1:0]   rd_addr_o,
  input  logic                   rd_ready_i,
  input  logic                   rd_data_valid_i,
  input  logic [WordBytes*8-1:0] rd_data_i,

  output logic                   run_valid_o,
  input  logic                   run_ready_i,
  output logic [RunWidth-1:0]    run_o,

  input  logic                   drained_i,
  output logic                   active_o,   // an instruction is here, or its fault
  output logic                   waiting_o,
  output logic [7:0]             wait_flag_o,
  output logic [31:0]            pc_o,
  output logic                   fault_valid_o,
  output logic [7:0]             fault_cause_o,
  output logic [63:0]            fault_address_o
);

  localparam int InstrWidth = isa_pkg::DmaWords * 32;
  localparam int EntryWidth = 32 + InstrWidth;

  logic          fifo_ready;
  logic          head_valid;
  isa_pkg::dma_t head;
  logic [31:0]   head_pc;
  logic          checked;
  logic          take;
  logic          walking;
  logic [7:0]    cause;
  logic [63:0]   address;
  logic [39:0]   segment_base;

  logic unused_words;
  assign unused_words = ^instr_i[2047:InstrWidth];

  assign instr_ready_o = fifo_ready && !abort_i;
  assign active_o      = head_valid || walking;

  prim_fifo #(.Width(EntryWidth), .Depth(8)) u_queue (
    .clk_i, .rst_ni, .clear_i(abort_i), .limit_i(queue_depth_i),
    .in_valid_i(instr_valid_i), .in_ready_o(fifo_ready),
    .in_i({instr_pc_i, instr_i[InstrWidth-1:0]}),
    /* verilator lint_off PINCONNECTEMPTY */
    .out_valid_o(head_valid), .out_ready_i(take), .out_o({head_pc, head}), .used_o()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  dma_check #(.Store(Store), .BufferBytes(BufferBytes)) u_check (
    .clk_i, .rst_ni, .clear_i(abort_i),
    .head_valid_i(head_valid), .head_i(head), .take_i(take), .checked_o(checked),
    .fault_cause_o(cause), .fault_address_o(address), .segment_base_o(segment_base),
    .seg_index_o, .seg_base_i, .seg_bytes_i, .seg_allowed_i
  );

  dma_walk #(.WordBytes(WordBytes), .AddrWidth(AddrWidth)) u_walk (
    .clk_i, .rst_ni, .clear_i(abort_i), .flags_i,
    .checked_i(checked), .take_o(take), .head_i(head), .head_pc_i(head_pc),
    .cause_i(cause), .address_i(address), .segment_base_i(segment_base),
    .run_valid_o, .run_ready_i, .run_o,
    .rd_valid_o, .rd_addr_o, .rd_ready_i, .rd_data_valid_i, .rd_data_i,
    .drained_i, .active_o(walking), .waiting_o, .wait_flag_o, .pc_o,
    .fault_valid_o, .fault_cause_o, .fault_address_o
  );

endmodule
