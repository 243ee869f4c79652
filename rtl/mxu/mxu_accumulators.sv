`include "prim_assert.svh"

// The accumulators: two halves of one read and one write port each, rows of Cols 32-bit sums.
// Half 0 holds rows 0 .. RowsPerHalf-1, half 1 the rest.
//
// The array's rows read here when they are issued (`read`) and write their result when they leave
// the array (`write`). In between the row is pending, and whoever wants it waits. The vector unit
// drains rows at `drain`, one per cycle from a half that the array does not read.
module mxu_accumulators #(
  parameter  int Cols        = 128,
  parameter  int RowsPerHalf = 256,
  localparam int RowWidth    = $clog2(2 * RowsPerHalf),
  localparam int Width       = Cols * 32
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,  // nothing is pending

  // Makes `claim_row_i` pending and, unless the row starts afresh, reads it: the sums stand at
  // `read_data_o` from the next cycle to the next claim. `claim_ready_o` looks at the row alone.
  input  logic [RowWidth-1:0] claim_row_i,
  output logic                claim_ready_o,
  input  logic                claim_i,
  input  logic                claim_fresh_i,
  output logic [Width-1:0]    read_data_o,
  input  logic                keep_read_i,  // it is still needed: no drain may disturb it

  input  logic                write_i,
  input  logic [RowWidth-1:0] write_row_i,
  input  logic [Width-1:0]    write_data_i,

  input  logic                drain_valid_i,
  input  logic [15:0]         drain_row_i,
  output logic                drain_ready_o,  // in the same cycle
  output logic                drain_data_valid_o,
  output logic [Width-1:0]    drain_data_o    // the cycle after
);

  localparam int HalfWidth = $clog2(RowsPerHalf);
  localparam logic [RowWidth-1:0] HalfRows = RowWidth'(RowsPerHalf);

  logic [2*RowsPerHalf-1:0] pending_q;
  logic                     read_half_q;
  logic                     read_fresh_q;
  logic                     drain_half_q;

  logic                claim_half;
  logic                write_half;
  logic                drain_half;
  logic                drain;
  logic [RowWidth-1:0] drain_row;
  logic [2*Width-1:0]  half_data;

  logic unused_row_bits;
  assign unused_row_bits = ^drain_row_i[15:RowWidth];

  assign claim_half = claim_row_i >= HalfRows;
  assign write_half = write_row_i >= HalfRows;
  assign drain_row  = drain_row_i[RowWidth-1:0];
  assign drain_half = drain_row >= HalfRows;

  assign claim_ready_o = !pending_q[claim_row_i];
  assign drain_ready_o = drain_valid_i && !pending_q[drain_row] &&
                         !(claim_i && !claim_fresh_i && claim_half == drain_half) &&
                         !(keep_read_i && !read_fresh_q && read_half_q == drain_half);
  assign drain         = drain_valid_i && drain_ready_o;

  for (genvar half = 0; half < 2; half++) begin : gen_half
    localparam logic [RowWidth-1:0] Base = RowWidth'(half * RowsPerHalf);
    logic                 array_reads;
    logic                 read;
    logic                 write;
    logic [HalfWidth-1:0] read_row;
    assign array_reads = claim_i && !claim_fresh_i && claim_half == half[0];
    assign read        = array_reads || (drain && drain_half == half[0]);
    assign read_row    = HalfWidth'((array_reads ? claim_row_i : drain_row) - Base);
    assign write       = write_i && write_half == half[0];

    prim_ram #(.Width(Width), .Depth(RowsPerHalf)) u_ram (
      .clk_i,
      .write_i     (write),
      .write_addr_i(HalfWidth'(write_row_i - Base)),
      .write_data_i(write_data_i),
      .write_mask_i({Width / 8{1'b1}}),
      .read_i      (read),
      .read_addr_i (read_row),
      .read_data_o (half_data[half*Width +: Width])
    );
  end

  assign read_data_o  = read_fresh_q ? '0 : half_data[32'(read_half_q)*Width +: Width];
  assign drain_data_o = half_data[32'(drain_half_q)*Width +: Width];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      pending_q          <= '0;
      drain_data_valid_o <= 1'b0;
    end else if (claim_i || write_i || drain || drain_data_valid_o) begin
      if (write_i) pending_q[write_row_i] <= 1'b0;
      if (claim_i) begin
        pending_q[claim_row_i] <= 1'b1;
        read_half_q            <= claim_half;
        read_fresh_q           <= claim_fresh_i;
      end
      drain_data_valid_o <= drain;
      if (drain) drain_half_q <= drain_half;
    end
  end

  `PRIM_ASSERT(ClaimsNoPendingRow, !claim_i || !pending_q[claim_row_i])
  `PRIM_ASSERT(WritesAPendingRow, !write_i || pending_q[write_row_i])

endmodule
