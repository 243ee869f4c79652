// Reads the indices of a group that gathers: a word per cycle through one word port, and no word
// twice that holds the indices of several rows.
//
// The group stands still at the inputs from `active_i` until `next_i`, which comes while `done_o`.
// Rows outside, and indices that lie outside the buffer or are misaligned, are not read.
module vpu_fetch_index #(
  parameter  int Sublanes    = 2,
  parameter  int WordBytes   = 16,
  parameter  int BufferBytes = 65536,
  localparam int AddrWidth   = $clog2(BufferBytes / WordBytes)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,

  input  logic                    active_i,
  input  logic                    spread_rows_i,
  input  logic [31:0]             y_i,
  input  logic [31:0]             y_step_i,
  input  logic [31:0]             y_limit_i,
  input  logic [31:0]             base_i,
  output logic                    done_o,
  output logic [Sublanes*32-1:0]  index_o,
  input  logic                    next_i,

  output logic                    rd_valid_o,
  output logic [AddrWidth-1:0]    rd_addr_o,
  input  logic                    rd_ready_i,
  output logic                    rd_arrives_o,  // the data of this cycle is an index word
  input  logic [WordBytes*8-1:0]  rd_data_i
);

  localparam int OffsetWidth = $clog2(WordBytes);

  logic [Sublanes-1:0]    requested_q;
  logic [Sublanes-1:0]    known_q;
  logic [Sublanes-1:0]    arriving_q;
  logic [Sublanes-1:0]    needed;
  logic [Sublanes-1:0]    together;  // rows that the word read now serves
  logic [Sublanes*32-1:0] addr;

  always_comb begin
    logic [31:0] y;
    y          = 32'd0;
    needed     = '0;
    together   = '0;
    addr       = '0;
    rd_valid_o = 1'b0;
    rd_addr_o  = '0;
    if (active_i) begin
      for (int unsigned s = 0; s < Sublanes; s++) begin
        y                = y_i + s * y_step_i;
        addr[s*32 +: 32] = base_i + (y << 2);
        needed[s]        = !(spread_rows_i && s != 0) && !y[31] && (y < y_limit_i)
                           && (addr[s*32 +: 2] == 2'd0) && (addr[s*32 +: 32] < 32'(BufferBytes));
        if (needed[s] && !requested_q[s]) begin
          if (!rd_valid_o) rd_addr_o = addr[s*32 + OffsetWidth +: AddrWidth];
          rd_valid_o  = 1'b1;
          together[s] = (addr[s*32 + OffsetWidth +: AddrWidth] == rd_addr_o);
        end
      end
    end
  end

  assign done_o       = ((needed & ~known_q) == '0);
  assign rd_arrives_o = (arriving_q != '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      requested_q <= '0;
      known_q     <= '0;
      arriving_q  <= '0;
    end else if (active_i) begin
      arriving_q <= (rd_valid_o && rd_ready_i) ? together : '0;
      for (int unsigned s = 0; s < Sublanes; s++) begin
        if (arriving_q[s]) begin
          index_o[s*32 +: 32] <= rd_data_i[{addr[s*32 + 2 +: OffsetWidth - 2], 5'd0} +: 32];
        end
      end
      if (next_i) begin
        requested_q <= '0;
        known_q     <= '0;
      end else begin
        known_q <= known_q | arriving_q;
        if (rd_valid_o && rd_ready_i) requested_q <= requested_q | together;
      end
    end
  end

endmodule
