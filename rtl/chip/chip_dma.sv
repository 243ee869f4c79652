// dma_load and dma_store with what they share: dma_load's gather indices use the same buffer read port
// as the sequencer's load_scalar and go first. Flat vectors: dma_load low, dma_store high.
module chip_dma #(
  parameter  int LineBytes   = 64,
  parameter  int WordBytes   = 16,
  parameter  int BufferBytes = 65536,
  localparam int WordWidth   = WordBytes * 8,
  localparam int AddrWidth   = $clog2(BufferBytes / WordBytes)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // Engine ports.
  input  logic [1:0]             instr_valid_i,
  output logic [1:0]             instr_ready_o,
  input  logic [2047:0]          instr_i,
  input  logic [31:0]            instr_pc_i,
  input  logic [3:0]             queue_depth_i,
  input  logic [1023:0]          flags_i,
  input  logic                   abort_i,
  output logic [3:0]             signal_valid_o,
  output logic [31:0]            signal_flag_o,
  output logic [1:0]             idle_o,
  output logic [1:0]             busy_o,
  output logic [1:0]             stall_o,
  output logic [1:0]             progress_o,
  output logic [1:0]             waiting_o,
  output logic [15:0]            wait_flag_o,
  output logic [63:0]            pc_o,
  output logic [1:0]             fault_valid_o,
  output logic [15:0]            fault_cause_o,
  output logic [63:0]            fault_pc_o,
  output logic [127:0]           fault_address_o,

  // Segment table.
  output logic [11:0]            seg_index_o,
  input  logic [79:0]            seg_base_i,
  input  logic [79:0]            seg_bytes_i,
  input  logic                   seg_readable_i,
  input  logic                   seg_writable_i,

  // load_scalar; its data is that of the upper read port.
  input  logic                   scalar_valid_i,
  input  logic [AddrWidth-1:0]   scalar_addr_i,
  output logic                   scalar_ready_o,
  output logic                   scalar_data_valid_o,

  // Buffer: read ports dma_store and the shared one, write port dma_load.
  output logic [1:0]             rd_valid_o,
  output logic [2*AddrWidth-1:0] rd_addr_o,
  input  logic [1:0]             rd_ready_i,
  input  logic [1:0]             rd_data_valid_i,
  input  logic [2*WordWidth-1:0] rd_data_i,
  output logic                   wr_valid_o,
  input  logic                   wr_ready_i,
  output logic [AddrWidth-1:0]   wr_addr_o,
  output logic [WordWidth-1:0]   wr_data_o,
  output logic [WordBytes-1:0]   wr_mask_o,

  // Memory line ports: dma_load reads, dma_store writes.
  output logic [1:0]             req_valid_o,
  input  logic [1:0]             req_ready_i,
  output logic [79:0]            req_addr_o,
  output logic [15:0]            req_tag_o,
  output logic [LineBytes*8-1:0] req_data_o,
  output logic [LineBytes-1:0]   req_strobe_o,
  input  logic [1:0]             rsp_valid_i,
  input  logic [7:0]             rsp_tag_i,
  input  logic [LineBytes*8-1:0] rsp_data_i
);

  logic                 gather_valid;
  logic [AddrWidth-1:0] gather_addr;
  logic                 gather_reads_q;  // whose data comes back

  assign rd_valid_o[1]                     = gather_valid || scalar_valid_i;
  assign rd_addr_o[AddrWidth +: AddrWidth] = gather_valid ? gather_addr : scalar_addr_i;
  assign scalar_ready_o                    = rd_ready_i[1] && !gather_valid;
  assign scalar_data_valid_o               = rd_data_valid_i[1] && !gather_reads_q;

  always_ff @(posedge clk_i) if (rd_valid_o[1]) gather_reads_q <= gather_valid;

  dma_load #(.LineBytes(LineBytes), .WordBytes(WordBytes), .BufferBytes(BufferBytes)) u_dma_load (
    .clk_i, .rst_ni, .instr_i, .instr_pc_i, .queue_depth_i, .flags_i, .abort_i,
    .instr_valid_i   (instr_valid_i[0]),
    .instr_ready_o   (instr_ready_o[0]),
    .signal_valid_o  (signal_valid_o[0 +: 2]),
    .signal_flag_o   (signal_flag_o[0 +: 16]),
    .idle_o          (idle_o[0]),
    .busy_o          (busy_o[0]),
    .stall_o         (stall_o[0]),
    .progress_o      (progress_o[0]),
    .waiting_o       (waiting_o[0]),
    .wait_flag_o     (wait_flag_o[0 +: 8]),
    .pc_o            (pc_o[0 +: 32]),
    .fault_valid_o   (fault_valid_o[0]),
    .fault_cause_o   (fault_cause_o[0 +: 8]),
    .fault_pc_o      (fault_pc_o[0 +: 32]),
    .fault_address_o (fault_address_o[0 +: 64]),
    .seg_index_o     (seg_index_o[0 +: 6]),
    .seg_base_i      (seg_base_i[0 +: 40]),
    .seg_bytes_i     (seg_bytes_i[0 +: 40]),
    .seg_readable_i,
    .rd_valid_o      (gather_valid),
    .rd_addr_o       (gather_addr),
    .rd_ready_i      (rd_ready_i[1]),
    .rd_data_valid_i (rd_data_valid_i[1] && gather_reads_q),
    .rd_data_i       (rd_data_i[WordWidth +: WordWidth]),
    .wr_valid_o, .wr_ready_i, .wr_addr_o, .wr_data_o, .wr_mask_o,
    .req_valid_o     (req_valid_o[0]),
    .req_ready_i     (req_ready_i[0]),
    .req_addr_o      (req_addr_o[0 +: 40]),
    .req_tag_o       (req_tag_o[0 +: 8]),
    .rsp_valid_i     (rsp_valid_i[0]),
    .rsp_tag_i,
    .rsp_data_i
  );

  dma_store #(.LineBytes(LineBytes), .WordBytes(WordBytes), .BufferBytes(BufferBytes)) u_dma_store (
    .clk_i, .rst_ni, .instr_i, .instr_pc_i, .queue_depth_i, .flags_i, .abort_i,
    .instr_valid_i   (instr_valid_i[1]),
    .instr_ready_o   (instr_ready_o[1]),
    .signal_valid_o  (signal_valid_o[2 +: 2]),
    .signal_flag_o   (signal_flag_o[16 +: 16]),
    .idle_o          (idle_o[1]),
    .busy_o          (busy_o[1]),
    .stall_o         (stall_o[1]),
    .progress_o      (progress_o[1]),
    .waiting_o       (waiting_o[1]),
    .wait_flag_o     (wait_flag_o[8 +: 8]),
    .pc_o            (pc_o[32 +: 32]),
    .fault_valid_o   (fault_valid_o[1]),
    .fault_cause_o   (fault_cause_o[8 +: 8]),
    .fault_pc_o      (fault_pc_o[32 +: 32]),
    .fault_address_o (fault_address_o[64 +: 64]),
    .seg_index_o     (seg_index_o[6 +: 6]),
    .seg_base_i      (seg_base_i[40 +: 40]),
    .seg_bytes_i     (seg_bytes_i[40 +: 40]),
    .seg_writable_i,
    .rd_valid_o      (rd_valid_o[0]),
    .rd_addr_o       (rd_addr_o[AddrWidth-1:0]),
    .rd_ready_i      (rd_ready_i[0]),
    .rd_data_valid_i (rd_data_valid_i[0]),
    .rd_data_i       (rd_data_i[WordWidth-1:0]),
    .req_data_o, .req_strobe_o,
    .req_valid_o     (req_valid_o[1]),
    .req_ready_i     (req_ready_i[1]),
    .req_addr_o      (req_addr_o[40 +: 40]),
    .req_tag_o       (req_tag_o[8 +: 8]),
    .rsp_valid_i     (rsp_valid_i[1]),
    .rsp_tag_i
  );

endmodule
