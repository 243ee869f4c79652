// A unified buffer with what stands around it in a chip: a window with two word ports (read ports 0 and
// 1), one with one (2), a row writer (write port 0), and bare ports (read 3, write 1).
module unified_buffer_harness #(
  parameter  int WordBytes   = 16,
  parameter  int RowBytes    = 32,
  parameter  int BufferBytes = 4096,
  parameter  int Banks       = 4,
  parameter  bit Structural  = 1'b0,
  localparam int WordWidth   = WordBytes * 8,
  localparam int RowWidth    = RowBytes * 8,
  localparam int AddrWidth   = $clog2(BufferBytes / WordBytes)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,

  input  logic [1:0]            win_valid_i,
  output logic [1:0]            win_ready_o,
  input  logic [2*32-1:0]       win_addr_i,
  input  logic [2*12-1:0]       win_begin_i,
  input  logic [2*12-1:0]       win_end_i,
  input  logic [2*32-1:0]       win_fill_i,
  output logic [1:0]            row_valid_o,
  input  logic [1:0]            row_ready_i,
  output logic [2*RowWidth-1:0] row_o,
  output logic [1:0]            win_fault_valid_o,
  output logic [2*32-1:0]       win_fault_address_o,

  input  logic                  wr_valid_i,
  output logic                  wr_ready_o,
  input  logic [31:0]           wr_addr_i,
  input  logic [11:0]           wr_bytes_i,
  input  logic [RowWidth-1:0]   wr_row_i,
  output logic                  wr_idle_o,
  output logic                  wr_done_o,
  output logic                  wr_fault_valid_o,
  output logic [31:0]           wr_fault_address_o,

  input  logic                  bare_read_i,
  input  logic [AddrWidth-1:0]  bare_read_addr_i,
  output logic                  bare_read_ready_o,
  output logic                  bare_data_valid_o,
  output logic [WordWidth-1:0]  bare_data_o,
  input  logic                  bare_write_i,
  input  logic [AddrWidth-1:0]  bare_write_addr_i,
  input  logic [WordWidth-1:0]  bare_write_data_i,
  input  logic [WordBytes-1:0]  bare_write_mask_i,
  output logic                  bare_write_ready_o,

  output logic [3:0]            rd_valid_o,  // the word ports, to watch
  output logic [3:0]            rd_ready_o,
  output logic [4*AddrWidth-1:0] rd_addr_o,
  output logic [1:0]            wr_word_valid_o,
  output logic [1:0]            wr_word_ready_o,
  output logic [2*AddrWidth-1:0] wr_word_addr_o
);

  logic [3:0]             rd_data_valid;
  logic [4*WordWidth-1:0] rd_data;
  logic [WordWidth-1:0]   wr_data;
  logic [WordBytes-1:0]   wr_mask;

  unified_buffer #(
    .WordBytes(WordBytes), .BufferBytes(BufferBytes), .Banks(Banks), .ReadPorts(4), .WritePorts(2),
    .Structural(Structural)
  ) u_buffer (
    .clk_i, .rst_ni,
    .rd_valid_i     (rd_valid_o),
    .rd_addr_i      (rd_addr_o),
    .rd_ready_o     (rd_ready_o),
    .rd_data_valid_o(rd_data_valid),
    .rd_data_o      (rd_data),
    .wr_valid_i     (wr_word_valid_o),
    .wr_addr_i      (wr_word_addr_o),
    .wr_data_i      ({bare_write_data_i, wr_data}),
    .wr_mask_i      ({bare_write_mask_i, wr_mask}),
    .wr_ready_o     (wr_word_ready_o)
  );

  assign rd_valid_o[3]                       = bare_read_i;
  assign rd_addr_o[3*AddrWidth +: AddrWidth] = bare_read_addr_i;
  assign bare_read_ready_o                   = rd_ready_o[3];
  assign bare_data_valid_o                   = rd_data_valid[3];
  assign bare_data_o                         = rd_data[3*WordWidth +: WordWidth];
  assign wr_word_valid_o[1]                  = bare_write_i;
  assign wr_word_addr_o[AddrWidth +: AddrWidth] = bare_write_addr_i;
  assign bare_write_ready_o                  = wr_word_ready_o[1];

  for (genvar w = 0; w < 2; w++) begin : gen_window
    localparam int Port  = 2 * w;
    localparam int Words = 2 - w;
    unified_buffer_window #(
      .WordBytes(WordBytes), .RowBytes(RowBytes), .BufferBytes(BufferBytes), .PortWords(Words)
    ) u_window (
      .clk_i, .rst_ni, .clear_i,
      .win_valid_i    (win_valid_i[w]),
      .win_ready_o    (win_ready_o[w]),
      .win_addr_i     (win_addr_i[w*32 +: 32]),
      .win_begin_i    (win_begin_i[w*12 +: 12]),
      .win_end_i      (win_end_i[w*12 +: 12]),
      .win_fill_i     (win_fill_i[w*32 +: 32]),
      .row_valid_o    (row_valid_o[w]),
      .row_ready_i    (row_ready_i[w]),
      .row_o          (row_o[w*RowWidth +: RowWidth]),
      .fault_valid_o  (win_fault_valid_o[w]),
      .fault_address_o(win_fault_address_o[w*32 +: 32]),
      .rd_valid_o     (rd_valid_o[Port +: Words]),
      .rd_addr_o      (rd_addr_o[Port*AddrWidth +: Words*AddrWidth]),
      .rd_ready_i     (rd_ready_o[Port +: Words]),
      .rd_data_valid_i(rd_data_valid[Port +: Words]),
      .rd_data_i      (rd_data[Port*WordWidth +: Words*WordWidth])
    );
  end

  unified_buffer_writer #(
    .WordBytes(WordBytes), .RowBytes(RowBytes), .BufferBytes(BufferBytes)
  ) u_writer (
    .clk_i, .rst_ni, .clear_i,
    .wr_valid_i,
    .wr_ready_o,
    .wr_addr_i,
    .wr_bytes_i,
    .wr_row_i,
    .wr_idle_o,
    .done_o         (wr_done_o),
    .fault_valid_o  (wr_fault_valid_o),
    .fault_address_o(wr_fault_address_o),
    .wr_valid_o     (wr_word_valid_o[0]),
    .wr_ready_i     (wr_word_ready_o[0]),
    .wr_addr_o      (wr_word_addr_o[AddrWidth-1:0]),
    .wr_data_o      (wr_data),
    .wr_mask_o      (wr_mask)
  );

endmodule
