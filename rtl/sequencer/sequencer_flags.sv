`include "prim_assert.svh"

// The 64 synchronisation flags: 16-bit counters that only rise, until the next launch.
//
// An engine raises up to two flags per cycle, also the same one twice; the host raises flags from
// HostFlagBase on by any amount. A raised flag shows one cycle later.
module sequencer_flags #(
  parameter int Engines = 6
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,

  input  logic [Engines*2-1:0]  signal_valid_i,
  input  logic [Engines*16-1:0] signal_flag_i,  // 8 bits each

  input  logic                  host_valid_i,
  input  logic [7:0]            host_flag_i,
  input  logic [15:0]           host_increment_i,

  output logic [isa_pkg::Flags*16-1:0] flags_o
);

  localparam int Signals = Engines * 2;

  // Every flag counts how many of this cycle's signals name it.
  task automatic raise();
    logic [isa_pkg::Flags*16-1:0] flags;
    flags = flags_o;
    for (int unsigned s = 0; s < Signals; s++) begin
      if (signal_valid_i[s]) begin
        for (int unsigned f = 0; f < isa_pkg::Flags; f++) begin
          if (signal_flag_i[s*8 +: 8] == 8'(f)) flags[f*16 +: 16] = flags[f*16 +: 16] + 16'd1;
        end
      end
    end
    if (host_valid_i) begin
      for (int unsigned f = isa_pkg::HostFlagBase; f < isa_pkg::Flags; f++) begin
        if (host_flag_i == 8'(f)) flags[f*16 +: 16] = flags[f*16 +: 16] + host_increment_i;
      end
    end
    flags_o <= flags;
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) flags_o <= '0;
    else if (signal_valid_i != '0 || host_valid_i) raise();
  end

  for (genvar s = 0; s < Signals; s++) begin : gen_check
    `PRIM_ASSERT(SignalNamesAFlag, !signal_valid_i[s] || 32'(signal_flag_i[s*8 +: 8]) < isa_pkg::Flags)
  end

endmodule
