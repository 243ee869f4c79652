// Bank conflicts of the unified buffer by engine: accesses that were asked for and not granted in
// the cycle before. The order of ports is that of chip_compute.
module chip_conflicts #(
  parameter  int MxuCount      = 1,
  parameter  int VpuReadWords  = 2,
  parameter  int VpuWriteWords = 1,
  localparam int Engines       = 5 + MxuCount,
  localparam int ReadPorts     = 4 * MxuCount + VpuReadWords + 3,
  localparam int WritePorts    = VpuWriteWords + 2
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic [ReadPorts-1:0]  rd_valid_i,
  input  logic [ReadPorts-1:0]  rd_ready_i,
  input  logic [WritePorts-1:0] wr_valid_i,
  input  logic [WritePorts-1:0] wr_ready_i,

  output logic [Engines*4-1:0]  conflict_o
);

  localparam int ReadVpu = 4 * MxuCount;
  localparam int ReadXlu = ReadVpu + VpuReadWords;

  logic [ReadPorts-1:0]  rd_held;
  logic [WritePorts-1:0] wr_held;

  assign rd_held = rd_valid_i & ~rd_ready_i;
  assign wr_held = wr_valid_i & ~wr_ready_i;

  function automatic logic [3:0] ones(input logic [7:0] held);
    ones = 4'd0;
    for (int unsigned i = 0; i < 8; i++) ones = ones + {3'd0, held[i]};
  endfunction

  // Gather indices and load_scalar, which share the last read port, count as dma_load's.
  task automatic count();
    conflict_o[isa_pkg::EngineSequencer*4 +: 4] <= 4'd0;
    conflict_o[isa_pkg::EngineDmaLoad*4 +: 4]   <= ones({6'd0, wr_held[WritePorts-1],
                                                         rd_held[ReadPorts-1]});
    conflict_o[isa_pkg::EngineDmaStore*4 +: 4]  <= {3'd0, rd_held[ReadPorts-2]};
    conflict_o[isa_pkg::EngineVpu*4 +: 4]       <= ones(8'({wr_held[VpuWriteWords-1:0],
                                                            rd_held[ReadVpu +: VpuReadWords]}));
    conflict_o[isa_pkg::EngineXlu*4 +: 4]       <= ones({6'd0, wr_held[VpuWriteWords],
                                                         rd_held[ReadXlu]});
    for (int unsigned m = 0; m < MxuCount; m++) begin
      conflict_o[(32'(isa_pkg::EngineMxu0) + m)*4 +: 4] <= ones({4'd0, rd_held[m*4 +: 4]});
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) conflict_o <= '0;
    else if (rd_held != '0 || wr_held != '0 || conflict_o != '0) count();
  end

endmodule
