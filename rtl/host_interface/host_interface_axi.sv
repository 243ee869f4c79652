`include "prim_assert.svh"

// The host's window into HBM: AXI4 bursts to memory lines.
//
//   aw, w -> beats merged into a line -> write requests -> b, once all are visible
//   ar    -> up to 4 lines requested ahead, in any order -> r
//
// One burst at a time, reads and writes in turn. A burst must be INCR, of 8 bytes per beat and inside a
// 4 KiB page, else SLVERR; and inside the fitted memory, else DECERR. A refused burst moves nothing.
// The address's low three bits are ignored, as AXI has it: strobes choose bytes.
module host_interface_axi #(
  parameter int LineBytes = 64
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [63:0]            memory_bytes_i,

  input  logic                   axi_awvalid_i,
  output logic                   axi_awready_o,
  input  logic [3:0]             axi_awid_i,
  input  logic [39:0]            axi_awaddr_i,
  input  logic [7:0]             axi_awlen_i,
  input  logic [2:0]             axi_awsize_i,
  input  logic [1:0]             axi_awburst_i,
  input  logic                   axi_wvalid_i,
  output logic                   axi_wready_o,
  input  logic [63:0]            axi_wdata_i,
  input  logic [7:0]             axi_wstrb_i,
  input  logic                   axi_wlast_i,
  output logic                   axi_bvalid_o,
  input  logic                   axi_bready_i,
  output logic [3:0]             axi_bid_o,
  output logic [1:0]             axi_bresp_o,
  input  logic                   axi_arvalid_i,
  output logic                   axi_arready_o,
  input  logic [3:0]             axi_arid_i,
  input  logic [39:0]            axi_araddr_i,
  input  logic [7:0]             axi_arlen_i,
  input  logic [2:0]             axi_arsize_i,
  input  logic [1:0]             axi_arburst_i,
  output logic                   axi_rvalid_o,
  input  logic                   axi_rready_i,
  output logic [3:0]             axi_rid_o,
  output logic [63:0]            axi_rdata_o,
  output logic [1:0]             axi_rresp_o,
  output logic                   axi_rlast_o,

  output logic                   mem_req_valid_o,
  input  logic                   mem_req_ready_i,
  output logic                   mem_req_write_o,
  output logic [39:0]            mem_req_addr_o,
  output logic [7:0]             mem_req_tag_o,
  output logic [LineBytes*8-1:0] mem_req_data_o,
  output logic [LineBytes-1:0]   mem_req_strobe_o,
  input  logic                   mem_rsp_valid_i,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [7:0]             mem_rsp_tag_i,  // the slot
  // verilator lint_on UNUSEDSIGNAL
  input  logic [LineBytes*8-1:0] mem_rsp_data_i
);

  localparam int         LineShift  = $clog2(LineBytes);
  localparam int         BeatShift  = LineShift - 3;
  localparam int         LineWidth  = 40 - LineShift;
  localparam int         Slots      = 4;
  localparam logic [1:0] Incr       = 2'b01;
  localparam logic [1:0] RespOkay   = 2'b00;
  localparam logic [1:0] RespSlverr = 2'b10;
  localparam logic [1:0] RespDecerr = 2'b11;

  typedef enum logic [2:0] {StIdle, StWrite, StWriteLine, StWriteAnswers, StRead} state_e;
  state_e               state_q;
  logic                 prefer_read_q;
  logic [36:0]          beat_q;         // address / 8 of the next beat
  logic [7:0]           beats_left_q;   // after the next one
  logic                 beats_done_q;
  logic [1:0]           resp_q;
  logic [3:0]           id_q;
  logic [8:0]           outstanding_q;
  logic [LineWidth-1:0] request_line_q;  // next line to read
  logic [LineWidth-1:0] last_line_q;
  logic                 requests_done_q;
  logic [Slots-1:0]     present_q;
  logic [LineBytes*8-1:0] slots [0:Slots-1];
  logic [LineBytes*8-1:0] line_q;       // the slot that is handed out
  logic                   line_valid_q;

  logic [LineWidth-1:0] beat_line;
  logic                 last_in_line;
  logic                 refused;
  logic [1:0]           beat_slot;

  assign beat_line     = beat_q[36:BeatShift];
  assign beat_slot     = beat_line[1:0];
  assign last_in_line  = (beat_q[BeatShift-1:0] == '1);
  assign refused       = (resp_q != RespOkay);

  assign axi_awready_o = (state_q == StIdle) && axi_awvalid_i && !(axi_arvalid_i && prefer_read_q);
  assign axi_arready_o = (state_q == StIdle) && axi_arvalid_i && !axi_awready_o;
  assign axi_wready_o  = (state_q == StWrite);
  assign axi_bid_o     = id_q;
  assign axi_rid_o     = id_q;

  // Of byte addresses only the beat counts, of beats only the line.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic [1:0] response(input logic [39:0] address, input logic [7:0] length,
                                          input logic [2:0] size, input logic [1:0] burst);
    logic [63:0] end_address;  // of the last byte
    end_address = {24'd0, address[39:3], 3'b111} + {53'd0, length, 3'd0};
    response    = RespOkay;
    if (end_address >= memory_bytes_i) response = RespDecerr;
    if (burst != Incr || size != 3'd3 || end_address[63:12] != {24'd0, address[39:12]})
      response = RespSlverr;
  endfunction

  task automatic begin_burst(input logic write, input logic [39:0] address, input logic [7:0] length,
                             input logic [1:0] resp, input logic [3:0] id);
    logic [36:0] last;
    last             = address[39:3] + {29'd0, length};
    state_q          <= write ? StWrite : StRead;
    prefer_read_q    <= write;
    beat_q           <= address[39:3];
    beats_left_q     <= length;
    beats_done_q     <= 1'b0;
    resp_q           <= resp;
    id_q             <= id;
    request_line_q   <= address[39:LineShift];
    last_line_q      <= last[36:BeatShift];
    requests_done_q  <= 1'b0;
    present_q        <= '0;
    line_valid_q     <= 1'b0;
    mem_req_strobe_o <= '0;
    mem_req_write_o  <= write;
  endtask
  // verilator lint_on UNUSEDSIGNAL

  task automatic merge_beat();
    mem_req_data_o[{beat_q[BeatShift-1:0], 6'd0} +: 64]  <= axi_wdata_i;
    mem_req_strobe_o[{beat_q[BeatShift-1:0], 3'd0} +: 8] <= axi_wstrb_i;
    mem_req_addr_o <= {beat_line, {LineShift{1'b0}}};
    mem_req_tag_o  <= 8'd0;
    beat_q         <= beat_q + 37'd1;
    beats_left_q   <= beats_left_q - 8'd1;
    beats_done_q   <= (beats_left_q == 8'd0);
    if (refused) begin
      if (beats_left_q == 8'd0) state_q <= StWriteAnswers;
    end else if (last_in_line || beats_left_q == 8'd0) begin
      state_q         <= StWriteLine;
      mem_req_valid_o <= 1'b1;
    end
  endtask

  // A slot is asked for once its last line was handed out.
  task automatic request_lines();
    if (mem_req_ready_i) mem_req_valid_o <= 1'b0;
    if (!refused && !requests_done_q && (!mem_req_valid_o || mem_req_ready_i)
        && request_line_q - beat_line < LineWidth'(Slots)) begin
      mem_req_valid_o <= 1'b1;
      mem_req_addr_o  <= {request_line_q, {LineShift{1'b0}}};
      mem_req_tag_o   <= {6'd0, request_line_q[1:0]};
      request_line_q  <= request_line_q + 1'b1;
      requests_done_q <= (request_line_q == last_line_q);
    end
  endtask

  task automatic hand_out();
    if (axi_rready_i) axi_rvalid_o <= 1'b0;
    if (!line_valid_q && present_q[beat_slot]) begin
      line_q               <= slots[beat_slot];
      line_valid_q         <= 1'b1;
      present_q[beat_slot] <= 1'b0;
    end
    if ((line_valid_q || refused) && !beats_done_q && (!axi_rvalid_o || axi_rready_i)) begin
      axi_rvalid_o <= 1'b1;
      axi_rdata_o  <= refused ? 64'd0 : line_q[{beat_q[BeatShift-1:0], 6'd0} +: 64];
      axi_rresp_o  <= resp_q;
      axi_rlast_o  <= (beats_left_q == 8'd0);
      beat_q       <= beat_q + 37'd1;
      beats_left_q <= beats_left_q - 8'd1;
      beats_done_q <= (beats_left_q == 8'd0);
      if (last_in_line) line_valid_q <= 1'b0;
    end
    if (beats_done_q && axi_rvalid_o && axi_rready_i) state_q <= StIdle;
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q         <= StIdle;
      prefer_read_q   <= 1'b0;
      outstanding_q   <= 9'd0;
      axi_bvalid_o    <= 1'b0;
      axi_rvalid_o    <= 1'b0;
      mem_req_valid_o <= 1'b0;
    end else if (state_q != StIdle || axi_awvalid_i || axi_arvalid_i) begin
      if (mem_rsp_valid_i && !mem_req_write_o) begin
        slots[mem_rsp_tag_i[1:0]] <= mem_rsp_data_i;
        present_q[mem_rsp_tag_i[1:0]] <= 1'b1;
      end
      outstanding_q <= outstanding_q + 9'(mem_req_valid_o && mem_req_ready_i) - 9'(mem_rsp_valid_i);
      unique case (state_q)
        StIdle: begin
          if (axi_awready_o) begin
            begin_burst(1'b1, axi_awaddr_i, axi_awlen_i,
                        response(axi_awaddr_i, axi_awlen_i, axi_awsize_i, axi_awburst_i), axi_awid_i);
          end
          if (axi_arready_o) begin
            begin_burst(1'b0, axi_araddr_i, axi_arlen_i,
                        response(axi_araddr_i, axi_arlen_i, axi_arsize_i, axi_arburst_i), axi_arid_i);
          end
        end
        StWrite: if (axi_wvalid_i) merge_beat();
        StWriteLine: if (mem_req_ready_i) begin
          mem_req_valid_o  <= 1'b0;
          mem_req_strobe_o <= '0;
          state_q          <= beats_done_q ? StWriteAnswers : StWrite;
        end
        StWriteAnswers: begin
          axi_bresp_o <= resp_q;
          if (!axi_bvalid_o) axi_bvalid_o <= (outstanding_q == 9'd0);
          else if (axi_bready_i) begin
            axi_bvalid_o <= 1'b0;
            state_q      <= StIdle;
          end
        end
        default: begin  // StRead
          hand_out();
          request_lines();
        end
      endcase
    end
  end

  `PRIM_ASSERT(LastBeatIsMarked, !(axi_wvalid_i && axi_wready_o) || axi_wlast_i == (beats_left_q == 8'd0))
  `PRIM_ASSERT(AnswersAreExpected, !mem_rsp_valid_i || outstanding_q != 9'd0)

endmodule
