// What computes: vector unit, cross-lane unit and MXUs around the unified buffer, which the DMA
// engines share. Nothing but wires.
//
//   dma_load, dma_store -- unified buffer -- mxu 0 .. M-1 --drain--> vpu
//                              | '------------------------------------'
//                             xlu
//
// Engine ports are flat vectors: vpu, xlu, MXUs.
module chip_compute #(
  parameter  int MxuCount        = 1,
  parameter  int Rows            = 8,
  parameter  int Cols            = 8,
  parameter  int Bf16            = 1,
  parameter  int Int8            = 1,
  parameter  int TileColumns     = 8,
  parameter  int ProductStage    = 0,
  parameter  int AccumulatorRows = 64,
  parameter  int Sublanes        = 2,
  parameter  int VpuReadWords    = 2,
  parameter  int VpuWriteWords   = 1,
  parameter  int BufferBytes     = 65536,
  parameter  int Banks           = 8,
  parameter  int WordBytes       = 16,
  localparam int Units           = 2 + MxuCount,
  localparam int Engines         = 3 + Units,
  localparam int WordWidth       = WordBytes * 8,
  localparam int AddrWidth       = $clog2(BufferBytes / WordBytes)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   launch_i,  // a job starts

  // Engine ports.
  input  logic [Units-1:0]       instr_valid_i,
  output logic [Units-1:0]       instr_ready_o,
  input  logic [2047:0]          instr_i,
  input  logic [31:0]            instr_pc_i,
  input  logic [3:0]             queue_depth_i,
  input  logic [1023:0]          flags_i,
  input  logic                   abort_i,
  output logic [Units*2-1:0]     signal_valid_o,
  output logic [Units*16-1:0]    signal_flag_o,
  output logic [Units-1:0]       idle_o,
  output logic [Units-1:0]       busy_o,
  output logic [Units-1:0]       stall_o,
  output logic [Units-1:0]       progress_o,
  output logic [Units-1:0]       waiting_o,
  output logic [Units*8-1:0]     wait_flag_o,
  output logic [Units*32-1:0]    pc_o,
  output logic [Units-1:0]       fault_valid_o,
  output logic [Units*8-1:0]     fault_cause_o,
  output logic [Units*32-1:0]    fault_pc_o,
  output logic [Units*64-1:0]    fault_address_o,

  // Buffer ports of the DMA: reads dma_store (low) and misc, write dma_load.
  input  logic [1:0]             dma_rd_valid_i,
  input  logic [2*AddrWidth-1:0] dma_rd_addr_i,
  output logic [1:0]             dma_rd_ready_o,
  output logic [1:0]             dma_rd_data_valid_o,
  output logic [2*WordWidth-1:0] dma_rd_data_o,
  input  logic                   dma_wr_valid_i,
  output logic                   dma_wr_ready_o,
  input  logic [AddrWidth-1:0]   dma_wr_addr_i,
  input  logic [WordWidth-1:0]   dma_wr_data_i,
  input  logic [WordBytes-1:0]   dma_wr_mask_i,

  output logic [Engines*4-1:0]   conflict_o  // accesses held back, of all engines
);

  localparam int Lanes = (Rows > Cols) ? Rows : Cols;

  // Buffer ports in the order in which they win: MXU m reads 4m (two, activations), 4m + 2 (even
  // weight lines), 4m + 3 (odd).
  localparam int ReadVpu    = 4 * MxuCount;
  localparam int ReadXlu    = ReadVpu + VpuReadWords;
  localparam int ReadDma    = ReadXlu + 1;
  localparam int ReadPorts  = ReadDma + 2;
  localparam int WriteXlu   = VpuWriteWords;
  localparam int WriteLoad  = WriteXlu + 1;
  localparam int WritePorts = WriteLoad + 1;

  logic [ReadPorts-1:0]            rd_valid;
  logic [ReadPorts*AddrWidth-1:0]  rd_addr;
  logic [ReadPorts-1:0]            rd_ready;
  logic [ReadPorts-1:0]            rd_data_valid;
  logic [ReadPorts*WordWidth-1:0]  rd_data;
  logic [WritePorts-1:0]           wr_valid;
  logic [WritePorts*AddrWidth-1:0] wr_addr;
  logic [WritePorts*WordWidth-1:0] wr_data;
  logic [WritePorts*WordBytes-1:0] wr_mask;
  logic [WritePorts-1:0]           wr_ready;

  unified_buffer #(
    .WordBytes(WordBytes), .BufferBytes(BufferBytes), .Banks(Banks), .ReadPorts(ReadPorts),
    .WritePorts(WritePorts)
  ) u_unified_buffer (
    .clk_i, .rst_ni,
    .rd_valid_i      (rd_valid),
    .rd_addr_i       (rd_addr),
    .rd_ready_o      (rd_ready),
    .rd_data_valid_o (rd_data_valid),
    .rd_data_o       (rd_data),
    .wr_valid_i      (wr_valid),
    .wr_addr_i       (wr_addr),
    .wr_data_i       (wr_data),
    .wr_mask_i       (wr_mask),
    .wr_ready_o      (wr_ready)
  );

  chip_conflicts #(
    .MxuCount(MxuCount), .VpuReadWords(VpuReadWords), .VpuWriteWords(VpuWriteWords)
  ) u_conflicts (
    .clk_i, .rst_ni,
    .rd_valid_i (rd_valid),
    .rd_ready_i (rd_ready),
    .wr_valid_i (wr_valid),
    .wr_ready_i (wr_ready),
    .conflict_o
  );

  assign rd_valid[ReadDma +: 2]                      = dma_rd_valid_i;
  assign rd_addr[ReadDma*AddrWidth +: 2*AddrWidth]   = dma_rd_addr_i;
  assign dma_rd_ready_o                              = rd_ready[ReadDma +: 2];
  assign dma_rd_data_valid_o                         = rd_data_valid[ReadDma +: 2];
  assign dma_rd_data_o                               = rd_data[ReadDma*WordWidth +: 2*WordWidth];
  assign wr_valid[WriteLoad]                         = dma_wr_valid_i;
  assign wr_addr[WriteLoad*AddrWidth +: AddrWidth]   = dma_wr_addr_i;
  assign wr_data[WriteLoad*WordWidth +: WordWidth]   = dma_wr_data_i;
  assign wr_mask[WriteLoad*WordBytes +: WordBytes]   = dma_wr_mask_i;
  assign dma_wr_ready_o                              = wr_ready[WriteLoad];

  logic [MxuCount-1:0]         drain_valid;
  logic [MxuCount*16-1:0]      drain_row;
  logic [MxuCount-1:0]         drain_ready;
  logic [MxuCount-1:0]         drain_data_valid;
  logic [MxuCount*Cols*32-1:0] drain_data;

  vpu #(
    .Lanes(Lanes), .Sublanes(Sublanes), .Cols(Cols), .MxuCount(MxuCount),
    .AccumulatorRows(AccumulatorRows), .BufferBytes(BufferBytes), .WordBytes(WordBytes),
    .ReadWords(VpuReadWords), .WriteWords(VpuWriteWords)
  ) u_vpu (
    .clk_i, .rst_ni, .launch_i, .instr_i, .instr_pc_i, .queue_depth_i, .flags_i, .abort_i,
    .instr_valid_i      (instr_valid_i[0]),
    .instr_ready_o      (instr_ready_o[0]),
    .signal_valid_o     (signal_valid_o[1:0]),
    .signal_flag_o      (signal_flag_o[15:0]),
    .idle_o             (idle_o[0]),
    .busy_o             (busy_o[0]),
    .stall_o            (stall_o[0]),
    .progress_o         (progress_o[0]),
    .waiting_o          (waiting_o[0]),
    .wait_flag_o        (wait_flag_o[7:0]),
    .pc_o               (pc_o[31:0]),
    .fault_valid_o      (fault_valid_o[0]),
    .fault_cause_o      (fault_cause_o[7:0]),
    .fault_pc_o         (fault_pc_o[31:0]),
    .fault_address_o    (fault_address_o[63:0]),
    .rd_valid_o         (rd_valid[ReadVpu +: VpuReadWords]),
    .rd_addr_o          (rd_addr[ReadVpu*AddrWidth +: VpuReadWords*AddrWidth]),
    .rd_ready_i         (rd_ready[ReadVpu +: VpuReadWords]),
    .rd_data_valid_i    (rd_data_valid[ReadVpu +: VpuReadWords]),
    .rd_data_i          (rd_data[ReadVpu*WordWidth +: VpuReadWords*WordWidth]),
    .wr_valid_o         (wr_valid[VpuWriteWords-1:0]),
    .wr_addr_o          (wr_addr[VpuWriteWords*AddrWidth-1:0]),
    .wr_data_o          (wr_data[VpuWriteWords*WordWidth-1:0]),
    .wr_mask_o          (wr_mask[VpuWriteWords*WordBytes-1:0]),
    .wr_ready_i         (wr_ready[VpuWriteWords-1:0]),
    .drain_valid_o      (drain_valid),
    .drain_row_o        (drain_row),
    .drain_ready_i      (drain_ready),
    .drain_data_valid_i (drain_data_valid),
    .drain_data_i       (drain_data)
  );

  chip_xlu #(.Lanes(Lanes), .BufferBytes(BufferBytes), .WordBytes(WordBytes)) u_xlu (
    .clk_i, .rst_ni, .instr_i, .instr_pc_i, .queue_depth_i, .flags_i, .abort_i,
    .instr_valid_i   (instr_valid_i[1]),
    .instr_ready_o   (instr_ready_o[1]),
    .signal_valid_o  (signal_valid_o[3:2]),
    .signal_flag_o   (signal_flag_o[31:16]),
    .idle_o          (idle_o[1]),
    .busy_o          (busy_o[1]),
    .stall_o         (stall_o[1]),
    .progress_o      (progress_o[1]),
    .waiting_o       (waiting_o[1]),
    .wait_flag_o     (wait_flag_o[15:8]),
    .pc_o            (pc_o[63:32]),
    .fault_valid_o   (fault_valid_o[1]),
    .fault_cause_o   (fault_cause_o[15:8]),
    .fault_pc_o      (fault_pc_o[63:32]),
    .fault_address_o (fault_address_o[127:64]),
    .rd_valid_o      (rd_valid[ReadXlu]),
    .rd_addr_o       (rd_addr[ReadXlu*AddrWidth +: AddrWidth]),
    .rd_ready_i      (rd_ready[ReadXlu]),
    .rd_data_valid_i (rd_data_valid[ReadXlu]),
    .rd_data_i       (rd_data[ReadXlu*WordWidth +: WordWidth]),
    .wr_valid_o      (wr_valid[WriteXlu]),
    .wr_ready_i      (wr_ready[WriteXlu]),
    .wr_addr_o       (wr_addr[WriteXlu*AddrWidth +: AddrWidth]),
    .wr_data_o       (wr_data[WriteXlu*WordWidth +: WordWidth]),
    .wr_mask_o       (wr_mask[WriteXlu*WordBytes +: WordBytes])
  );

  for (genvar m = 0; m < MxuCount; m++) begin : gen_mxu
    localparam int U = 2 + m;
    chip_mxu #(
      .Rows(Rows), .Cols(Cols), .Bf16(Bf16), .Int8(Int8), .TileColumns(TileColumns),
      .ProductStage(ProductStage), .AccumulatorRows(AccumulatorRows), .BufferBytes(BufferBytes),
      .WordBytes(WordBytes)
    ) u_mxu (
      .clk_i, .rst_ni, .instr_i, .instr_pc_i, .queue_depth_i, .flags_i, .abort_i,
      .instr_valid_i      (instr_valid_i[U]),
      .instr_ready_o      (instr_ready_o[U]),
      .signal_valid_o     (signal_valid_o[U*2 +: 2]),
      .signal_flag_o      (signal_flag_o[U*16 +: 16]),
      .idle_o             (idle_o[U]),
      .busy_o             (busy_o[U]),
      .stall_o            (stall_o[U]),
      .progress_o         (progress_o[U]),
      .waiting_o          (waiting_o[U]),
      .wait_flag_o        (wait_flag_o[U*8 +: 8]),
      .pc_o               (pc_o[U*32 +: 32]),
      .fault_valid_o      (fault_valid_o[U]),
      .fault_cause_o      (fault_cause_o[U*8 +: 8]),
      .fault_pc_o         (fault_pc_o[U*32 +: 32]),
      .fault_address_o    (fault_address_o[U*64 +: 64]),
      .rd_valid_o         (rd_valid[m*4 +: 4]),
      .rd_addr_o          (rd_addr[m*4*AddrWidth +: 4*AddrWidth]),
      .rd_ready_i         (rd_ready[m*4 +: 4]),
      .rd_data_valid_i    (rd_data_valid[m*4 +: 4]),
      .rd_data_i          (rd_data[m*4*WordWidth +: 4*WordWidth]),
      .drain_valid_i      (drain_valid[m]),
      .drain_row_i        (drain_row[m*16 +: 16]),
      .drain_ready_o      (drain_ready[m]),
      .drain_data_valid_o (drain_data_valid[m]),
      .drain_data_o       (drain_data[m*Cols*32 +: Cols*32])
    );
  end

endmodule
