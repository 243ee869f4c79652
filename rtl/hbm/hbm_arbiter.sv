`include "prim_assert.svh"

// Merges the line ports into one stream of requests, round robin, one per cycle.
//
// The request taken stands in a register until the memory side takes it. `out_tag_o` carries the
// port in bits 10:8 and the port's own tag below.
module hbm_arbiter #(
  parameter  int Ports     = 5,
  parameter  int LineBytes = 64,
  localparam int LineBits  = LineBytes * 8
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic [Ports-1:0]           req_valid_i,
  output logic [Ports-1:0]           req_ready_o,
  input  logic [Ports-1:0]           req_write_i,
  input  logic [Ports*40-1:0]        req_addr_i,
  input  logic [Ports*8-1:0]         req_tag_i,
  input  logic [Ports*LineBits-1:0]  req_data_i,
  input  logic [Ports*LineBytes-1:0] req_strobe_i,

  output logic                       out_valid_o,
  input  logic                       out_ready_i,
  output logic                       out_write_o,
  output logic [39:0]                out_addr_o,
  output logic [10:0]                out_tag_o,
  output logic [LineBits-1:0]        out_data_o,    // of writes
  output logic [LineBytes-1:0]       out_strobe_o,

  output logic [63:0]                read_bytes_o,   // requested since reset, whole lines
  output logic [63:0]                write_bytes_o   // enabled bytes
);

  localparam int LineShift = $clog2(LineBytes);

  logic [Ports-1:0] after_q;   // ports behind the last winner: they go first
  logic [Ports-1:0] preferred;
  logic [Ports-1:0] candidates;
  logic [Ports-1:0] grant;
  logic             room;

  assign room        = !out_valid_o || out_ready_i;
  assign preferred   = req_valid_i & after_q;
  assign candidates  = (preferred != '0) ? preferred : req_valid_i;
  assign grant       = candidates & (~candidates + 1'b1);
  assign req_ready_o = room ? grant : '0;

  task automatic take();
    logic [LineBytes-1:0] strobe;
    for (int unsigned port = 0; port < Ports; port++) begin
      if (grant[port]) begin
        out_write_o <= req_write_i[port];
        out_addr_o  <= req_addr_i[port*40 +: 40];
        out_tag_o   <= {3'(port), req_tag_i[port*8 +: 8]};
        if (req_write_i[port]) begin
          strobe        = req_strobe_i[port*LineBytes +: LineBytes];
          out_data_o    <= req_data_i[port*LineBits +: LineBits];
          out_strobe_o  <= strobe;
          write_bytes_o <= write_bytes_o + 64'($countones(strobe));
        end else begin
          read_bytes_o <= read_bytes_o + 64'(LineBytes);
        end
      end
    end
    after_q <= ~(grant | (grant - 1'b1));
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      out_valid_o   <= 1'b0;
      after_q       <= '0;
      read_bytes_o  <= 64'd0;
      write_bytes_o <= 64'd0;
    end else if (req_valid_i != '0 || out_valid_o) begin
      if (room) begin
        out_valid_o <= (req_valid_i != '0);
        if (req_valid_i != '0) take();
      end
    end
  end

  for (genvar port = 0; port < Ports; port++) begin : gen_check
    `PRIM_ASSERT(RequestIsALine, !req_valid_i[port] || req_addr_i[port*40 +: LineShift] == '0)
  end

endmodule
