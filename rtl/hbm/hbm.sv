`include "prim_assert.svh"

// The chip's way to memory: line ports in front, either kind of memory behind.
//
//   ports -> hbm_arbiter -> Hbm2 ? hbm_controller -> row and column commands
//                                : mem_* pins
//
// The pins of the other kind are tied off. `rsp_data_o` is one bus for all ports: at most one answer
// comes per cycle, and a copy per port would cost simulation time even while nothing happens.
module hbm #(
  parameter  bit Hbm2        = 1'b1,
  parameter  int Ports       = 5,
  parameter  int LineBytes   = 64,
  parameter  int MaxChannels = 2,
  parameter  int QueueLines  = 16,
  localparam int LineBits    = LineBytes * 8
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // Line ports.
  input  logic [Ports-1:0]           req_valid_i,
  output logic [Ports-1:0]           req_ready_o,
  input  logic [Ports-1:0]           req_write_i,
  input  logic [Ports*40-1:0]        req_addr_i,
  input  logic [Ports*8-1:0]         req_tag_i,
  input  logic [Ports*LineBits-1:0]  req_data_i,
  input  logic [Ports*LineBytes-1:0] req_strobe_i,
  output logic [Ports-1:0]           rsp_valid_o,
  output logic [7:0]                 rsp_tag_o,     // of the port that rsp_valid_o names
  output logic [LineBits-1:0]        rsp_data_o,

  /* verilator lint_off UNUSEDSIGNAL */  // each kind leaves the other's inputs alone
  // Configuration; changes only while nothing is outstanding.
  input  logic [18*32-1:0]           timing_i,
  input  logic [31:0]                channels_i,
  /* verilator lint_on UNUSEDSIGNAL */

  output logic [63:0]                read_bytes_o,
  output logic [63:0]                write_bytes_o,

  /* verilator lint_off UNUSEDSIGNAL */
  // Memory of kind fixed.
  output logic                       mem_req_valid_o,
  input  logic                       mem_req_ready_i,
  output logic                       mem_req_write_o,
  output logic [39:0]                mem_req_addr_o,
  output logic [15:0]                mem_req_tag_o,
  output logic [LineBits-1:0]        mem_req_data_o,
  output logic [LineBytes-1:0]       mem_req_strobe_o,
  input  logic                       mem_rsp_valid_i,
  input  logic [15:0]                mem_rsp_tag_i,
  input  logic [LineBits-1:0]        mem_rsp_data_i,

  // Memory of kind hbm2.
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
  /* verilator lint_on UNUSEDSIGNAL */
);

  logic                 valid;
  logic                 ready;
  logic                 write;
  logic [39:0]          addr;
  logic [10:0]          tag;
  logic [LineBits-1:0]  data;
  logic [LineBytes-1:0] strobe;
  logic                 answer_valid;
  logic [10:0]          answer_tag;

  hbm_arbiter #(.Ports(Ports), .LineBytes(LineBytes)) u_arbiter (
    .clk_i, .rst_ni,
    .req_valid_i, .req_ready_o, .req_write_i, .req_addr_i, .req_tag_i, .req_data_i, .req_strobe_i,
    .out_valid_o(valid), .out_ready_i(ready), .out_write_o(write), .out_addr_o(addr),
    .out_tag_o(tag), .out_data_o(data), .out_strobe_o(strobe),
    .read_bytes_o, .write_bytes_o
  );

  assign rsp_valid_o = answer_valid ? Ports'(8'd1 << answer_tag[10:8]) : '0;
  assign rsp_tag_o   = answer_tag[7:0];

  if (Hbm2) begin : gen_hbm2
    hbm_controller #(
      .LineBytes(LineBytes), .MaxChannels(MaxChannels), .QueueLines(QueueLines)
    ) u_controller (
      .clk_i, .rst_ni, .timing_i, .channels_i,
      .req_valid_i(valid), .req_ready_o(ready), .req_write_i(write), .req_addr_i(addr),
      .req_tag_i(tag), .req_data_i(data), .req_strobe_i(strobe),
      .rsp_valid_o(answer_valid), .rsp_tag_o(answer_tag), .rsp_data_o,
      .row_valid_o, .row_op_o, .row_bank_o, .row_row_o,
      .col_valid_o, .col_write_o, .col_bank_o, .col_col_o, .wr_data_o, .wr_strobe_o,
      .rd_valid_i, .rd_data_i
    );
    assign mem_req_valid_o  = 1'b0;
    assign mem_req_write_o  = 1'b0;
    assign mem_req_addr_o   = '0;
    assign mem_req_tag_o    = '0;
    assign mem_req_data_o   = '0;
    assign mem_req_strobe_o = '0;
  end else begin : gen_fixed
    assign ready            = mem_req_ready_i;
    assign mem_req_valid_o  = valid;
    assign mem_req_write_o  = write;
    assign mem_req_addr_o   = addr;
    assign mem_req_tag_o    = {5'd0, tag};
    assign mem_req_data_o   = data;
    assign mem_req_strobe_o = strobe;

    // Pins are registered once, so that logic behind them runs on clock edges only.
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        answer_valid <= 1'b0;
      end else if (mem_rsp_valid_i || answer_valid) begin
        answer_valid <= mem_rsp_valid_i;
        answer_tag   <= mem_rsp_tag_i[10:0];
        if (mem_rsp_valid_i) rsp_data_o <= mem_rsp_data_i;
      end
    end

    assign row_valid_o = '0;
    assign row_op_o    = '0;
    assign row_bank_o  = '0;
    assign row_row_o   = '0;
    assign col_valid_o = '0;
    assign col_write_o = '0;
    assign col_bank_o  = '0;
    assign col_col_o   = '0;
    assign wr_data_o   = '0;
    assign wr_strobe_o = '0;
  end

  `PRIM_ASSERT(AnswerHasAPort, !answer_valid || 32'(answer_tag[10:8]) < Ports)

endmodule
