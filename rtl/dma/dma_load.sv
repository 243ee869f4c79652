`include "prim_assert.svh"

// Engine of `load`: HBM to unified buffer.
//
//   instr -> dma_queue -> runs --+--> dma_load_lines -> req / rsp
//                                |          | lines
//                                '-fifo-> dma_load_words -> wr, signals
//
// Runs wait in the fifo while their lines are on the way, so requests run ahead of writes by up to
// `Outstanding` lines and over the end of an instruction.
module dma_load #(
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
  input  logic                   seg_readable_i,

  // Buffer word port for gather indices.
  output logic                   rd_valid_o,
  output logic [AddrWidth-1:0]   rd_addr_o,
  input  logic                   rd_ready_i,
  input  logic                   rd_data_valid_i,
  input  logic [WordBytes*8-1:0] rd_data_i,

  // Buffer write port.
  output logic                   wr_valid_o,
  input  logic                   wr_ready_i,
  output logic [AddrWidth-1:0]   wr_addr_o,
  output logic [WordBytes*8-1:0] wr_data_o,
  output logic [WordBytes-1:0]   wr_mask_o,

  // Memory line port; only reads.
  output logic                   req_valid_o,
  input  logic                   req_ready_i,
  output logic [39:0]            req_addr_o,
  output logic [7:0]             req_tag_o,
  input  logic                   rsp_valid_i,
  input  logic [7:0]             rsp_tag_i,
  input  logic [LineBytes*8-1:0] rsp_data_i
);

  localparam int RunWidth = dma_pkg::RunWidth;
  // Short runs that share a line need more entries than there are lines on the way.
  localparam int RunDepth = 4 * Outstanding;
  localparam int UsedWidth = $clog2(RunDepth + 1);

  dma_pkg::run_t run;
  logic          run_valid;
  logic          run_ready;
  logic          follow_valid;
  logic          follow_ready;
  logic          again;
  logic          words_valid;
  logic          words_ready;
  logic [RunWidth:0] words_run;
  logic          next_ready;
  logic          line_ready;
  logic          advance;
  logic          read;
  logic [LineBytes*8-1:0] line;
  logic          queue_active;
  logic          words_active;
  logic          draining;
  logic          behind;      // something is behind the walker

  assign behind     = run_valid || draining || words_valid || words_active || req_valid_o;
  assign idle_o     = !queue_active && !behind;
  assign stall_o    = waiting_o && !behind;
  assign busy_o     = !idle_o && !stall_o;
  assign fault_pc_o = pc_o;

  dma_queue #(
    .Store(1'b0), .BufferBytes(BufferBytes), .WordBytes(WordBytes), .AddrWidth(AddrWidth)
  ) u_queue (
    .clk_i, .rst_ni,
    .instr_valid_i, .instr_ready_o, .instr_i, .instr_pc_i, .queue_depth_i, .flags_i, .abort_i,
    .seg_index_o, .seg_base_i, .seg_bytes_i, .seg_allowed_i(seg_readable_i),
    .rd_valid_o, .rd_addr_o, .rd_ready_i, .rd_data_valid_i, .rd_data_i,
    .run_valid_o(run_valid), .run_ready_i(run_ready), .run_o(run),
    .drained_i(!draining && !words_valid && !words_active && !req_valid_o),
    .active_o(queue_active), .waiting_o, .wait_flag_o, .pc_o,
    .fault_valid_o, .fault_cause_o, .fault_address_o
  );

  dma_load_lines #(.LineBytes(LineBytes), .Outstanding(Outstanding)) u_lines (
    .clk_i, .rst_ni, .stop_i(abort_i), .draining_o(draining),
    .run_valid_i(run_valid), .run_ready_o(run_ready), .run_addr_i(run.hbm_addr),
    .run_bytes_i(run.bytes), .run_fresh_i(run.fresh), .run_moves_i(run.moves),
    .follow_valid_o(follow_valid), .follow_ready_i(follow_ready), .again_o(again),
    .req_valid_o, .req_ready_i, .req_addr_o, .req_tag_o, .rsp_valid_i, .rsp_tag_i, .rsp_data_i,
    .next_ready_o(next_ready), .line_ready_o(line_ready), .advance_i(advance), .read_i(read),
    .line_o(line)
  );

  prim_fifo #(.Width(RunWidth + 1), .Depth(RunDepth)) u_runs (
    .clk_i, .rst_ni, .clear_i(abort_i), .limit_i(UsedWidth'(RunDepth)),
    .in_valid_i(follow_valid), .in_ready_o(follow_ready), .in_i({again, run}),
    /* verilator lint_off PINCONNECTEMPTY */
    .out_valid_o(words_valid), .out_ready_i(words_ready), .out_o(words_run), .used_o()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  dma_load_words #(
    .LineBytes(LineBytes), .WordBytes(WordBytes), .AddrWidth(AddrWidth)
  ) u_words (
    .clk_i, .rst_ni, .clear_i(abort_i), .active_o(words_active),
    .run_valid_i(words_valid), .run_ready_o(words_ready), .run_i(words_run),
    .next_ready_i(next_ready), .line_ready_i(line_ready), .advance_o(advance), .read_o(read),
    .line_i(line),
    .wr_valid_o, .wr_ready_i, .wr_addr_o, .wr_data_o, .wr_mask_o,
    .signal_valid_o, .signal_flag_o
  );

  // Anything that moved in this cycle; the watchdog counts cycles without it.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) progress_o <= 1'b0;
    else progress_o <= (instr_valid_i && instr_ready_o) || (run_valid && run_ready)
                       || (req_valid_o && req_ready_i) || rsp_valid_i || (wr_valid_o && wr_ready_i)
                       || (rd_valid_o && rd_ready_i) || signal_valid_o != 2'd0;
  end

  `PRIM_ASSERT(BusyOrStalled, !(busy_o && stall_o))

endmodule
