// The cross-lane unit with its window into the unified buffer and its row writer. Nothing but wires.
module chip_xlu #(
  parameter  int Lanes       = 8,
  parameter  int BufferBytes = 65536,
  parameter  int WordBytes   = 16,
  localparam int RowBytes    = 4 * Lanes,
  localparam int RowWidth    = RowBytes * 8,
  localparam int WordWidth   = WordBytes * 8,
  localparam int AddrWidth   = $clog2(BufferBytes / WordBytes)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Engine port.
  input  logic                 instr_valid_i,
  output logic                 instr_ready_o,
  input  logic [2047:0]        instr_i,
  input  logic [31:0]          instr_pc_i,
  input  logic [3:0]           queue_depth_i,
  input  logic [1023:0]        flags_i,
  input  logic                 abort_i,
  output logic [1:0]           signal_valid_o,
  output logic [15:0]          signal_flag_o,
  output logic                 idle_o,
  output logic                 busy_o,
  output logic                 stall_o,
  output logic                 progress_o,
  output logic                 waiting_o,
  output logic [7:0]           wait_flag_o,
  output logic [31:0]          pc_o,
  output logic                 fault_valid_o,
  output logic [7:0]           fault_cause_o,
  output logic [31:0]          fault_pc_o,
  output logic [63:0]          fault_address_o,

  // Buffer word ports.
  output logic                 rd_valid_o,
  output logic [AddrWidth-1:0] rd_addr_o,
  input  logic                 rd_ready_i,
  input  logic                 rd_data_valid_i,
  input  logic [WordWidth-1:0] rd_data_i,
  output logic                 wr_valid_o,
  input  logic                 wr_ready_i,
  output logic [AddrWidth-1:0] wr_addr_o,
  output logic [WordWidth-1:0] wr_data_o,
  output logic [WordBytes-1:0] wr_mask_o
);

  logic                win_valid;
  logic                win_ready;
  logic [31:0]         win_addr;
  logic [11:0]         win_begin;
  logic [11:0]         win_end;
  logic [31:0]         win_fill;
  logic                row_valid;
  logic                row_ready;
  logic [RowWidth-1:0] row;
  logic                clear;
  logic                out_valid;
  logic                out_ready;
  logic [31:0]         out_addr;
  logic [11:0]         out_bytes;
  logic [RowWidth-1:0] out_row;
  logic                out_done;

  xlu #(.Lanes(Lanes), .BufferBytes(BufferBytes)) u_xlu (
    .clk_i, .rst_ni, .instr_valid_i, .instr_ready_o, .instr_i, .instr_pc_i, .queue_depth_i, .flags_i,
    .abort_i, .signal_valid_o, .signal_flag_o, .idle_o, .busy_o, .stall_o, .progress_o, .waiting_o,
    .wait_flag_o, .pc_o, .fault_valid_o, .fault_cause_o, .fault_pc_o, .fault_address_o,
    .win_valid_o (win_valid),
    .win_ready_i (win_ready),
    .win_addr_o  (win_addr),
    .win_begin_o (win_begin),
    .win_end_o   (win_end),
    .win_fill_o  (win_fill),
    .row_valid_i (row_valid),
    .row_ready_o (row_ready),
    .row_i       (row),
    .clear_o     (clear),
    .wr_valid_o  (out_valid),
    .wr_ready_i  (out_ready),
    .wr_addr_o   (out_addr),
    .wr_bytes_o  (out_bytes),
    .wr_row_o    (out_row),
    .wr_done_i   (out_done)
  );

  // The unit itself refuses addresses outside the buffer, so window and writer never fault.
  unified_buffer_window #(
    .WordBytes(WordBytes), .RowBytes(RowBytes), .BufferBytes(BufferBytes), .PortWords(1)
  ) u_window (
    .clk_i, .rst_ni,
    .clear_i         (clear),
    .win_valid_i     (win_valid),
    .win_ready_o     (win_ready),
    .win_addr_i      (win_addr),
    .win_begin_i     (win_begin),
    .win_end_i       (win_end),
    .win_fill_i      (win_fill),
    .row_valid_o     (row_valid),
    .row_ready_i     (row_ready),
    .row_o           (row),
    // verilator lint_off PINCONNECTEMPTY
    .fault_valid_o   (),
    .fault_address_o (),
    // verilator lint_on PINCONNECTEMPTY
    .rd_valid_o, .rd_addr_o, .rd_ready_i, .rd_data_valid_i, .rd_data_i
  );

  unified_buffer_writer #(
    .WordBytes(WordBytes), .RowBytes(RowBytes), .BufferBytes(BufferBytes)
  ) u_writer (
    .clk_i, .rst_ni,
    .clear_i         (clear),
    .wr_valid_i      (out_valid),
    .wr_ready_o      (out_ready),
    .wr_addr_i       (out_addr),
    .wr_bytes_i      (out_bytes),
    .wr_row_i        (out_row),
    .done_o          (out_done),
    // verilator lint_off PINCONNECTEMPTY
    .wr_idle_o       (),
    .fault_valid_o   (),
    .fault_address_o (),
    // verilator lint_on PINCONNECTEMPTY
    .wr_valid_o, .wr_ready_i, .wr_addr_o, .wr_data_o, .wr_mask_o
  );

endmodule
