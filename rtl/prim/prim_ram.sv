// A memory with one read and one write port, both synchronous.
//
// The word read stands at `read_data_o` from the cycle after `read_i` until the next read. A read in
// the cycle of a write to the same address gives the old word. This is the place where a technology's
// memory macro, error correction or fault injection would go.
module prim_ram #(
  parameter  int Width     = 64,  // a multiple of 32
  parameter  int Depth     = 256,
  localparam int AddrWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,

  input  logic                 write_i,
  input  logic [AddrWidth-1:0] write_addr_i,
  input  logic [Width-1:0]     write_data_i,
  input  logic [Width/8-1:0]   write_mask_i,  // a bit per byte

  input  logic                 read_i,
  input  logic [AddrWidth-1:0] read_addr_i,
  output logic [Width-1:0]     read_data_o
);

  logic [Width-1:0] words [0:Depth-1];

  // Whole words are the common case, and bytes are merged in 32-bit lanes otherwise.
  task automatic write(input logic [AddrWidth-1:0] addr);
    logic [Width-1:0] word;
    logic [31:0]      mask;
    if (&write_mask_i) begin
      words[addr] <= write_data_i;
    end else begin
      word = words[addr];
      for (int unsigned lane = 0; lane < Width / 32; lane++) begin
        mask = {{8{write_mask_i[lane*4 + 3]}}, {8{write_mask_i[lane*4 + 2]}},
                {8{write_mask_i[lane*4 + 1]}}, {8{write_mask_i[lane*4]}}};
        word[lane*32 +: 32] = (word[lane*32 +: 32] & ~mask) | (write_data_i[lane*32 +: 32] & mask);
      end
      words[addr] <= word;
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (read_i) read_data_o <= words[read_addr_i];
    if (write_i) write(write_addr_i);
  end

endmodule
