// Reads the row number of one loop 0 iteration from the buffer: the int32 at `addr_i`, a multiple of 4.
//
// `start_i` for one cycle; later, at least three cycles, `done_o` for one cycle with the index.
module dma_gather #(
  parameter  int WordBytes = 16,
  parameter  int AddrWidth = 12,
  localparam int WordBits  = WordBytes * 8
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,

  input  logic                 start_i,
  input  logic [31:0]          addr_i,  // held until done_o
  output logic                 busy_o,
  output logic                 done_o,
  output logic [31:0]          index_o,

  output logic                 rd_valid_o,
  output logic [AddrWidth-1:0] rd_addr_o,
  input  logic                 rd_ready_i,
  input  logic                 rd_data_valid_i,
  input  logic [WordBits-1:0]  rd_data_i
);

  logic waits_q;  // a read was granted, its word is on the way

  assign busy_o = rd_valid_o || waits_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      rd_valid_o <= 1'b0;
      waits_q    <= 1'b0;
      done_o     <= 1'b0;
    end else if (start_i || busy_o || done_o) begin
      done_o <= waits_q && rd_data_valid_i;
      if (start_i) begin
        rd_valid_o <= 1'b1;
        rd_addr_o  <= AddrWidth'(addr_i / WordBytes);
      end else if (rd_valid_o && rd_ready_i) begin
        rd_valid_o <= 1'b0;
        waits_q    <= 1'b1;
      end
      if (waits_q && rd_data_valid_i) begin
        waits_q <= 1'b0;
        index_o <= 32'(rd_data_i >> ((addr_i % WordBytes) * 8));
      end
    end
  end

endmodule
