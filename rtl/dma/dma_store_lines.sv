`include "prim_assert.svh"

// Writes lines to memory and raises the signals of a store once everything before them is visible.
//
// Every line takes an entry of a ring in order; the entry is the request's tag. Answers may come in
// any order; entries retire in order, one per cycle, and raise their signals then. A sync takes an
// entry that is done from the start.
module dma_store_lines #(
  parameter  int LineBytes   = 64,
  parameter  int Outstanding = 16,
  localparam int LineBits    = LineBytes * 8,
  localparam int SlotWidth   = $clog2(Outstanding),
  localparam int LineShift   = $clog2(LineBytes)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 stop_i,     // take nothing more, raise no signal
  output logic                 active_o,   // an entry is in use

  input  logic                 line_valid_i,
  output logic                 line_ready_o,
  input  logic                 line_moves_i,
  input  logic [39:0]          line_addr_i,
  input  logic [LineBits-1:0]  line_data_i,
  input  logic [LineBytes-1:0] line_strobe_i,
  input  logic [1:0]           line_fire_i,
  input  logic [15:0]          line_flags_i,

  output logic                 req_valid_o,
  input  logic                 req_ready_i,
  output logic [39:0]          req_addr_o,
  output logic [7:0]           req_tag_o,
  output logic [LineBits-1:0]  req_data_o,
  output logic [LineBytes-1:0] req_strobe_o,
  input  logic                 rsp_valid_i,
  input  logic [7:0]           rsp_tag_i,

  output logic [1:0]           signal_valid_o,
  output logic [15:0]          signal_flag_o
);

  logic [Outstanding-1:0] done_q;
  logic [1:0]             fires [0:Outstanding-1];
  logic [15:0]            flags [0:Outstanding-1];
  logic [SlotWidth-1:0]   head_q;
  logic [SlotWidth-1:0]   tail_q;
  logic [SlotWidth:0]     used_q;

  logic                   fifo_ready;
  logic                   take;
  logic                   retire;
  logic [SlotWidth-1:0]   tag;

  assign line_ready_o = fifo_ready && 32'(used_q) < Outstanding && !stop_i;
  assign take         = line_valid_i && line_ready_o;
  assign retire       = used_q != '0 && done_q[tail_q];
  assign active_o     = used_q != '0 || signal_valid_o != 2'd0;
  assign req_tag_o    = 8'(tag);

  // Three queues in step, because joining wide words costs a copy at every clock edge.
  prim_fifo #(.Width(40 + SlotWidth), .Depth(2)) u_addresses (
    .clk_i, .rst_ni, .clear_i(1'b0), .limit_i(2'd2),
    .in_valid_i(take && line_moves_i), .in_ready_o(fifo_ready), .in_i({line_addr_i, head_q}),
    .out_valid_o(req_valid_o), .out_ready_i(req_ready_i),
    /* verilator lint_off PINCONNECTEMPTY */
    .out_o({req_addr_o, tag}), .used_o()
  );
  prim_fifo #(.Width(LineBits), .Depth(2)) u_data (
    .clk_i, .rst_ni, .clear_i(1'b0), .limit_i(2'd2),
    .in_valid_i(take && line_moves_i), .in_ready_o(), .in_i(line_data_i),
    .out_valid_o(), .out_ready_i(req_ready_i), .out_o(req_data_o), .used_o()
  );
  prim_fifo #(.Width(LineBytes), .Depth(2)) u_strobes (
    .clk_i, .rst_ni, .clear_i(1'b0), .limit_i(2'd2),
    .in_valid_i(take && line_moves_i), .in_ready_o(), .in_i(line_strobe_i),
    .out_valid_o(), .out_ready_i(req_ready_i), .out_o(req_strobe_o), .used_o()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q         <= '0;
      tail_q         <= '0;
      used_q         <= '0;
      signal_valid_o <= 2'd0;
    end else if (line_valid_i || active_o) begin
      signal_valid_o <= 2'd0;
      if (take) begin
        done_q[head_q] <= !line_moves_i;
        fires[head_q]  <= line_fire_i;
        flags[head_q]  <= line_flags_i;
        head_q         <= head_q + 1'b1;
      end
      if (rsp_valid_i) done_q[rsp_tag_i[SlotWidth-1:0]] <= 1'b1;
      if (retire) begin
        tail_q         <= tail_q + 1'b1;
        signal_valid_o <= stop_i ? 2'd0 : fires[tail_q];
        signal_flag_o  <= flags[tail_q];
      end
      used_q <= used_q + (SlotWidth + 1)'(take) - (SlotWidth + 1)'(retire);
    end
  end

  `PRIM_ASSERT(AnswersAreExpected, !rsp_valid_i || used_q != '0)
  `PRIM_ASSERT(TagIsAnEntry, !rsp_valid_i || 32'(rsp_tag_i) < Outstanding)
  `PRIM_ASSERT(RequestIsALine, !req_valid_o || req_addr_o[LineShift-1:0] == '0)
  `PRIM_ASSERT(RequestHasBytes, !req_valid_o || req_strobe_o != '0)

endmodule
