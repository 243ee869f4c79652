`include "prim_assert.svh"

// Transposes tiles of up to Lanes x Lanes elements: takes a row and gives a row per cycle.
//
//   row --(rotate by k)--> banks, tile 0 or 1 --(rotate back by n)--> out_row
//
// There is a bank per lane. Element n of row k lies in bank (n + k) mod Lanes at address k, so that
// both a row and a column have one element in every bank: a row is written at one address, and a
// column read at an address per bank. One tile fills while the other empties. Rows come in the
// order of tiles, `tile_rows_i` of them each; `tile_cols_i` rows go out, the first two cycles after
// the last row of its tile came in.
module xlu_transposer #(
  parameter  int Lanes      = 16,  // a power of two
  localparam int CountWidth = $clog2(Lanes) + 1,
  localparam int RowWidth   = Lanes * 32
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,

  input  logic [1:0]            size_log2_i,  // of an element's bytes; held still while not empty

  // Sizes of a tile, both at least 1, before its rows.
  input  logic                  tile_valid_i,
  output logic                  tile_ready_o,
  input  logic [CountWidth-1:0] tile_rows_i,
  input  logic [CountWidth-1:0] tile_cols_i,

  input  logic                  row_valid_i,
  output logic                  row_ready_o,
  input  logic [RowWidth-1:0]   row_i,

  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output logic [RowWidth-1:0]   out_row_o,  // elements from tile_rows_i on are 0

  output logic                  empty_o
);

  localparam int LaneWidth = $clog2(Lanes);
  localparam int Elements  = 2 * Lanes * Lanes;

  logic                  fill_valid;  // the tile whose rows come in
  logic [CountWidth-1:0] fill_rows;
  logic [CountWidth-1:0] fill_cols;
  logic [1:0]            unused_tiles;

  logic                  fill_tile_q;
  logic [LaneWidth-1:0]  fill_row_q;
  logic                  drain_tile_q;
  logic [LaneWidth-1:0]  drain_col_q;
  logic [1:0]            full_q;
  logic [CountWidth-1:0] rows_q [0:1];  // of full tiles
  logic [CountWidth-1:0] cols_q [0:1];

  logic take;
  logic take_last;
  logic give;
  logic give_last;

  prim_fifo #(.Width(2 * CountWidth), .Depth(2)) u_tiles (
    .clk_i, .rst_ni, .clear_i,
    .limit_i    (2'd2),
    .in_valid_i (tile_valid_i),
    .in_ready_o (tile_ready_o),
    .in_i       ({tile_rows_i, tile_cols_i}),
    .out_valid_o(fill_valid),
    .out_ready_i(take_last),
    .out_o      ({fill_rows, fill_cols}),
    .used_o     (unused_tiles)
  );

  assign row_ready_o = fill_valid && !full_q[fill_tile_q];
  assign take        = row_valid_i && row_ready_o;
  assign take_last   = take && (CountWidth'(fill_row_q) + 1'b1 == fill_rows);
  assign give        = full_q[drain_tile_q] && (!out_valid_o || out_ready_i);
  assign give_last   = give && (CountWidth'(drain_col_q) + 1'b1 == cols_q[drain_tile_q]);
  assign empty_o     = !fill_valid && full_q == 2'b00 && !out_valid_o;

  // Private to the clocked block below, and blocking.
  logic [31:0] elements [0:Elements-1];  // {tile, address, bank}

  // Where element n of row k lies; both below Lanes.
  function automatic logic [LaneWidth*2:0] place_of(input logic tile, input logic [LaneWidth-1:0] k,
                                                    input logic [LaneWidth-1:0] n);
    place_of = {tile, k, n + k};
  endfunction

  // Elements are packed in 32-bit words: `per_word_log2` says how many.
  /* verilator lint_off BLKSEQ */
  task automatic write_row();
    logic [31:0] per_word_log2;
    logic [31:0] bits_log2;
    logic [31:0] mask;
    logic [31:0] word;
    logic [31:0] offset;
    per_word_log2 = 32'd2 - 32'(size_log2_i);
    bits_log2     = 32'd3 + 32'(size_log2_i);
    mask          = 32'hffff_ffff >> (32'd32 - (32'd1 << bits_log2));
    for (int unsigned n = 0; n < Lanes; n++) begin
      word   = row_i[(n >> per_word_log2)*32 +: 32];
      offset = (n << bits_log2) & 32'd31;
      elements[place_of(fill_tile_q, fill_row_q, LaneWidth'(n))] = (word >> offset) & mask;
    end
  endtask

  task automatic read_column(input logic [31:0] rows);
    logic [31:0]         per_word_log2;
    logic [31:0]         bits_log2;
    logic [31:0]         element;
    logic [31:0]         offset;
    logic [RowWidth-1:0] row;
    per_word_log2 = 32'd2 - 32'(size_log2_i);
    bits_log2     = 32'd3 + 32'(size_log2_i);
    row           = '0;
    for (int unsigned k = 0; k < Lanes; k++) begin
      element = (k < rows) ? elements[place_of(drain_tile_q, LaneWidth'(k), drain_col_q)] : 32'd0;
      offset  = (k << bits_log2) & 32'd31;
      row[(k >> per_word_log2)*32 +: 32] = row[(k >> per_word_log2)*32 +: 32] | (element << offset);
    end
    out_row_o <= row;
  endtask
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clk_i) begin
    if (take) write_row();
    if (give) read_column(32'(rows_q[drain_tile_q]));
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      fill_tile_q  <= 1'b0;
      fill_row_q   <= '0;
      drain_tile_q <= 1'b0;
      drain_col_q  <= '0;
      full_q       <= 2'b00;
      out_valid_o  <= 1'b0;
    end else if (take || give || out_valid_o) begin
      out_valid_o <= give || (out_valid_o && !out_ready_i);
      if (take) fill_row_q <= take_last ? '0 : fill_row_q + 1'b1;
      if (take_last) begin
        full_q[fill_tile_q] <= 1'b1;
        rows_q[fill_tile_q] <= fill_rows;
        cols_q[fill_tile_q] <= fill_cols;
        fill_tile_q         <= !fill_tile_q;
      end
      if (give) drain_col_q <= give_last ? '0 : drain_col_q + 1'b1;
      if (give_last) begin
        full_q[drain_tile_q] <= 1'b0;
        drain_tile_q         <= !drain_tile_q;
      end
    end
  end

  `PRIM_ASSERT(TileHasElements, !tile_valid_i || (tile_rows_i != '0 && tile_cols_i != '0))
  `PRIM_ASSERT(TileFits, !tile_valid_i || (32'(tile_rows_i) <= 32'(Lanes)
                                           && 32'(tile_cols_i) <= 32'(Lanes)))

endmodule
