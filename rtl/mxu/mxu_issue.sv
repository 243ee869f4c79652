`include "prim_assert.svh"

// Takes rows from the window port to the arrays and their results to the accumulators.
//
//   window row, row_t --> claim accumulator --> array input --> array --> write, signals
//                          (a cycle)             (Latency cycles)
//
// A row waits here while its accumulator is pending or its weights are not there. What travels
// with it stands in a ring until the result leaves; results leave in order.
module mxu_issue #(
  parameter  int Rows            = 128,
  parameter  int Cols            = 128,
  parameter  int RowWidth        = 4096,  // of a window row
  parameter  int AccumulatorRows = 256,
  localparam int AccWidth        = $clog2(2 * AccumulatorRows),
  localparam int Latency         = Rows / 8 + Cols / 8 + 3,
  localparam int FlightWidth     = $clog2(Latency + 2)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       clear_i,
  input  logic                       hold_i,  // the array stands still in this cycle

  input  logic                       row_valid_i,
  output logic                       row_ready_o,
  input  mxu_pkg::row_t              row_i,
  input  logic                       window_valid_i,
  output logic                       window_ready_o,
  input  logic [RowWidth-1:0]        window_i,

  input  logic                       swap_ready_i,
  output logic                       swap_issue_o,
  output logic                       swap_enter_o,

  output logic                       claim_o,
  output logic                       claim_fresh_o,
  output logic [AccWidth-1:0]        claim_row_o,
  input  logic                       claim_ready_i,

  output logic                       array_valid_o,
  output logic                       array_swap_o,
  output float_operand_pkg::format_t array_format_o,
  output logic [RowWidth-1:0]        array_row_o,
  input  logic                       result_valid_i,

  output logic                       write_o,
  output logic [AccWidth-1:0]        write_row_o,

  // Raised flags: with the write, or by a sync instruction.
  input  logic                       sync_done_i,
  input  logic [8:0]                 sync_signal0_i,
  input  logic [8:0]                 sync_signal1_i,
  output logic [1:0]                 signal_valid_o,
  output logic [15:0]                signal_flag_o,

  output logic                       flying_o,  // a row is between its claim and its write
  output logic                       drained_o  // no row waits, flies or has a signal to raise
);

  localparam int FlightDepth = 2 ** FlightWidth;

  // What a row's result still needs to know: {signal1, signal0, accumulator row}.
  logic [18+AccWidth-1:0] flights [0:FlightDepth-1];
  logic [FlightWidth-1:0] issued_q;  // rows, modulo the depth
  logic [FlightWidth-1:0] written_q;
  logic [8:0]             leaving_signal1;
  logic [8:0]             leaving_signal0;

  assign claim_o        = row_valid_i && window_valid_i && claim_ready_i && !hold_i &&
                          (!row_i.swap || swap_ready_i);
  assign claim_fresh_o  = row_i.fresh;
  assign claim_row_o    = row_i.accumulator[AccWidth-1:0];
  assign row_ready_o    = claim_o;
  assign window_ready_o = claim_o;
  assign swap_issue_o   = claim_o && row_i.swap;
  assign swap_enter_o   = array_valid_o && array_swap_o && !hold_i;

  assign write_o     = result_valid_i && !hold_i;
  assign {leaving_signal1, leaving_signal0, write_row_o} = flights[written_q];
  assign flying_o    = issued_q != written_q;
  assign drained_o   = !flying_o && !row_valid_i && signal_valid_o == '0;

  logic unused_accumulator_bits;
  assign unused_accumulator_bits = ^row_i.accumulator[15:AccWidth];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      array_valid_o  <= 1'b0;
      issued_q       <= '0;
      written_q      <= '0;
      signal_valid_o <= '0;
    end else if (claim_o || (array_valid_o && !hold_i) || write_o || sync_done_i ||
                 signal_valid_o != '0) begin
      if (claim_o) begin
        array_swap_o      <= row_i.swap;
        array_format_o    <= row_i.format;
        array_row_o       <= window_i;
        flights[issued_q] <= {row_i.signal1, row_i.signal0, row_i.accumulator[AccWidth-1:0]};
        issued_q          <= issued_q + 1'b1;
      end
      if (!hold_i) array_valid_o <= claim_o;
      if (write_o) written_q <= written_q + 1'b1;
      signal_valid_o <= sync_done_i ? {sync_signal1_i[8], sync_signal0_i[8]}
                        : write_o   ? {leaving_signal1[8], leaving_signal0[8]} : '0;
      signal_flag_o  <= sync_done_i ? {sync_signal1_i[7:0], sync_signal0_i[7:0]}
                                    : {leaving_signal1[7:0], leaving_signal0[7:0]};
    end
  end

  `PRIM_ASSERT(ResultHasAFlight, !write_o || issued_q != written_q)

endmodule
