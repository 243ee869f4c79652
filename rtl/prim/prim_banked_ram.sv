`include "prim_assert.svh"

// A memory of several banks with many ports, of which at most one may use a bank in a cycle.
//
// Who uses the memory arbitrates and says for each access which bank it falls into; a bank is chosen
// by any function of the address that is a bijection together with the address bits above the low
// log2(Banks) ones. A word read stands at its port from the cycle after `read_i` until that port's
// next read; a write is seen by reads from the next cycle on.
//
// For the simulator the banks are one array, for synthesis (`Structural`) one single-ported
// prim_ram each with the crossbars around them; the ports cannot tell the difference.
module prim_banked_ram #(
  parameter  int Width      = 64,   // a multiple of 32
  parameter  int Depth      = 256,  // words of all banks together, a power of two
  parameter  int Banks      = 4,    // a power of two, at least 2, below Depth
  parameter  int ReadPorts  = 2,
  parameter  int WritePorts = 1,
  parameter  bit Structural = 1'b0,
  localparam int AddrWidth  = $clog2(Depth),
  localparam int BankWidth  = $clog2(Banks)
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic [ReadPorts-1:0]             read_i,
  input  logic [ReadPorts*AddrWidth-1:0]   read_addr_i,
  input  logic [ReadPorts*BankWidth-1:0]   read_bank_i,
  output logic [ReadPorts*Width-1:0]       read_data_o,

  input  logic [WritePorts-1:0]            write_i,
  input  logic [WritePorts*AddrWidth-1:0]  write_addr_i,
  input  logic [WritePorts*BankWidth-1:0]  write_bank_i,
  input  logic [WritePorts*Width-1:0]      write_data_i,
  input  logic [WritePorts*Width/8-1:0]    write_mask_i  // a bit per byte
);

  if (Structural) begin : gen_banks
    localparam int RowWidth = AddrWidth - BankWidth;
    logic [Banks*Width-1:0] bank_data;

    for (genvar b = 0; b < Banks; b++) begin : gen_bank
      logic                read;
      logic                write;
      logic [RowWidth-1:0] row;
      logic [Width-1:0]    data;
      logic [Width/8-1:0]  mask;

      // At most one port selects this bank, so selecting is a plain OR.
      always_comb begin
        read  = 1'b0;
        write = 1'b0;
        row   = '0;
        data  = '0;
        mask  = '0;
        for (int unsigned p = 0; p < ReadPorts; p++) begin
          if (read_i[p] && read_bank_i[p*BankWidth +: BankWidth] == BankWidth'(b)) begin
            read = 1'b1;
            row  = row | read_addr_i[p*AddrWidth + BankWidth +: RowWidth];
          end
        end
        for (int unsigned p = 0; p < WritePorts; p++) begin
          if (write_i[p] && write_bank_i[p*BankWidth +: BankWidth] == BankWidth'(b)) begin
            write = 1'b1;
            row   = row | write_addr_i[p*AddrWidth + BankWidth +: RowWidth];
            data  = data | write_data_i[p*Width +: Width];
            mask  = mask | write_mask_i[p*Width/8 +: Width/8];
          end
        end
      end

      prim_ram #(.Width(Width), .Depth(Depth / Banks)) u_ram (
        .clk_i,
        .write_i     (write),
        .write_addr_i(row),
        .write_data_i(data),
        .write_mask_i(mask),
        .read_i      (read),
        .read_addr_i (row),
        .read_data_o (bank_data[b*Width +: Width])
      );
    end

    for (genvar p = 0; p < ReadPorts; p++) begin : gen_read
      logic [BankWidth-1:0] bank_q;
      logic                 fresh_q;
      logic [Width-1:0]     held_q;
      logic [Width-1:0]     chosen;

      // A bank serves other ports afterwards, so a port keeps its word itself.
      assign chosen = fresh_q ? bank_data[bank_q*Width +: Width] : held_q;
      assign read_data_o[p*Width +: Width] = chosen;
      always_ff @(posedge clk_i) begin
        fresh_q <= read_i[p] && rst_ni;
        if (read_i[p]) bank_q <= read_bank_i[p*BankWidth +: BankWidth];
        if (fresh_q) held_q <= chosen;
      end
    end
  end else begin : gen_array
    logic [Width-1:0] words [0:Depth-1];

    task automatic write(input logic [AddrWidth-1:0] addr, input logic [Width-1:0] data,
                         input logic [Width/8-1:0] mask);
      logic [Width-1:0] word;
      logic [31:0]      lane_mask;
      if (&mask) begin
        words[addr] <= data;
      end else begin
        word = words[addr];
        for (int unsigned lane = 0; lane < Width / 32; lane++) begin
          lane_mask = {{8{mask[lane*4 + 3]}}, {8{mask[lane*4 + 2]}},
                       {8{mask[lane*4 + 1]}}, {8{mask[lane*4]}}};
          word[lane*32 +: 32] = (word[lane*32 +: 32] & ~lane_mask)
                                | (data[lane*32 +: 32] & lane_mask);
        end
        words[addr] <= word;
      end
    endtask

    always_ff @(posedge clk_i) begin
      for (int unsigned p = 0; p < WritePorts; p++) begin
        if (write_i[p]) begin
          write(write_addr_i[p*AddrWidth +: AddrWidth], write_data_i[p*Width +: Width],
                write_mask_i[p*Width/8 +: Width/8]);
        end
      end
    end

    // A register per port: one wide register for all of them would be copied whole at every edge.
    for (genvar p = 0; p < ReadPorts; p++) begin : gen_read
      logic [Width-1:0] data_q;
      assign read_data_o[p*Width +: Width] = data_q;
      always_ff @(posedge clk_i) begin
        if (read_i[p]) data_q <= words[read_addr_i[p*AddrWidth +: AddrWidth]];
      end
    end
  end

  logic banks_collide;
  always_comb begin
    logic [Banks-1:0] used;
    banks_collide = 1'b0;
    used          = '0;
    if (read_i != '0 || write_i != '0) begin
      for (int unsigned p = 0; p < ReadPorts; p++) begin
        if (read_i[p]) begin
          banks_collide = banks_collide | used[read_bank_i[p*BankWidth +: BankWidth]];
          used[read_bank_i[p*BankWidth +: BankWidth]] = 1'b1;
        end
      end
      for (int unsigned p = 0; p < WritePorts; p++) begin
        if (write_i[p]) begin
          banks_collide = banks_collide | used[write_bank_i[p*BankWidth +: BankWidth]];
          used[write_bank_i[p*BankWidth +: BankWidth]] = 1'b1;
        end
      end
    end
  end

  `PRIM_ASSERT(OneAccessPerBank, !banks_collide)

endmodule
