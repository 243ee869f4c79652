`include "prim_assert.svh"

// Engine of `store`: unified buffer to HBM.
//
//   instr -> dma_queue -> runs -> dma_store_words -> lines -> dma_store_lines -> req / rsp
//                                   | rd                          | signals
module dma_store #(
  parameter  int LineBytes   = 64,
  parameter  int WordBytes   = 16,
  parameter  int BufferBytes = 65536,
  parameter  int Outstanding = 64,    // lines on their way, a power of two
  localparam int AddrWidth   = $clog2(BufferBytes / WordBytes)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // Engine port.
  input  logic                   instr_valid_i,
  output logic                   instr_ready_o,
  input  logic [2047:0]          instr_i,
  input  logic [31:0]            instr_pc_i,
  input  logic [3:0]             queue_depth_i,
  input  logic [1023:0]          flags_i,
  input  logic                   abort_i,
  output logic [1:0]             signal_valid_o,
  output logic [15:0]            signal_flag_o,
  output logic                   idle_o,
  output logic                   busy_o,
  output logic                   stall_o,
  output logic                   progress_o,
  output logic                   waiting_o,
  output logic [7:0]             wait_flag_o,
  output logic [31:0]            pc_o,
  output logic                   fault_valid_o,
  output logic [7:0]             fault_cause_o,
  output logic [31:0]            fault_pc_o,
  output logic [63:0]            fault_address_o,

  // Segment table.
  output logic [5:0]             seg_index_o,
  input  logic [39:0]            seg_base_i,
  input  logic [39:0]            seg_bytes_i,
  input  logic                   seg_writable_i,

  // Buffer read port.
  output logic                   rd_valid_o,
  output logic [AddrWidth-1:0]   rd_addr_o,
  input  logic                   rd_ready_i,
  input  logic                   rd_data_valid_i,
  input  logic [WordBytes*8-1:0] rd_data_i,

  // Memory line port; only writes.
  output logic                   req_valid_o,
  input  logic                   req_ready_i,
  output logic [39:0]            req_addr_o,
  output logic [7:0]             req_tag_o,
  output logic [LineBytes*8-1:0] req_data_o,
  output logic [LineBytes-1:0]   req_strobe_o,
  input  logic                   rsp_valid_i,
  input  logic [7:0]             rsp_tag_i
);

  dma_pkg::run_t run;
  logic          run_valid;
  logic          run_ready;
  logic          queue_active;
  logic          words_active;
  logic          lines_active;
  logic          behind;        // something is behind the walker

  logic                   line_valid;
  logic                   line_ready;
  logic                   line_moves;
  logic [39:0]            line_addr;
  logic [LineBytes*8-1:0] line_data;
  logic [LineBytes-1:0]   line_strobe;
  logic [1:0]             line_fire;
  logic [15:0]            line_flags;

  assign behind     = run_valid || words_active || lines_active;
  assign idle_o     = !queue_active && !behind;
  assign stall_o    = waiting_o && !behind;
  assign busy_o     = !idle_o && !stall_o;
  assign fault_pc_o = pc_o;

  dma_queue #(
    .Store(1'b1), .BufferBytes(BufferBytes), .WordBytes(WordBytes), .AddrWidth(AddrWidth)
  ) u_queue (
    .clk_i, .rst_ni,
    .instr_valid_i, .instr_ready_o, .instr_i, .instr_pc_i, .queue_depth_i, .flags_i, .abort_i,
    .seg_index_o, .seg_base_i, .seg_bytes_i, .seg_allowed_i(seg_writable_i),
    /* verilator lint_off PINCONNECTEMPTY */  // a store gathers no rows
    .rd_valid_o(), .rd_addr_o(),
    /* verilator lint_on PINCONNECTEMPTY */
    .rd_ready_i(1'b0), .rd_data_valid_i(1'b0), .rd_data_i('0),
    .run_valid_o(run_valid), .run_ready_i(run_ready), .run_o(run),
    .drained_i(!words_active && !lines_active),
    .active_o(queue_active), .waiting_o, .wait_flag_o, .pc_o,
    .fault_valid_o, .fault_cause_o, .fault_address_o
  );

  dma_store_words #(
    .LineBytes(LineBytes), .WordBytes(WordBytes), .AddrWidth(AddrWidth)
  ) u_words (
    .clk_i, .rst_ni, .clear_i(abort_i), .active_o(words_active),
    .run_valid_i(run_valid), .run_ready_o(run_ready), .run_i(run),
    .rd_valid_o, .rd_addr_o, .rd_ready_i, .rd_data_valid_i, .rd_data_i,
    .line_valid_o(line_valid), .line_ready_i(line_ready), .line_moves_o(line_moves),
    .line_addr_o(line_addr), .line_data_o(line_data), .line_strobe_o(line_strobe),
    .line_fire_o(line_fire), .line_flags_o(line_flags)
  );

  dma_store_lines #(.LineBytes(LineBytes), .Outstanding(Outstanding)) u_lines (
    .clk_i, .rst_ni, .stop_i(abort_i), .active_o(lines_active),
    .line_valid_i(line_valid), .line_ready_o(line_ready), .line_moves_i(line_moves),
    .line_addr_i(line_addr), .line_data_i(line_data), .line_strobe_i(line_strobe),
    .line_fire_i(line_fire), .line_flags_i(line_flags),
    .req_valid_o, .req_ready_i, .req_addr_o, .req_tag_o, .req_data_o, .req_strobe_o,
    .rsp_valid_i, .rsp_tag_i,
    .signal_valid_o, .signal_flag_o
  );

  // Anything that moved in this cycle; the watchdog counts cycles without it.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) progress_o <= 1'b0;
    else progress_o <= (instr_valid_i && instr_ready_o) || (run_valid && run_ready)
                       || (rd_valid_o && rd_ready_i) || (req_valid_o && req_ready_i)
                       || rsp_valid_i || signal_valid_o != 2'd0;
  end

  `PRIM_ASSERT(BusyOrStalled, !(busy_o && stall_o))

endmodule
