// Reads the row number of one loop 0 iteration from the buffer: the int32 at `addr_i`, any byte
// alignment, so one or two words.
//
// `start_i` for one cycle; later `done_o` for one cycle with the index. At least three cycles.
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

  logic       straddles_q;  // a second word follows
  logic       waits_q;      // a read was granted, its word is on the way

  logic [31:0] offset;
  assign offset = addr_i % WordBytes;
  assign busy_o = rd_valid_o || waits_q;

  // The bytes of this word that belong to the index, in their place; other bytes are zero.
  function automatic logic [31:0] piece(input logic [WordBits-1:0] word, input logic [31:0] from,
                                        input logic second);
    logic [31:0] have;
    have  = WordBytes - from;  // bytes in the first of two words
    piece = second ? 32'(word) << (have * 8) : 32'(word >> (from * 8));
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      rd_valid_o  <= 1'b0;
      waits_q     <= 1'b0;
      done_o      <= 1'b0;
      straddles_q <= 1'b0;
    end else if (start_i || rd_valid_o || waits_q || done_o) begin
      done_o <= 1'b0;
      if (start_i) begin
        rd_valid_o  <= 1'b1;
        rd_addr_o   <= AddrWidth'(addr_i / WordBytes);
        straddles_q <= offset > WordBytes - 4;
        index_o     <= 32'd0;
      end
      if (rd_valid_o && rd_ready_i) begin
        rd_valid_o <= 1'b0;
        waits_q    <= 1'b1;
      end
      if (waits_q && rd_data_valid_i) begin
        waits_q     <= 1'b0;
        index_o     <= index_o | piece(rd_data_i, offset, rd_addr_o != AddrWidth'(addr_i / WordBytes));
        straddles_q <= 1'b0;
        done_o      <= !straddles_q;
        if (straddles_q) begin
          rd_valid_o <= 1'b1;
          rd_addr_o  <= rd_addr_o + 1'b1;
        end
      end
    end
  end

endmodule
