`include "prim_assert.svh"

// Requests the memory lines under the runs of a load, and keeps the answers until they are used.
//
// Lines get consecutive slots of a ring in the order in which they are requested; the slot is the
// request's tag, so answers may come in any order and are used in order. A run that begins in the
// line requested last takes that line again (`again_o`) instead of requesting it twice, unless it is
// `fresh`. One run and one request per cycle.
//
// The consumer stands on one slot, which stays valid: `advance_i` moves it to the next.
module dma_load_lines #(
  parameter  int LineBytes   = 64,
  parameter  int Outstanding = 16,
  localparam int LineBits    = LineBytes * 8,
  localparam int SlotWidth   = $clog2(Outstanding),
  localparam int LineShift   = $clog2(LineBytes)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                stop_i,      // request nothing more
  output logic                draining_o,  // an answer is outstanding, or a request stands

  input  logic                run_valid_i,
  output logic                run_ready_o,  // the last line of the run is dealt with
  input  logic [39:0]         run_addr_i,
  input  logic [31:0]         run_bytes_i,
  input  logic                run_fresh_i,
  input  logic                run_moves_i,
  // The first line of the run is dealt with: the run may follow its lines.
  output logic                follow_valid_o,
  input  logic                follow_ready_i,
  output logic                again_o,

  output logic                req_valid_o,
  input  logic                req_ready_i,
  output logic [39:0]         req_addr_o,
  output logic [7:0]          req_tag_o,
  input  logic                rsp_valid_i,
  input  logic [7:0]          rsp_tag_i,
  input  logic [LineBits-1:0] rsp_data_i,

  output logic                next_ready_o,  // the line after the consumer's has come
  output logic                line_ready_o,  // the consumer's line has come
  input  logic                advance_i,
  input  logic                read_i,        // the consumer's line, after advance_i, into line_o
  output logic [LineBits-1:0] line_o
);

  localparam int NumberWidth = 40 - LineShift;

  logic [Outstanding-1:0] ready_q;
  logic [SlotWidth-1:0]   alloc_q;    // slot of the next request
  logic [SlotWidth-1:0]   current_q;  // slot of the consumer
  logic [SlotWidth:0]     ahead_q;    // slots requested beyond the consumer's
  logic [SlotWidth:0]     pending_q;  // requests without an answer
  logic                   inside_q;   // the first line of this run is dealt with
  logic [NumberWidth-1:0] number_q;   // next line of the run, if inside_q
  logic                   have_q;     // last_q is the line requested last
  logic [NumberWidth-1:0] last_q;

  logic [NumberWidth-1:0] number;
  logic [NumberWidth-1:0] end_number;
  logic [SlotWidth-1:0]   next_slot;
  logic                   room;
  logic                   proceed;
  logic                   request;

  assign number         = inside_q ? number_q : run_addr_i[39:LineShift];
  assign end_number     = NumberWidth'((run_addr_i + 40'(run_bytes_i) - 40'd1) >> LineShift);
  assign again_o        = !inside_q && have_q && !run_fresh_i && last_q == number;
  assign room           = (!req_valid_o || req_ready_i) && 32'(ahead_q) < Outstanding - 1;
  assign request        = run_moves_i && !again_o;
  assign follow_valid_o = run_valid_i && !inside_q && (!request || room) && !stop_i;
  assign proceed        = run_valid_i && (!request || room) && (inside_q || follow_ready_i)
                          && !stop_i;
  assign run_ready_o    = proceed && (!run_moves_i || number == end_number);
  assign next_slot      = current_q + 1'b1;
  assign next_ready_o   = ready_q[next_slot] && ahead_q != '0;
  assign line_ready_o   = ready_q[current_q];
  assign draining_o     = (pending_q != '0);

  prim_ram #(.Width(LineBits), .Depth(Outstanding)) u_lines (
    .clk_i,
    .write_i(rsp_valid_i), .write_addr_i(rsp_tag_i[SlotWidth-1:0]), .write_data_i(rsp_data_i),
    .write_mask_i('1),
    .read_i, .read_addr_i(advance_i ? next_slot : current_q), .read_data_o(line_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      req_valid_o <= 1'b0;
      alloc_q     <= SlotWidth'(1);
      current_q   <= '0;
      ahead_q     <= '0;
      pending_q   <= '0;
      inside_q    <= 1'b0;
      have_q      <= 1'b0;
    end else if (run_valid_i || req_valid_o || rsp_valid_i || advance_i || stop_i) begin
      if (req_valid_o && req_ready_i) req_valid_o <= 1'b0;
      if (proceed) begin
        inside_q <= (run_moves_i && number != end_number);
        number_q <= number + 1'b1;
        if (request) begin
          req_valid_o      <= 1'b1;
          req_addr_o       <= {number, LineShift'(0)};
          req_tag_o        <= 8'(alloc_q);
          ready_q[alloc_q] <= 1'b0;
          alloc_q          <= alloc_q + 1'b1;
          last_q           <= number;
          have_q           <= 1'b1;
        end
      end
      if (rsp_valid_i) ready_q[rsp_tag_i[SlotWidth-1:0]] <= 1'b1;
      if (advance_i) current_q <= next_slot;
      ahead_q   <= ahead_q + (SlotWidth + 1)'(proceed && request) - (SlotWidth + 1)'(advance_i);
      pending_q <= pending_q + (SlotWidth + 1)'(proceed && request)
                   - (SlotWidth + 1)'(rsp_valid_i);
      if (stop_i) begin
        inside_q <= 1'b0;
        have_q   <= 1'b0;
        if (pending_q == (SlotWidth + 1)'(rsp_valid_i)) begin  // the last answer
          alloc_q   <= SlotWidth'(1);
          current_q <= '0;
          ahead_q   <= '0;
        end
      end
    end
  end

  `PRIM_ASSERT(AnswersAreExpected, !rsp_valid_i || pending_q != '0)
  `PRIM_ASSERT(TagIsASlot, !rsp_valid_i || 32'(rsp_tag_i) < Outstanding)
  `PRIM_ASSERT(RunHasBytes, !run_valid_i || !run_moves_i || run_bytes_i != 32'd0)
  `PRIM_ASSERT(RequestIsALine, !req_valid_o || req_addr_o[LineShift-1:0] == '0)
  `PRIM_ASSERT(AdvancesToARequestedLine, !advance_i || ahead_q != '0)

endmodule
