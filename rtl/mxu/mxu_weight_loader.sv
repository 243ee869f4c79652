`include "prim_assert.svh"

// Moves weight lines from the window ports into the arrays' shadow weights and says when the first
// row of a tile may follow. The schedule, with groups of 8 rows and of 8 columns:
//
//   - A load begins once the exchange of the tile before has passed what the first pair writes:
//     Cols/8 enabled cycles after its first row entered (by columns: Rows/8).
//   - The exchange of a tile reaches a group of rows per cycle, the load fills one in four. So the
//     first row may be issued before the load ends, with the last eighth of the rows missing; if
//     lines then come late, `hold_o` keeps the array still until the load is ahead again. A load by
//     columns must have ended.
module mxu_weight_loader #(
  parameter  int Rows       = 128,
  parameter  int Cols       = 128,
  localparam int Line       = Rows > Cols ? Rows : Cols,
  localparam int CountWidth = $clog2(Line + 1),
  localparam int PairWidth  = $clog2(Line / 2)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       clear_i,

  input  logic                       tile_valid_i,
  output logic                       tile_ready_o,
  input  logic                       tile_transpose_i,
  input  float_operand_pkg::format_t tile_format_i,
  input  logic [CountWidth-1:0]      tile_lines_i,
  input  logic [CountWidth-1:0]      tile_length_i,

  input  logic                       even_row_valid_i,
  output logic                       even_row_ready_o,
  input  logic                       odd_row_valid_i,
  output logic                       odd_row_ready_o,

  // Lines 2 * load_pair_o and the next go into the shadow in this cycle.
  output logic                       load_o,
  output logic                       load_transpose_o,
  output float_operand_pkg::format_t load_format_o,
  output logic [PairWidth-1:0]       load_pair_o,
  output logic [Line-1:0]            load_even_present_o,
  output logic [Line-1:0]            load_odd_present_o,

  output logic                       swap_ready_o,  // the first row of the next tile may be issued
  input  logic                       swap_issue_i,  // it is
  input  logic                       swap_enter_i,  // it enters the array in this enabled cycle
  output logic                       hold_o,        // the array must not move in this cycle
  output logic                       active_o
);

  localparam logic [15:0] RowGroups = 16'(Rows / 8);
  localparam logic [15:0] ColGroups = 16'(Cols / 8);
  localparam logic [15:0] RowPairs  = 16'(Rows / 2);
  localparam logic [15:0] ColPairs  = 16'(Cols / 2);
  localparam logic [15:0] LongAgo   = RowGroups + ColGroups;

  localparam int TileWidth = 1 + 3 + 2 * CountWidth;

  // The tile whose lines are being moved, and its mask of present elements.
  logic                       next_valid;
  logic                       next_taken;
  logic                       next_transpose;
  logic [2:0]                 next_format;
  logic [CountWidth-1:0]      next_lines;
  logic [CountWidth-1:0]      next_length;
  logic                       tile_valid_q;
  logic [CountWidth-1:0]      lines_q;
  logic [Line-1:0]            mask_q;
  logic [15:0]                pair_q;

  /* verilator lint_off PINCONNECTEMPTY */
  prim_fifo #(.Width(TileWidth), .Depth(4)) u_tiles (
    .clk_i, .rst_ni, .clear_i, .limit_i(3'd4),
    .in_valid_i(tile_valid_i), .in_ready_o(tile_ready_o),
    .in_i({tile_transpose_i, tile_format_i, tile_lines_i, tile_length_i}),
    .out_valid_o(next_valid), .out_ready_i(next_taken),
    .out_o({next_transpose, next_format, next_lines, next_length}), .used_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // The shadow holds the tile (or the part that is loaded) whose first row has not entered yet.
  logic        shadow_used_q;
  logic        issued_q;    // the first row is on its way to the array
  logic        complete_q;  // every pair of the shadow's tile is there
  logic        early_q;     // the exchange of the tile being loaded is on its way
  logic [15:0] front_q;     // the group of rows that it reaches with the next enabled edge
  logic [15:0] age_q;       // enabled cycles since a first row entered

  logic        last_pair;
  logic        may_begin;
  logic        needs_even;
  logic        needs_odd;
  logic [15:0] early_pairs;

  assign last_pair   = pair_q == (load_transpose_o ? ColPairs : RowPairs) - 16'd1;
  assign may_begin   = !shadow_used_q &&
                       age_q + 16'(!hold_o) >= (load_transpose_o ? RowGroups : ColGroups);
  assign needs_even  = {pair_q, 1'b0} < 17'(lines_q);
  assign needs_odd   = {pair_q, 1'b1} < 17'(lines_q);
  assign load_o      = tile_valid_q && (pair_q != 16'd0 || may_begin) &&
                       (!needs_even || even_row_valid_i) && (!needs_odd || odd_row_valid_i);
  assign load_pair_o = PairWidth'(pair_q);
  assign even_row_ready_o = load_o && needs_even;
  assign odd_row_ready_o  = load_o && needs_odd;
  assign load_even_present_o = needs_even ? mask_q : '0;
  assign load_odd_present_o  = needs_odd ? mask_q : '0;
  assign next_taken = next_valid && (!tile_valid_q || (load_o && last_pair));

  // fp32 lines come at half the rate, so that the load needs twice the lead.
  assign early_pairs  = float_operand_pkg::is_fp32(load_format_o) ? RowPairs - 16'(Rows / 16)
                                                                  : RowPairs - RowGroups;
  assign swap_ready_o = shadow_used_q && !issued_q &&
                        (complete_q || (!load_transpose_o && pair_q >= early_pairs));
  assign hold_o       = early_q && pair_q < ((front_q + 16'd1) << 2);
  assign active_o     = tile_valid_q || next_valid;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      tile_valid_q  <= 1'b0;
      pair_q        <= '0;
      shadow_used_q <= 1'b0;
      issued_q      <= 1'b0;
      complete_q    <= 1'b0;
      early_q       <= 1'b0;
      age_q         <= LongAgo;
    end else if (next_valid || tile_valid_q || shadow_used_q || age_q != LongAgo) begin
      if (next_taken) begin
        load_transpose_o <= next_transpose;
        load_format_o    <= next_format;
        lines_q          <= next_lines;
        mask_q           <= {Line{1'b1}} >> (CountWidth'(Line) - next_length);
        tile_valid_q     <= 1'b1;
      end else if (load_o && last_pair) begin
        tile_valid_q <= 1'b0;
      end
      if (load_o) begin
        pair_q <= last_pair ? '0 : pair_q + 16'd1;
        if (pair_q == 16'd0) shadow_used_q <= 1'b1;
        complete_q <= last_pair;
      end

      if (swap_issue_i) issued_q <= 1'b1;
      if (swap_enter_i) begin
        shadow_used_q <= 1'b0;
        issued_q      <= 1'b0;
        early_q       <= !complete_q && !(load_o && last_pair);
        front_q       <= '0;
        age_q         <= '0;
      end else if (!hold_o) begin
        front_q <= front_q + 16'd1;
        if (age_q != LongAgo) age_q <= age_q + 16'd1;
      end
      if (!swap_enter_i && ((load_o && last_pair) || (!hold_o && front_q + 16'd1 == RowGroups)))
        early_q <= 1'b0;
    end
  end

  `PRIM_ASSERT(EntersWhatWasIssued, !swap_enter_i || issued_q || swap_issue_i)
  `PRIM_ASSERT(NeverEntersWhileHeld, !swap_enter_i || !hold_o)
  `PRIM_ASSERT(IssuesOnlyWhenReady, !swap_issue_i || swap_ready_o)

endmodule
