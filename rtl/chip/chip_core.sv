// The parts list of the chip: every block once (MXUs MxuCount times) and the wires between them.
//
//   pins -- host_interface -- sequencer --> dma_load, dma_store, vpu, xlu, mxu 0 .. M-1
//                  |             |             |                 |
//                 hbm <----------+-------------'        unified_buffer
//
// Engines are numbered as in the instruction set, the sequencer is engine 0. What all engines share
// travels in flat vectors over engines.
module chip_core #(
  parameter  int          MxuCount         = 1,
  parameter  int          Rows             = 8,
  parameter  int          Cols             = 8,
  parameter  int          Bf16             = 1,
  parameter  int          Int8             = 1,
  parameter  int          TileColumns      = 8,
  parameter  int          ProductStage     = 0,
  parameter  int          AccumulatorRows  = 64,
  parameter  int          Sublanes         = 2,
  parameter  int          VpuReadWords     = 2,
  parameter  int          VpuWriteWords    = 1,
  parameter  int          BufferBytes      = 65536,
  parameter  int          Banks            = 8,
  parameter  int          InstructionLines = 64,
  parameter  int          MemoryHbm2       = 1,
  parameter  int          LineBytes        = 64,
  parameter  int          MaxChannels      = 2,
  parameter  logic [63:0] ProgramHash      = 64'd0
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      csr_awvalid_i,
  output logic                      csr_awready_o,
  input  logic [11:0]               csr_awaddr_i,
  input  logic                      csr_wvalid_i,
  output logic                      csr_wready_o,
  input  logic [31:0]               csr_wdata_i,
  input  logic [3:0]                csr_wstrb_i,
  output logic                      csr_bvalid_o,
  input  logic                      csr_bready_i,
  output logic [1:0]                csr_bresp_o,
  input  logic                      csr_arvalid_i,
  output logic                      csr_arready_o,
  input  logic [11:0]               csr_araddr_i,
  output logic                      csr_rvalid_o,
  input  logic                      csr_rready_i,
  output logic [31:0]               csr_rdata_o,
  output logic [1:0]                csr_rresp_o,

  input  logic                      axi_awvalid_i,
  output logic                      axi_awready_o,
  input  logic [3:0]                axi_awid_i,
  input  logic [39:0]               axi_awaddr_i,
  input  logic [7:0]                axi_awlen_i,
  input  logic [2:0]                axi_awsize_i,
  input  logic [1:0]                axi_awburst_i,
  input  logic                      axi_wvalid_i,
  output logic                      axi_wready_o,
  input  logic [63:0]               axi_wdata_i,
  input  logic [7:0]                axi_wstrb_i,
  input  logic                      axi_wlast_i,
  output logic                      axi_bvalid_o,
  input  logic                      axi_bready_i,
  output logic [3:0]                axi_bid_o,
  output logic [1:0]                axi_bresp_o,
  input  logic                      axi_arvalid_i,
  output logic                      axi_arready_o,
  input  logic [3:0]                axi_arid_i,
  input  logic [39:0]               axi_araddr_i,
  input  logic [7:0]                axi_arlen_i,
  input  logic [2:0]                axi_arsize_i,
  input  logic [1:0]                axi_arburst_i,
  output logic                      axi_rvalid_o,
  input  logic                      axi_rready_i,
  output logic [3:0]                axi_rid_o,
  output logic [63:0]               axi_rdata_o,
  output logic [1:0]                axi_rresp_o,
  output logic                      axi_rlast_o,

  output logic                      interrupt_o,

  // fixed memory
  output logic                      mem_req_valid_o,
  output logic                      mem_req_write_o,
  output logic [39:0]               mem_req_addr_o,
  output logic [15:0]               mem_req_tag_o,
  output logic [LineBytes*8-1:0]    mem_req_data_o,
  output logic [LineBytes-1:0]      mem_req_strobe_o,
  input  logic                      mem_req_ready_i,
  input  logic                      mem_rsp_valid_i,
  input  logic [15:0]               mem_rsp_tag_i,
  input  logic [LineBytes*8-1:0]    mem_rsp_data_i,

  // HBM2 pseudo-channels
  output logic [MaxChannels-1:0]     row_valid_o,
  output logic [MaxChannels*2-1:0]   row_op_o,
  output logic [MaxChannels*4-1:0]   row_bank_o,
  output logic [MaxChannels*16-1:0]  row_row_o,
  output logic [MaxChannels-1:0]     col_valid_o,
  output logic [MaxChannels-1:0]     col_write_o,
  output logic [MaxChannels*4-1:0]   col_bank_o,
  output logic [MaxChannels*6-1:0]   col_col_o,
  output logic [MaxChannels*256-1:0] wr_data_o,
  output logic [MaxChannels*32-1:0]  wr_strobe_o,
  input  logic [MaxChannels-1:0]     rd_valid_i,
  input  logic [MaxChannels*256-1:0] rd_data_i
);

  localparam int Engines   = 5 + MxuCount;
  localparam int Lanes     = (Rows > Cols) ? Rows : Cols;
  localparam int WordBytes = (Bf16 != 0) ? 2 * Lanes : Lanes;
  localparam int WordWidth = WordBytes * 8;
  localparam int AddrWidth = $clog2(BufferBytes / WordBytes);
  localparam int LineWidth = LineBytes * 8;

  // Engine numbers.
  localparam int Load  = 1;  // and dma_store behind it
  localparam int Vpu   = 3;  // and xlu and the MXUs behind it
  localparam int Units = 2 + MxuCount;

  // Memory ports.
  localparam int MemLoad   = 0;
  localparam int MemStore  = 1;
  localparam int MemAxi    = 2;
  localparam int MemLaunch = 3;
  localparam int MemFetch  = 4;
  localparam int MemPorts  = 5;

  // ---------------------------------------------------------------------------------------------
  // Wires: engines.

  logic [Engines-1:0]    instr_valid;
  logic [Engines-1:0]    instr_ready;
  logic [2047:0]         instr;
  logic [31:0]           instr_pc;
  logic [3:0]            queue_depth;
  logic [1023:0]         flags;
  logic                  abort;
  logic [Engines*2-1:0]  signal_valid;
  logic [Engines*16-1:0] signal_flag;
  logic [Engines-1:0]    idle;
  logic [Engines-1:0]    busy;
  logic [Engines-1:0]    stall;
  logic [Engines-1:0]    progress;
  logic [Engines-1:0]    waiting;
  logic [Engines*8-1:0]  wait_flag;
  logic [Engines*32-1:0] pc;
  logic [Engines-1:0]    fault_valid;
  logic [Engines*8-1:0]  fault_cause;
  logic [Engines*32-1:0] fault_pc;
  logic [Engines*64-1:0] fault_address;
  logic [3:0]            sequencer_fault_engine;

  logic unused_sequencer;
  assign unused_sequencer  = instr_valid[0];
  assign instr_ready[0]    = 1'b0;
  assign signal_valid[1:0] = 2'd0;
  assign signal_flag[15:0] = 16'd0;

  // Wires: buffer ports of the DMA; reads dma_store (low) and misc, which gather indices and
  // load_scalar share.

  logic [1:0]             rd_valid;
  logic [2*AddrWidth-1:0] rd_addr;
  logic [1:0]             rd_ready;
  logic [1:0]             rd_data_valid;
  logic [2*WordWidth-1:0] rd_data;
  logic                   wr_valid;
  logic                   wr_ready;
  logic [AddrWidth-1:0]   wr_addr;
  logic [WordWidth-1:0]   wr_data;
  logic [WordBytes-1:0]   wr_mask;
  logic [Engines*4-1:0]   conflict;

  // Wires: memory.

  logic [MemPorts-1:0]           req_valid;
  logic [MemPorts-1:0]           req_ready;
  logic [MemPorts-1:0]           req_write;
  logic [MemPorts*40-1:0]        req_addr;
  logic [MemPorts*8-1:0]         req_tag;
  logic [MemPorts*LineWidth-1:0] req_data;
  logic [MemPorts*LineBytes-1:0] req_strobe;
  logic [MemPorts-1:0]           rsp_valid;
  logic [7:0]                    rsp_tag;   // of the port that rsp_valid names
  logic [LineWidth-1:0]          rsp_data;

  assign req_write[MemLoad]                         = 1'b0;
  assign req_write[MemStore]                        = 1'b1;
  assign req_write[MemLaunch]                       = 1'b0;
  assign req_write[MemFetch]                        = 1'b0;
  assign req_data[MemLoad*LineWidth +: LineWidth]   = '0;
  assign req_data[MemLaunch*LineWidth +: LineWidth] = '0;
  assign req_data[MemFetch*LineWidth +: LineWidth]  = '0;
  assign req_strobe[MemLoad*LineBytes +: LineBytes]   = '0;
  assign req_strobe[MemLaunch*LineBytes +: LineBytes] = '0;
  assign req_strobe[MemFetch*LineBytes +: LineBytes]  = '0;

  // ---------------------------------------------------------------------------------------------
  // Host interface, sequencer, flags, watchdog.

  logic [11:0] seg_index;
  logic [79:0] seg_base;
  logic [79:0] seg_bytes;
  logic        seg_readable;
  logic        seg_writable;
  logic [31:0] watchdog_cycles;
  logic [31:0] memory_channels;
  logic [csr_pkg::HbmTimingCount*32-1:0] hbm_timing;
  logic        sequencer_start;
  logic        sequencer_done;
  logic [39:0] program_base;
  logic [31:0] program_bytes;
  logic        running;
  logic        flags_clear;
  logic        host_flag_valid;
  logic [7:0]  host_flag;
  logic [15:0] host_flag_increment;
  logic        watchdog_valid;
  logic [3:0]  watchdog_engine;
  logic [31:0] watchdog_pc;
  logic [7:0]  watchdog_flag;
  logic        issued;
  logic [2:0]  line_read;

  assign line_read = {req_valid[MemFetch] && req_ready[MemFetch],
                      req_valid[MemLaunch] && req_ready[MemLaunch],
                      req_valid[MemLoad] && req_ready[MemLoad]};

  host_interface #(
    .MxuCount(MxuCount), .Rows(Rows), .Cols(Cols), .Bf16(Bf16), .Int8(Int8),
    .AccumulatorRows(AccumulatorRows), .Sublanes(Sublanes), .BufferBytes(BufferBytes),
    .MemoryHbm2(MemoryHbm2), .LineBytes(LineBytes), .MaxChannels(MaxChannels),
    .ProgramHash(ProgramHash)
  ) u_host_interface (
    .clk_i, .rst_ni,
    .csr_awvalid_i, .csr_awready_o, .csr_awaddr_i, .csr_wvalid_i, .csr_wready_o, .csr_wdata_i,
    .csr_wstrb_i, .csr_bvalid_o, .csr_bready_i, .csr_bresp_o, .csr_arvalid_i, .csr_arready_o,
    .csr_araddr_i, .csr_rvalid_o, .csr_rready_i, .csr_rdata_o, .csr_rresp_o,
    .axi_awvalid_i, .axi_awready_o, .axi_awid_i, .axi_awaddr_i, .axi_awlen_i, .axi_awsize_i,
    .axi_awburst_i, .axi_wvalid_i, .axi_wready_o, .axi_wdata_i, .axi_wstrb_i, .axi_wlast_i,
    .axi_bvalid_o, .axi_bready_i, .axi_bid_o, .axi_bresp_o, .axi_arvalid_i, .axi_arready_o,
    .axi_arid_i, .axi_araddr_i, .axi_arlen_i, .axi_arsize_i, .axi_arburst_i, .axi_rvalid_o,
    .axi_rready_i, .axi_rid_o, .axi_rdata_o, .axi_rresp_o, .axi_rlast_o,
    .interrupt_o,
    .axi_mem_req_valid_o    (req_valid[MemAxi]),
    .axi_mem_req_ready_i    (req_ready[MemAxi]),
    .axi_mem_req_write_o    (req_write[MemAxi]),
    .axi_mem_req_addr_o     (req_addr[MemAxi*40 +: 40]),
    .axi_mem_req_tag_o      (req_tag[MemAxi*8 +: 8]),
    .axi_mem_req_data_o     (req_data[MemAxi*LineWidth +: LineWidth]),
    .axi_mem_req_strobe_o   (req_strobe[MemAxi*LineBytes +: LineBytes]),
    .axi_mem_rsp_valid_i    (rsp_valid[MemAxi]),
    .axi_mem_rsp_tag_i      (rsp_tag),
    .axi_mem_rsp_data_i     (rsp_data),
    .launch_mem_req_valid_o (req_valid[MemLaunch]),
    .launch_mem_req_ready_i (req_ready[MemLaunch]),
    .launch_mem_req_addr_o  (req_addr[MemLaunch*40 +: 40]),
    .launch_mem_req_tag_o   (req_tag[MemLaunch*8 +: 8]),
    .launch_mem_rsp_valid_i (rsp_valid[MemLaunch]),
    .launch_mem_rsp_tag_i   (rsp_tag),
    .launch_mem_rsp_data_i  (rsp_data),
    .seg_index_i            (seg_index),
    .seg_base_o             (seg_base),
    .seg_bytes_o            (seg_bytes),
    .seg_readable_o         (seg_readable),
    .seg_writable_o         (seg_writable),
    .queue_depth_o          (queue_depth),
    .watchdog_cycles_o      (watchdog_cycles),
    .memory_channels_o      (memory_channels),
    .hbm_timing_o           (hbm_timing),
    .sequencer_start_o      (sequencer_start),
    .program_base_o         (program_base),
    .program_bytes_o        (program_bytes),
    .sequencer_done_i       (sequencer_done),
    .running_o              (running),
    .abort_o                (abort),
    .flags_clear_o          (flags_clear),
    .host_flag_valid_o      (host_flag_valid),
    .host_flag_o            (host_flag),
    .host_flag_increment_o  (host_flag_increment),
    .flags_i                (flags),
    .idle_i                 (idle),
    .busy_i                 (busy),
    .stall_i                (stall),
    .conflict_i             (conflict),
    .sequencer_pc_i         (pc[31:0]),
    .sequencer_fault_engine_i (sequencer_fault_engine),
    .fault_valid_i          (fault_valid),
    .fault_cause_i          (fault_cause),
    .fault_pc_i             (fault_pc),
    .fault_address_i        (fault_address),
    .watchdog_valid_i       (watchdog_valid),
    .watchdog_engine_i      (watchdog_engine),
    .watchdog_pc_i          (watchdog_pc),
    .watchdog_flag_i        (watchdog_flag),
    .issued_i               (issued),
    .line_read_i            (line_read),
    .line_write_i           (req_valid[MemStore] && req_ready[MemStore]),
    .write_strobe_i         (req_strobe[MemStore*LineBytes +: LineBytes])
  );

  logic                 scalar_valid;
  logic [AddrWidth-1:0] scalar_addr;
  logic                 scalar_ready;
  logic                 scalar_data_valid;

  sequencer #(
    .Engines(Engines), .LineBytes(LineBytes), .InstructionLines(InstructionLines),
    .BufferBytes(BufferBytes), .WordBytes(WordBytes)
  ) u_sequencer (
    .clk_i, .rst_ni,
    .start_i             (sequencer_start),
    .program_base_i      (program_base),
    .program_bytes_i     (program_bytes),
    .done_o              (sequencer_done),
    .abort_i             (abort),
    .idle_o              (idle[0]),
    .instr_valid_o       (instr_valid),
    .instr_ready_i       (instr_ready),
    .instr_o             (instr),
    .instr_pc_o          (instr_pc),
    .engines_idle_i      (idle[Engines-1:1] == '1),
    .flags_i             (flags),
    .mem_req_valid_o     (req_valid[MemFetch]),
    .mem_req_ready_i     (req_ready[MemFetch]),
    .mem_req_addr_o      (req_addr[MemFetch*40 +: 40]),
    .mem_req_tag_o       (req_tag[MemFetch*8 +: 8]),
    .mem_rsp_valid_i     (rsp_valid[MemFetch]),
    .mem_rsp_tag_i       (rsp_tag),
    .mem_rsp_data_i      (rsp_data),
    .buffer_valid_o      (scalar_valid),
    .buffer_addr_o       (scalar_addr),
    .buffer_ready_i      (scalar_ready),
    .buffer_data_valid_i (scalar_data_valid),
    .buffer_data_i       (rd_data[WordWidth +: WordWidth]),
    .busy_o              (busy[0]),
    .stall_o             (stall[0]),
    .progress_o          (progress[0]),
    .waiting_o           (waiting[0]),
    .wait_flag_o         (wait_flag[7:0]),
    .pc_o                (pc[31:0]),
    .issued_o            (issued),
    .fault_valid_o       (fault_valid[0]),
    .fault_engine_o      (sequencer_fault_engine),
    .fault_cause_o       (fault_cause[7:0]),
    .fault_pc_o          (fault_pc[31:0]),
    .fault_address_o     (fault_address[63:0])
  );

  sequencer_flags #(.Engines(Engines)) u_flags (
    .clk_i, .rst_ni,
    .clear_i          (flags_clear),
    .signal_valid_i   (signal_valid),
    .signal_flag_i    (signal_flag),
    .host_valid_i     (host_flag_valid),
    .host_flag_i      (host_flag),
    .host_increment_i (host_flag_increment),
    .flags_o          (flags)
  );

  sequencer_watchdog #(.Engines(Engines)) u_watchdog (
    .clk_i, .rst_ni,
    .running_i      (running),
    .limit_i        (watchdog_cycles),
    .progress_i     (progress),
    .busy_i         (busy),
    .stall_i        (stall),
    .waiting_i      (waiting),
    .wait_flag_i    (wait_flag),
    .pc_i           (pc),
    .fault_valid_o  (watchdog_valid),
    .fault_engine_o (watchdog_engine),
    .fault_pc_o     (watchdog_pc),
    .fault_flag_o   (watchdog_flag)
  );

  // ---------------------------------------------------------------------------------------------
  // DMA.

  chip_dma #(
    .LineBytes(LineBytes), .WordBytes(WordBytes), .BufferBytes(BufferBytes)
  ) u_dma (
    .clk_i, .rst_ni,
    .instr_valid_i       (instr_valid[Load +: 2]),
    .instr_ready_o       (instr_ready[Load +: 2]),
    .instr_i             (instr),
    .instr_pc_i          (instr_pc),
    .queue_depth_i       (queue_depth),
    .flags_i             (flags),
    .abort_i             (abort),
    .signal_valid_o      (signal_valid[Load*2 +: 4]),
    .signal_flag_o       (signal_flag[Load*16 +: 32]),
    .idle_o              (idle[Load +: 2]),
    .busy_o              (busy[Load +: 2]),
    .stall_o             (stall[Load +: 2]),
    .progress_o          (progress[Load +: 2]),
    .waiting_o           (waiting[Load +: 2]),
    .wait_flag_o         (wait_flag[Load*8 +: 16]),
    .pc_o                (pc[Load*32 +: 64]),
    .fault_valid_o       (fault_valid[Load +: 2]),
    .fault_cause_o       (fault_cause[Load*8 +: 16]),
    .fault_pc_o          (fault_pc[Load*32 +: 64]),
    .fault_address_o     (fault_address[Load*64 +: 128]),
    .seg_index_o         (seg_index),
    .seg_base_i          (seg_base),
    .seg_bytes_i         (seg_bytes),
    .seg_readable_i      (seg_readable),
    .seg_writable_i      (seg_writable),
    .scalar_valid_i      (scalar_valid),
    .scalar_addr_i       (scalar_addr),
    .scalar_ready_o      (scalar_ready),
    .scalar_data_valid_o (scalar_data_valid),
    .rd_valid_o          (rd_valid),
    .rd_addr_o           (rd_addr),
    .rd_ready_i          (rd_ready),
    .rd_data_valid_i     (rd_data_valid),
    .rd_data_i           (rd_data),
    .wr_valid_o          (wr_valid),
    .wr_ready_i          (wr_ready),
    .wr_addr_o           (wr_addr),
    .wr_data_o           (wr_data),
    .wr_mask_o           (wr_mask),
    .req_valid_o         (req_valid[MemLoad +: 2]),
    .req_ready_i         (req_ready[MemLoad +: 2]),
    .req_addr_o          (req_addr[MemLoad*40 +: 80]),
    .req_tag_o           (req_tag[MemLoad*8 +: 16]),
    .req_data_o          (req_data[MemStore*LineWidth +: LineWidth]),
    .req_strobe_o        (req_strobe[MemStore*LineBytes +: LineBytes]),
    .rsp_valid_i         (rsp_valid[MemLoad +: 2]),
    .rsp_tag_i           (rsp_tag),
    .rsp_data_i          (rsp_data)
  );

  // ---------------------------------------------------------------------------------------------
  // Vector unit, cross-lane unit, MXUs, unified buffer.

  chip_compute #(
    .MxuCount(MxuCount), .Rows(Rows), .Cols(Cols), .Bf16(Bf16), .Int8(Int8),
    .TileColumns(TileColumns), .ProductStage(ProductStage), .AccumulatorRows(AccumulatorRows),
    .Sublanes(Sublanes), .VpuReadWords(VpuReadWords), .VpuWriteWords(VpuWriteWords),
    .BufferBytes(BufferBytes), .Banks(Banks), .WordBytes(WordBytes)
  ) u_compute (
    .clk_i, .rst_ni,
    .launch_i            (sequencer_start),
    .instr_valid_i       (instr_valid[Vpu +: Units]),
    .instr_ready_o       (instr_ready[Vpu +: Units]),
    .instr_i             (instr),
    .instr_pc_i          (instr_pc),
    .queue_depth_i       (queue_depth),
    .flags_i             (flags),
    .abort_i             (abort),
    .signal_valid_o      (signal_valid[Vpu*2 +: Units*2]),
    .signal_flag_o       (signal_flag[Vpu*16 +: Units*16]),
    .idle_o              (idle[Vpu +: Units]),
    .busy_o              (busy[Vpu +: Units]),
    .stall_o             (stall[Vpu +: Units]),
    .progress_o          (progress[Vpu +: Units]),
    .waiting_o           (waiting[Vpu +: Units]),
    .wait_flag_o         (wait_flag[Vpu*8 +: Units*8]),
    .pc_o                (pc[Vpu*32 +: Units*32]),
    .fault_valid_o       (fault_valid[Vpu +: Units]),
    .fault_cause_o       (fault_cause[Vpu*8 +: Units*8]),
    .fault_pc_o          (fault_pc[Vpu*32 +: Units*32]),
    .fault_address_o     (fault_address[Vpu*64 +: Units*64]),
    .dma_rd_valid_i      (rd_valid),
    .dma_rd_addr_i       (rd_addr),
    .dma_rd_ready_o      (rd_ready),
    .dma_rd_data_valid_o (rd_data_valid),
    .dma_rd_data_o       (rd_data),
    .dma_wr_valid_i      (wr_valid),
    .dma_wr_ready_o      (wr_ready),
    .dma_wr_addr_i       (wr_addr),
    .dma_wr_data_i       (wr_data),
    .dma_wr_mask_i       (wr_mask),
    .conflict_o          (conflict)
  );

  // ---------------------------------------------------------------------------------------------
  // Memory.

  hbm #(
    .Hbm2(MemoryHbm2 != 0), .Ports(MemPorts), .LineBytes(LineBytes), .MaxChannels(MaxChannels)
  ) u_hbm (
    .clk_i, .rst_ni,
    .req_valid_i  (req_valid),
    .req_ready_o  (req_ready),
    .req_write_i  (req_write),
    .req_addr_i   (req_addr),
    .req_tag_i    (req_tag),
    .req_data_i   (req_data),
    .req_strobe_i (req_strobe),
    .rsp_valid_o  (rsp_valid),
    .rsp_tag_o    (rsp_tag),
    .rsp_data_o   (rsp_data),
    .timing_i     (hbm_timing),
    .channels_i   (memory_channels),
    // The host interface counts the job's own bytes.
    // verilator lint_off PINCONNECTEMPTY
    .read_bytes_o  (),
    .write_bytes_o (),
    // verilator lint_on PINCONNECTEMPTY
    .mem_req_valid_o, .mem_req_ready_i, .mem_req_write_o, .mem_req_addr_o, .mem_req_tag_o,
    .mem_req_data_o, .mem_req_strobe_o, .mem_rsp_valid_i, .mem_rsp_tag_i, .mem_rsp_data_i,
    .row_valid_o, .row_op_o, .row_bank_o, .row_row_o, .col_valid_o, .col_write_o, .col_bank_o,
    .col_col_o, .wr_data_o, .wr_strobe_o, .rd_valid_i, .rd_data_i
  );

endmodule
