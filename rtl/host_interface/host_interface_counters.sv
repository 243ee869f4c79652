// Counts what the running job does; the counts stay until the next job begins.
//
// In each cycle of a job an engine is busy, stalled or idle, so busy + stall + idle = cycles exactly.
// Read bytes are whole lines of the ports of loads, launch and instruction fetch; written bytes are
// the enabled bytes of stores.
module host_interface_counters #(
  parameter  int Engines    = 6,
  parameter  int LineBytes  = 64,
  localparam int MaxEngines = csr_pkg::ConflictCount
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     clear_i,
  input  logic                     active_i,
  input  logic [Engines-1:0]       busy_i,
  input  logic [Engines-1:0]       stall_i,
  input  logic [Engines*4-1:0]     conflict_i,  // accesses to the buffer held back, per engine
  input  logic                     issued_i,
  input  logic [2:0]               line_read_i,  // a request was taken, per port that counts
  input  logic                     line_write_i,
  input  logic [LineBytes-1:0]     write_strobe_i,

  output logic [63:0]              cycles_o,
  output logic [63:0]              read_bytes_o,
  output logic [63:0]              write_bytes_o,
  output logic [31:0]              instructions_o,
  output logic [MaxEngines*64-1:0] busy_o,
  output logic [MaxEngines*64-1:0] stall_o,
  output logic [MaxEngines*32-1:0] conflict_o
);

  task automatic count_engines();
    for (int unsigned e = 0; e < Engines; e++) begin
      if (busy_i[e]) busy_o[e*64 +: 64] <= busy_o[e*64 +: 64] + 64'd1;
      if (stall_i[e]) stall_o[e*64 +: 64] <= stall_o[e*64 +: 64] + 64'd1;
    end
  endtask

  task automatic count_conflicts();
    for (int unsigned e = 0; e < Engines; e++) begin
      conflict_o[e*32 +: 32] <= conflict_o[e*32 +: 32] + 32'(conflict_i[e*4 +: 4]);
    end
  endtask

  task automatic count_written();
    logic [63:0] bytes;
    bytes = 64'd0;
    for (int unsigned b = 0; b < LineBytes; b++) bytes = bytes + {63'd0, write_strobe_i[b]};
    write_bytes_o <= write_bytes_o + bytes;
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      cycles_o       <= 64'd0;
      read_bytes_o   <= 64'd0;
      write_bytes_o  <= 64'd0;
      instructions_o <= 32'd0;
      busy_o         <= '0;
      stall_o        <= '0;
      conflict_o     <= '0;
    end else if (active_i) begin
      cycles_o <= cycles_o + 64'd1;
      count_engines();
      if (conflict_i != '0) count_conflicts();
      if (line_read_i != 3'd0) begin
        read_bytes_o <= read_bytes_o
                        + (64'(line_read_i[0]) + 64'(line_read_i[1]) + 64'(line_read_i[2]))
                          * 64'(LineBytes);
      end
      if (line_write_i) count_written();
      if (issued_i) instructions_o <= instructions_o + 32'd1;
    end
  end

endmodule
