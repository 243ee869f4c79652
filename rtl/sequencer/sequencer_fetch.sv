`include "prim_assert.svh"

// The instruction buffer: keeps a window of consecutive memory lines of the program and hands out one
// quad (16 bytes) per cycle.
//
//   program in memory:  .... low .............. wanted ........... next ....
//                             kept for loops  |   prefetched      |
//
// Up to half of the lines (at most 32) run ahead of the wanted one; those behind stay until their place is needed,
// so that a loop that fits is fetched once. A jump out of the window starts a new one at its target,
// after the outstanding answers have arrived. A quad of a new line costs one cycle more.
module sequencer_fetch #(
  parameter  int LineBytes        = 64,
  parameter  int InstructionLines = 64,
  localparam int LineShift        = $clog2(LineBytes),
  localparam int LineWidth        = 40 - LineShift
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // `start_i` begins a program whose addresses then hold still. Lines are requested only while
  // `enable_i`; what was requested before still arrives.
  input  logic                   start_i,
  input  logic                   enable_i,
  input  logic [39:0]            program_base_i,   // a multiple of 64
  input  logic [31:0]            program_bytes_i,  // a multiple of 16
  output logic                   idle_o,           // no request or answer is outstanding

  // The quad at byte offset `pc_i`, which lies inside the program while `want_i`.
  input  logic                   want_i,
  input  logic [31:0]            pc_i,
  output logic                   quad_valid_o,
  output logic [127:0]           quad_o,

  output logic                   req_valid_o,
  input  logic                   req_ready_i,
  output logic [39:0]            req_addr_o,
  output logic [7:0]             req_tag_o,
  input  logic                   rsp_valid_i,
  input  logic [7:0]             rsp_tag_i,
  input  logic [LineBytes*8-1:0] rsp_data_i
);

  localparam int SlotWidth = $clog2(InstructionLines);
  localparam int OutstandingWidth = $clog2(InstructionLines + 1);
  localparam int Ahead     = (InstructionLines < 64) ? InstructionLines / 2 : 32;

  logic [LineWidth-1:0]        low_q;   // the window is [low_q, next_q)
  logic [LineWidth-1:0]        next_q;
  logic [LineWidth-1:0]        last_q;  // of the program
  logic [InstructionLines-1:0] present_q;
  logic [OutstandingWidth-1:0] outstanding_q;  // requests not yet answered
  logic                        line_valid_q;  // the memory's read port shows line_q
  logic [LineWidth-1:0]        line_q;

  logic [LineWidth-1:0]        wanted;
  logic [LineWidth-1:0]        into_window;
  logic [LineWidth-1:0]        window_lines;
  logic                        in_window;
  logic                        full;
  logic                        request;
  logic                        read;
  logic [LineBytes*8-1:0]      line;
  // Of some addresses only the line, of some lines only the slot is needed.
  // verilator lint_off UNUSEDSIGNAL
  logic [39:0]                 address;
  logic [39:0]                 last_address;
  logic [LineWidth-1:0]        rsp_line;
  // verilator lint_on UNUSEDSIGNAL

  assign address      = program_base_i + 40'(pc_i);
  assign wanted       = address[39:LineShift];
  assign into_window  = wanted - low_q;
  assign window_lines = next_q - low_q;
  assign in_window    = (into_window < window_lines) || (wanted == next_q);
  assign full         = (window_lines == LineWidth'(InstructionLines));
  assign last_address = program_base_i + 40'(program_bytes_i) - 40'd1;

  // A full window drops its oldest line, once that has arrived and lies behind.
  assign request      = enable_i && in_window && (next_q <= last_q)
                        && (next_q - wanted < LineWidth'(Ahead))
                        && (outstanding_q != OutstandingWidth'(Ahead))
                        && (!full || (present_q[low_q[SlotWidth-1:0]] && low_q != wanted))
                        && (!req_valid_o || req_ready_i);

  // The lines in flight are among the last 256, so the tag tells which one came.
  assign rsp_line = next_q - LineWidth'(8'(next_q[7:0] - rsp_tag_i - 8'd1)) - 1'b1;

  assign read = want_i && in_window && wanted != next_q && present_q[wanted[SlotWidth-1:0]]
                && !(line_valid_q && line_q == wanted);

  prim_ram #(.Width(LineBytes * 8), .Depth(InstructionLines)) u_lines (
    .clk_i,
    .write_i      (rsp_valid_i),
    .write_addr_i (rsp_line[SlotWidth-1:0]),
    .write_data_i (rsp_data_i),
    .write_mask_i ('1),
    .read_i       (read),
    .read_addr_i  (wanted[SlotWidth-1:0]),
    .read_data_o  (line)
  );

  assign quad_valid_o = want_i && line_valid_q && line_q == wanted;
  assign quad_o       = line[{address[LineShift-1:4], 7'd0} +: 128];
  assign idle_o       = (outstanding_q == '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      low_q         <= '0;
      next_q        <= '0;
      last_q        <= '0;
      present_q     <= '0;
      outstanding_q <= '0;
      line_valid_q  <= 1'b0;
      req_valid_o   <= 1'b0;
    end else if (start_i) begin
      low_q        <= program_base_i[39:LineShift];
      next_q       <= program_base_i[39:LineShift];
      last_q       <= last_address[39:LineShift];
      line_valid_q <= 1'b0;
    end else if (enable_i || !idle_o) begin
      outstanding_q <= outstanding_q + OutstandingWidth'(request) - OutstandingWidth'(rsp_valid_i);
      if (req_ready_i) req_valid_o <= 1'b0;
      if (rsp_valid_i) present_q[rsp_line[SlotWidth-1:0]] <= 1'b1;
      if (request) begin
        req_valid_o                      <= 1'b1;
        req_addr_o                       <= {next_q, {LineShift{1'b0}}};
        req_tag_o                        <= next_q[7:0];
        present_q[next_q[SlotWidth-1:0]] <= 1'b0;
        next_q                           <= next_q + 1'b1;
        if (full) low_q <= low_q + 1'b1;
      end
      if (read) begin
        line_valid_q <= 1'b1;
        line_q       <= wanted;
      end
      if (want_i && !in_window && outstanding_q == '0) begin
        low_q        <= wanted;
        next_q       <= wanted;
        line_valid_q <= 1'b0;
      end
    end
  end

  `PRIM_ASSERT(AnswersAreExpected, !rsp_valid_i || outstanding_q != '0)
  `PRIM_ASSERT(StartsIdle, !start_i || idle_o)

endmodule
