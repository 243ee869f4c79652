// Everything between the host's pins and the chip: registers, the window into HBM, jobs and their
// launch, the segment table, faults, counters and the interrupt.
module host_interface #(
  parameter int          MxuCount        = 1,
  parameter int          Rows            = 8,
  parameter int          Cols            = 8,
  parameter int          Bf16            = 1,
  parameter int          Int8            = 1,
  parameter int          AccumulatorRows = 64,
  parameter int          Sublanes        = 2,
  parameter int          BufferBytes     = 65536,
  parameter int          MemoryHbm2      = 0,
  parameter int          LineBytes       = 64,
  parameter int          MaxChannels     = 2,
  parameter logic [63:0] ProgramHash     = 64'd0,
  localparam int         Engines         = 5 + MxuCount
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   csr_awvalid_i,
  output logic                   csr_awready_o,
  input  logic [11:0]            csr_awaddr_i,
  input  logic                   csr_wvalid_i,
  output logic                   csr_wready_o,
  input  logic [31:0]            csr_wdata_i,
  input  logic [3:0]             csr_wstrb_i,
  output logic                   csr_bvalid_o,
  input  logic                   csr_bready_i,
  output logic [1:0]             csr_bresp_o,
  input  logic                   csr_arvalid_i,
  output logic                   csr_arready_o,
  input  logic [11:0]            csr_araddr_i,
  output logic                   csr_rvalid_o,
  input  logic                   csr_rready_i,
  output logic [31:0]            csr_rdata_o,
  output logic [1:0]             csr_rresp_o,

  input  logic                   axi_awvalid_i,
  output logic                   axi_awready_o,
  input  logic [3:0]             axi_awid_i,
  input  logic [39:0]            axi_awaddr_i,
  input  logic [7:0]             axi_awlen_i,
  input  logic [2:0]             axi_awsize_i,
  input  logic [1:0]             axi_awburst_i,
  input  logic                   axi_wvalid_i,
  output logic                   axi_wready_o,
  input  logic [63:0]            axi_wdata_i,
  input  logic [7:0]             axi_wstrb_i,
  input  logic                   axi_wlast_i,
  output logic                   axi_bvalid_o,
  input  logic                   axi_bready_i,
  output logic [3:0]             axi_bid_o,
  output logic [1:0]             axi_bresp_o,
  input  logic                   axi_arvalid_i,
  output logic                   axi_arready_o,
  input  logic [3:0]             axi_arid_i,
  input  logic [39:0]            axi_araddr_i,
  input  logic [7:0]             axi_arlen_i,
  input  logic [2:0]             axi_arsize_i,
  input  logic [1:0]             axi_arburst_i,
  output logic                   axi_rvalid_o,
  input  logic                   axi_rready_i,
  output logic [3:0]             axi_rid_o,
  output logic [63:0]            axi_rdata_o,
  output logic [1:0]             axi_rresp_o,
  output logic                   axi_rlast_o,

  output logic                   interrupt_o,

  // Memory line ports: the AXI window's, and the launch's (reads only).
  output logic                   axi_mem_req_valid_o,
  input  logic                   axi_mem_req_ready_i,
  output logic                   axi_mem_req_write_o,
  output logic [39:0]            axi_mem_req_addr_o,
  output logic [7:0]             axi_mem_req_tag_o,
  output logic [LineBytes*8-1:0] axi_mem_req_data_o,
  output logic [LineBytes-1:0]   axi_mem_req_strobe_o,
  input  logic                   axi_mem_rsp_valid_i,
  input  logic [7:0]             axi_mem_rsp_tag_i,
  input  logic [LineBytes*8-1:0] axi_mem_rsp_data_i,
  output logic                   launch_mem_req_valid_o,
  input  logic                   launch_mem_req_ready_i,
  output logic [39:0]            launch_mem_req_addr_o,
  output logic [7:0]             launch_mem_req_tag_o,
  input  logic                   launch_mem_rsp_valid_i,
  input  logic [7:0]             launch_mem_rsp_tag_i,
  input  logic [LineBytes*8-1:0] launch_mem_rsp_data_i,

  // Segment table: port 0 dma_load, port 1 dma_store.
  input  logic [11:0]            seg_index_i,
  output logic [79:0]            seg_base_o,
  output logic [79:0]            seg_bytes_o,
  output logic                   seg_readable_o,
  output logic                   seg_writable_o,

  // Settings.
  output logic [3:0]             queue_depth_o,
  output logic [31:0]            watchdog_cycles_o,
  output logic [31:0]            memory_channels_o,
  output logic [csr_pkg::HbmTimingCount*32-1:0] hbm_timing_o,

  // The job.
  output logic                   sequencer_start_o,
  output logic [39:0]            program_base_o,
  output logic [31:0]            program_bytes_o,
  input  logic                   sequencer_done_i,
  output logic                   running_o,
  output logic                   abort_o,
  output logic                   flags_clear_o,
  output logic                   host_flag_valid_o,
  output logic [7:0]             host_flag_o,
  output logic [15:0]            host_flag_increment_o,

  // State of all engines, the sequencer as engine 0.
  input  logic [1023:0]          flags_i,
  input  logic [Engines-1:0]     idle_i,
  input  logic [Engines-1:0]     busy_i,
  input  logic [Engines-1:0]     stall_i,
  input  logic [Engines*4-1:0]   conflict_i,
  input  logic [31:0]            sequencer_pc_i,
  input  logic [3:0]             sequencer_fault_engine_i,
  input  logic [Engines-1:0]     fault_valid_i,
  input  logic [Engines*8-1:0]   fault_cause_i,
  input  logic [Engines*32-1:0]  fault_pc_i,
  input  logic [Engines*64-1:0]  fault_address_i,
  input  logic                   watchdog_valid_i,
  input  logic [3:0]             watchdog_engine_i,
  input  logic [31:0]            watchdog_pc_i,
  input  logic [7:0]             watchdog_flag_i,
  input  logic                   issued_i,
  input  logic [2:0]             line_read_i,
  input  logic                   line_write_i,
  input  logic [LineBytes-1:0]   write_strobe_i
);

  localparam int QueueCapacity = 16;
  localparam int UsedWidth     = $clog2(QueueCapacity + 1);

  logic        doorbell;
  logic [63:0] doorbell_address;
  logic        csr_abort;
  logic        csr_reset;
  logic [1:0]  interrupt_clear;
  logic [1:0]  interrupt_status;
  logic [1:0]  interrupt_enable;
  logic [63:0] memory_bytes;

  logic [2:0]           state;
  logic [UsedWidth-1:0] queue_used;
  logic [31:0]          completed;
  logic [7:0]           fault_cause;
  logic [3:0]           fault_engine;
  logic [31:0]          fault_pc;
  logic [7:0]           fault_flag;
  logic [63:0]          fault_address;

  logic        job_begins;
  logic        job_active;
  logic        clear;
  logic        launch_start;
  logic [63:0] descriptor;
  logic        launch_idle;
  logic        launch_done;
  logic        launch_fault;
  logic [7:0]  launch_fault_cause;
  logic [63:0] launch_fault_address;

  logic [1:0]  segment_valid;
  logic [4:0]  segment_pair;
  logic [79:0] segment_base;
  logic [79:0] segment_bytes;
  logic [1:0]  segment_readable;
  logic [1:0]  segment_writable;

  logic [63:0] cycles;
  logic [63:0] read_bytes;
  logic [63:0] write_bytes;
  logic [31:0] instructions;
  logic [csr_pkg::BusyCount*32-1:0]  busy;
  logic [csr_pkg::StallCount*32-1:0] stall;
  logic [csr_pkg::ConflictCount*32-1:0] conflict;

  assign flags_clear_o = job_begins || clear;

  always_ff @(posedge clk_i) interrupt_o <= rst_ni && (interrupt_status & interrupt_enable) != 2'd0;

  host_interface_csr #(
    .MxuCount(MxuCount), .Rows(Rows), .Cols(Cols), .Bf16(Bf16), .Int8(Int8),
    .AccumulatorRows(AccumulatorRows), .Sublanes(Sublanes), .BufferBytes(BufferBytes),
    .MemoryHbm2(MemoryHbm2), .LineBytes(LineBytes), .MaxChannels(MaxChannels),
    .QueueCapacity(QueueCapacity), .ProgramHash(ProgramHash)
  ) u_csr (
    .clk_i, .rst_ni,
    .csr_awvalid_i, .csr_awready_o, .csr_awaddr_i, .csr_wvalid_i, .csr_wready_o, .csr_wdata_i,
    .csr_wstrb_i, .csr_bvalid_o, .csr_bready_i, .csr_bresp_o, .csr_arvalid_i, .csr_arready_o,
    .csr_araddr_i, .csr_rvalid_o, .csr_rready_i, .csr_rdata_o, .csr_rresp_o,
    .doorbell_o         (doorbell),
    .doorbell_address_o (doorbell_address),
    .abort_o            (csr_abort),
    .reset_o            (csr_reset),
    .interrupt_clear_o  (interrupt_clear),
    .host_flag_valid_o, .host_flag_o, .host_flag_increment_o,
    .memory_bytes_o     (memory_bytes),
    .interrupt_enable_o (interrupt_enable),
    .watchdog_cycles_o, .queue_depth_o, .memory_channels_o, .hbm_timing_o,
    .state_i            (state),
    .queue_used_i       (8'(queue_used)),
    .interrupt_status_i (interrupt_status),
    .completed_i        (completed),
    .flags_i,
    .fault_cause_i      (fault_cause),
    .fault_engine_i     (fault_engine),
    .fault_pc_i         (fault_pc),
    .fault_flag_i       (fault_flag),
    .fault_address_i    (fault_address),
    .cycles_i           (cycles),
    .read_bytes_i       (read_bytes),
    .write_bytes_i      (write_bytes),
    .instructions_i     (instructions),
    .busy_i             (busy),
    .stall_i            (stall),
    .conflict_i         (conflict)
  );

  host_interface_control #(.Engines(Engines), .Capacity(QueueCapacity)) u_control (
    .clk_i, .rst_ni,
    .doorbell_i             (doorbell),
    .doorbell_address_i     (doorbell_address),
    .abort_i                (csr_abort),
    .reset_i                (csr_reset),
    .interrupt_clear_i      (interrupt_clear),
    .interrupt_status_o     (interrupt_status),
    .state_o                (state),
    .queue_used_o           (queue_used),
    .completed_o            (completed),
    .fault_cause_o          (fault_cause),
    .fault_engine_o         (fault_engine),
    .fault_pc_o             (fault_pc),
    .fault_flag_o           (fault_flag),
    .fault_address_o        (fault_address),
    .job_begins_o           (job_begins),
    .job_active_o           (job_active),
    .launch_start_o         (launch_start),
    .descriptor_o           (descriptor),
    .launch_idle_i          (launch_idle),
    .launch_done_i          (launch_done),
    .launch_fault_i         (launch_fault),
    .launch_fault_cause_i   (launch_fault_cause),
    .launch_fault_address_i (launch_fault_address),
    .sequencer_start_o, .sequencer_done_i, .running_o, .abort_o,
    .clear_o                (clear),
    .idle_i, .sequencer_pc_i, .sequencer_fault_engine_i, .fault_valid_i, .fault_cause_i, .fault_pc_i,
    .fault_address_i,
    .watchdog_valid_i, .watchdog_engine_i, .watchdog_pc_i, .watchdog_flag_i
  );

  host_interface_launch #(.LineBytes(LineBytes), .ProgramHash(ProgramHash)) u_launch (
    .clk_i, .rst_ni,
    .start_i            (launch_start),
    .descriptor_i       (descriptor),
    .memory_bytes_i     (memory_bytes),
    .abort_i            (abort_o),
    .idle_o             (launch_idle),
    .done_o             (launch_done),
    .fault_valid_o      (launch_fault),
    .fault_cause_o      (launch_fault_cause),
    .fault_address_o    (launch_fault_address),
    .program_base_o, .program_bytes_o,
    .segment_valid_o    (segment_valid),
    .segment_pair_o     (segment_pair),
    .segment_base_o     (segment_base),
    .segment_bytes_o    (segment_bytes),
    .segment_readable_o (segment_readable),
    .segment_writable_o (segment_writable),
    .mem_req_valid_o    (launch_mem_req_valid_o),
    .mem_req_ready_i    (launch_mem_req_ready_i),
    .mem_req_addr_o     (launch_mem_req_addr_o),
    .mem_req_tag_o      (launch_mem_req_tag_o),
    .mem_rsp_valid_i    (launch_mem_rsp_valid_i),
    .mem_rsp_tag_i      (launch_mem_rsp_tag_i),
    .mem_rsp_data_i     (launch_mem_rsp_data_i)
  );

  host_interface_segments u_segments (
    .clk_i, .rst_ni,
    .clear_i          (job_begins || clear),
    .write_valid_i    (segment_valid),
    .write_pair_i     (segment_pair),
    .write_base_i     (segment_base),
    .write_bytes_i    (segment_bytes),
    .write_readable_i (segment_readable),
    .write_writable_i (segment_writable),
    .seg_index_i, .seg_base_o, .seg_bytes_o, .seg_readable_o, .seg_writable_o
  );

  host_interface_axi #(.LineBytes(LineBytes)) u_axi (
    .clk_i, .rst_ni,
    .memory_bytes_i   (memory_bytes),
    .axi_awvalid_i, .axi_awready_o, .axi_awid_i, .axi_awaddr_i, .axi_awlen_i, .axi_awsize_i,
    .axi_awburst_i, .axi_wvalid_i, .axi_wready_o, .axi_wdata_i, .axi_wstrb_i, .axi_wlast_i,
    .axi_bvalid_o, .axi_bready_i, .axi_bid_o, .axi_bresp_o, .axi_arvalid_i, .axi_arready_o,
    .axi_arid_i, .axi_araddr_i, .axi_arlen_i, .axi_arsize_i, .axi_arburst_i, .axi_rvalid_o,
    .axi_rready_i, .axi_rid_o, .axi_rdata_o, .axi_rresp_o, .axi_rlast_o,
    .mem_req_valid_o  (axi_mem_req_valid_o),
    .mem_req_ready_i  (axi_mem_req_ready_i),
    .mem_req_write_o  (axi_mem_req_write_o),
    .mem_req_addr_o   (axi_mem_req_addr_o),
    .mem_req_tag_o    (axi_mem_req_tag_o),
    .mem_req_data_o   (axi_mem_req_data_o),
    .mem_req_strobe_o (axi_mem_req_strobe_o),
    .mem_rsp_valid_i  (axi_mem_rsp_valid_i),
    .mem_rsp_tag_i    (axi_mem_rsp_tag_i),
    .mem_rsp_data_i   (axi_mem_rsp_data_i)
  );

  host_interface_counters #(.Engines(Engines), .LineBytes(LineBytes)) u_counters (
    .clk_i, .rst_ni,
    .clear_i        (job_begins),
    .active_i       (job_active),
    .busy_i, .stall_i, .conflict_i, .issued_i, .line_read_i, .line_write_i, .write_strobe_i,
    .cycles_o       (cycles),
    .read_bytes_o   (read_bytes),
    .write_bytes_o  (write_bytes),
    .instructions_o (instructions),
    .busy_o         (busy),
    .stall_o        (stall),
    .conflict_o     (conflict)
  );

endmodule
