`include "prim_assert.svh"

// The unified buffer: words in single-ported banks, word ports in front of them.
//
//   rd_valid/addr --> arbiter (one access per bank and cycle) --> banks --> rd_data, a cycle later
//   wr_valid/...  --^
//
// Reads come before writes, lower port numbers before higher ones. The bank of a word is the sum of its
// address's digits to the base Banks: like an XOR fold it keeps streams with power-of-two distances
// from marching through the banks in step, and neighbouring words, which a window reads together,
// fall into different banks also where the lowest digit wraps (short of Banks - 1 wraps at once).
module unified_buffer #(
  parameter  int WordBytes   = 16,    // a power of two, at least 8
  parameter  int BufferBytes = 4096,  // a power of two
  parameter  int Banks       = 4,     // a power of two, at least 2
  parameter  int ReadPorts   = 9,
  parameter  int WritePorts  = 2,
  parameter  bit Structural  = 1'b0,  // banks as separate memories, for synthesis
  localparam int WordWidth   = WordBytes * 8,
  localparam int AddrWidth   = $clog2(BufferBytes / WordBytes)
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  // Word index in, grant in the same cycle, data one cycle after the grant.
  input  logic [ReadPorts-1:0]             rd_valid_i,
  input  logic [ReadPorts*AddrWidth-1:0]   rd_addr_i,
  output logic [ReadPorts-1:0]             rd_ready_o,
  output logic [ReadPorts-1:0]             rd_data_valid_o,
  output logic [ReadPorts*WordWidth-1:0]   rd_data_o,

  // A granted write is visible to reads that are granted from the next cycle on.
  input  logic [WritePorts-1:0]            wr_valid_i,
  input  logic [WritePorts*AddrWidth-1:0]  wr_addr_i,
  input  logic [WritePorts*WordWidth-1:0]  wr_data_i,
  input  logic [WritePorts*WordBytes-1:0]  wr_mask_i,
  output logic [WritePorts-1:0]            wr_ready_o
);

  localparam int BankWidth = $clog2(Banks);

  logic [ReadPorts*BankWidth-1:0]  rd_bank;
  logic [WritePorts*BankWidth-1:0] wr_bank;

  function automatic logic [BankWidth-1:0] bank_of(input logic [AddrWidth-1:0] addr);
    logic [AddrWidth-1:0] rest;
    bank_of = '0;
    rest    = addr;
    for (int unsigned digit = 0; digit * BankWidth < AddrWidth; digit++) begin
      bank_of = bank_of + BankWidth'(rest);
      rest    = rest >> BankWidth;
    end
  endfunction

  always_comb begin
    logic [Banks-1:0]     taken;
    logic [BankWidth-1:0] bank;
    taken      = '0;
    bank       = '0;
    rd_ready_o = '0;
    wr_ready_o = '0;
    rd_bank    = '0;
    wr_bank    = '0;
    if (rd_valid_i != '0 || wr_valid_i != '0) begin
      for (int unsigned p = 0; p < ReadPorts; p++) begin
        if (rd_valid_i[p]) begin
          bank                              = bank_of(rd_addr_i[p*AddrWidth +: AddrWidth]);
          rd_bank[p*BankWidth +: BankWidth] = bank;
          rd_ready_o[p]                     = !taken[bank];
          taken[bank]                       = 1'b1;
        end
      end
      for (int unsigned p = 0; p < WritePorts; p++) begin
        if (wr_valid_i[p]) begin
          bank                              = bank_of(wr_addr_i[p*AddrWidth +: AddrWidth]);
          wr_bank[p*BankWidth +: BankWidth] = bank;
          wr_ready_o[p]                     = !taken[bank];
          taken[bank]                       = 1'b1;
        end
      end
    end
  end

  // Ready already implies valid.
  prim_banked_ram #(
    .Width(WordWidth), .Depth(BufferBytes / WordBytes), .Banks(Banks),
    .ReadPorts(ReadPorts), .WritePorts(WritePorts), .Structural(Structural)
  ) u_banks (
    .clk_i,
    .rst_ni,
    .read_i      (rd_ready_o),
    .read_addr_i (rd_addr_i),
    .read_bank_i (rd_bank),
    .read_data_o (rd_data_o),
    .write_i     (wr_ready_o),
    .write_addr_i(wr_addr_i),
    .write_bank_i(wr_bank),
    .write_data_i(wr_data_i),
    .write_mask_i(wr_mask_i)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) rd_data_valid_o <= '0;
    else if (rd_data_valid_o != rd_ready_o) rd_data_valid_o <= rd_ready_o;
  end

  `PRIM_ASSERT(SizesArePowersOfTwo, (WordBytes & (WordBytes - 1)) == 0
                                    && (BufferBytes & (BufferBytes - 1)) == 0)

endmodule
