// An MXU with its three windows into the unified buffer: activations (two words per cycle), even and
// odd weight lines (one each). Nothing but wires.
module chip_mxu #(
  parameter  int Rows            = 8,
  parameter  int Cols            = 8,
  parameter  int Bf16            = 1,
  parameter  int Int8            = 1,
  parameter  int TileColumns     = 8,
  parameter  int ProductStage    = 0,
  parameter  int AccumulatorRows = 64,
  parameter  int BufferBytes     = 65536,
  parameter  int WordBytes       = 16,
  localparam int RowBytes        = 4 * ((Rows > Cols) ? Rows : Cols),
  localparam int RowWidth        = RowBytes * 8,
  localparam int WordWidth       = WordBytes * 8,
  localparam int AddrWidth       = $clog2(BufferBytes / WordBytes)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  // Engine port.
  input  logic                         instr_valid_i,
  output logic                         instr_ready_o,
  input  logic [2047:0]                instr_i,
  input  logic [31:0]                  instr_pc_i,
  input  logic [3:0]                   queue_depth_i,
  input  logic [1023:0]                flags_i,
  input  logic                         abort_i,
  output logic [1:0]                   signal_valid_o,
  output logic [15:0]                  signal_flag_o,
  output logic                         idle_o,
  output logic                         busy_o,
  output logic                         stall_o,
  output logic                         progress_o,
  output logic                         waiting_o,
  output logic [7:0]                   wait_flag_o,
  output logic [31:0]                  pc_o,
  output logic                         fault_valid_o,
  output logic [7:0]                   fault_cause_o,
  output logic [31:0]                  fault_pc_o,
  output logic [63:0]                  fault_address_o,

  // Buffer read ports: 0 and 1 activations, 2 even, 3 odd weight lines.
  output logic [3:0]                   rd_valid_o,
  output logic [4*AddrWidth-1:0]       rd_addr_o,
  input  logic [3:0]                   rd_ready_i,
  input  logic [3:0]                   rd_data_valid_i,
  input  logic [4*WordWidth-1:0]       rd_data_i,

  // Accumulator rows to the vector unit.
  input  logic                         drain_valid_i,
  input  logic [15:0]                  drain_row_i,
  output logic                         drain_ready_o,
  output logic                         drain_data_valid_o,
  output logic [Cols*32-1:0]           drain_data_o
);

  logic                act_win_valid;
  logic                act_win_ready;
  logic [31:0]         act_win_addr;
  logic [11:0]         act_win_begin;
  logic [11:0]         act_win_end;
  logic [31:0]         act_win_fill;
  logic                act_row_valid;
  logic                act_row_ready;
  logic [RowWidth-1:0] act_row;
  logic                act_fault_valid;
  logic [31:0]         act_fault_address;

  logic                weven_win_valid;
  logic                weven_win_ready;
  logic [31:0]         weven_win_addr;
  logic [11:0]         weven_win_begin;
  logic [11:0]         weven_win_end;
  logic [31:0]         weven_win_fill;
  logic                weven_row_valid;
  logic                weven_row_ready;
  logic [RowWidth-1:0] weven_row;
  logic                weven_fault_valid;
  logic [31:0]         weven_fault_address;

  logic                wodd_win_valid;
  logic                wodd_win_ready;
  logic [31:0]         wodd_win_addr;
  logic [11:0]         wodd_win_begin;
  logic [11:0]         wodd_win_end;
  logic [31:0]         wodd_win_fill;
  logic                wodd_row_valid;
  logic                wodd_row_ready;
  logic [RowWidth-1:0] wodd_row;
  logic                wodd_fault_valid;
  logic [31:0]         wodd_fault_address;

  mxu #(
    .Rows(Rows), .Cols(Cols), .Bf16(Bf16 != 0), .Int8(Int8 != 0), .TileColumns(TileColumns),
    .ProductStage(ProductStage), .AccumulatorRows(AccumulatorRows)
  ) u_mxu (
    .clk_i, .rst_ni, .instr_valid_i, .instr_ready_o, .instr_i, .instr_pc_i, .queue_depth_i, .flags_i,
    .abort_i, .signal_valid_o, .signal_flag_o, .idle_o, .busy_o, .stall_o, .progress_o, .waiting_o,
    .wait_flag_o, .pc_o, .fault_valid_o, .fault_cause_o, .fault_pc_o, .fault_address_o,
    .act_win_valid_o      (act_win_valid),
    .act_win_ready_i      (act_win_ready),
    .act_win_addr_o       (act_win_addr),
    .act_win_begin_o      (act_win_begin),
    .act_win_end_o        (act_win_end),
    .act_win_fill_o       (act_win_fill),
    .act_row_valid_i      (act_row_valid),
    .act_row_ready_o      (act_row_ready),
    .act_row_i            (act_row),
    .act_fault_valid_i    (act_fault_valid),
    .act_fault_address_i  (act_fault_address),
    .weven_win_valid_o    (weven_win_valid),
    .weven_win_ready_i    (weven_win_ready),
    .weven_win_addr_o     (weven_win_addr),
    .weven_win_begin_o    (weven_win_begin),
    .weven_win_end_o      (weven_win_end),
    .weven_win_fill_o     (weven_win_fill),
    .weven_row_valid_i    (weven_row_valid),
    .weven_row_ready_o    (weven_row_ready),
    .weven_row_i          (weven_row),
    .weven_fault_valid_i  (weven_fault_valid),
    .weven_fault_address_i(weven_fault_address),
    .wodd_win_valid_o     (wodd_win_valid),
    .wodd_win_ready_i     (wodd_win_ready),
    .wodd_win_addr_o      (wodd_win_addr),
    .wodd_win_begin_o     (wodd_win_begin),
    .wodd_win_end_o       (wodd_win_end),
    .wodd_win_fill_o      (wodd_win_fill),
    .wodd_row_valid_i     (wodd_row_valid),
    .wodd_row_ready_o     (wodd_row_ready),
    .wodd_row_i           (wodd_row),
    .wodd_fault_valid_i   (wodd_fault_valid),
    .wodd_fault_address_i (wodd_fault_address),
    .drain_valid_i, .drain_row_i, .drain_ready_o, .drain_data_valid_o, .drain_data_o
  );

  unified_buffer_window #(
    .WordBytes(WordBytes), .RowBytes(RowBytes), .BufferBytes(BufferBytes), .PortWords(2)
  ) u_act_window (
    .clk_i, .rst_ni,
    .clear_i         (abort_i),
    .win_valid_i     (act_win_valid),
    .win_ready_o     (act_win_ready),
    .win_addr_i      (act_win_addr),
    .win_begin_i     (act_win_begin),
    .win_end_i       (act_win_end),
    .win_fill_i      (act_win_fill),
    .row_valid_o     (act_row_valid),
    .row_ready_i     (act_row_ready),
    .row_o           (act_row),
    .fault_valid_o   (act_fault_valid),
    .fault_address_o (act_fault_address),
    .rd_valid_o      (rd_valid_o[1:0]),
    .rd_addr_o       (rd_addr_o[0*AddrWidth +: 2*AddrWidth]),
    .rd_ready_i      (rd_ready_i[1:0]),
    .rd_data_valid_i (rd_data_valid_i[1:0]),
    .rd_data_i       (rd_data_i[0*WordWidth +: 2*WordWidth])
  );

  unified_buffer_window #(
    .WordBytes(WordBytes), .RowBytes(RowBytes), .BufferBytes(BufferBytes), .PortWords(1)
  ) u_weven_window (
    .clk_i, .rst_ni,
    .clear_i         (abort_i),
    .win_valid_i     (weven_win_valid),
    .win_ready_o     (weven_win_ready),
    .win_addr_i      (weven_win_addr),
    .win_begin_i     (weven_win_begin),
    .win_end_i       (weven_win_end),
    .win_fill_i      (weven_win_fill),
    .row_valid_o     (weven_row_valid),
    .row_ready_i     (weven_row_ready),
    .row_o           (weven_row),
    .fault_valid_o   (weven_fault_valid),
    .fault_address_o (weven_fault_address),
    .rd_valid_o      (rd_valid_o[2]),
    .rd_addr_o       (rd_addr_o[2*AddrWidth +: 1*AddrWidth]),
    .rd_ready_i      (rd_ready_i[2]),
    .rd_data_valid_i (rd_data_valid_i[2]),
    .rd_data_i       (rd_data_i[2*WordWidth +: 1*WordWidth])
  );

  unified_buffer_window #(
    .WordBytes(WordBytes), .RowBytes(RowBytes), .BufferBytes(BufferBytes), .PortWords(1)
  ) u_wodd_window (
    .clk_i, .rst_ni,
    .clear_i         (abort_i),
    .win_valid_i     (wodd_win_valid),
    .win_ready_o     (wodd_win_ready),
    .win_addr_i      (wodd_win_addr),
    .win_begin_i     (wodd_win_begin),
    .win_end_i       (wodd_win_end),
    .win_fill_i      (wodd_win_fill),
    .row_valid_o     (wodd_row_valid),
    .row_ready_i     (wodd_row_ready),
    .row_o           (wodd_row),
    .fault_valid_o   (wodd_fault_valid),
    .fault_address_o (wodd_fault_address),
    .rd_valid_o      (rd_valid_o[3]),
    .rd_addr_o       (rd_addr_o[3*AddrWidth +: 1*AddrWidth]),
    .rd_ready_i      (rd_ready_i[3]),
    .rd_data_valid_i (rd_data_valid_i[3]),
    .rd_data_i       (rd_data_i[3*WordWidth +: 1*WordWidth])
  );

endmodule
