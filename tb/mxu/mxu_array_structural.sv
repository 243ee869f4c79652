`include "prim_assert.svh"

// A bf16 array of one instance per group and column, all registers nonblocking, beside
// mxu_array_bf16 on the same pins: the assertions say that the in-place style is the same circuit.
// It has tiles of 8 columns and no product stage.
module mxu_array_structural #(
  parameter  int Rows      = 16,
  parameter  int Cols      = 16,
  localparam int Latency   = Rows / 8 + Cols / 8 + 3,
  localparam int Line      = Rows > Cols ? Rows : Cols,
  localparam int PairWidth = $clog2(Line / 2)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       enable_i,

  input  logic                       row_valid_i,
  input  logic                       row_swap_i,
  input  float_operand_pkg::format_t row_format_i,
  input  logic [Rows*32-1:0]         row_i,
  input  logic [Cols*32-1:0]         partial_i,

  input  logic                       weight_valid_i,
  input  logic                       weight_transpose_i,
  input  float_operand_pkg::format_t weight_format_i,
  input  logic [PairWidth-1:0]       weight_pair_i,
  input  logic [Line*32-1:0]         weight_even_i,
  input  logic [Line*32-1:0]         weight_odd_i,
  input  logic [Line-1:0]            weight_even_present_i,
  input  logic [Line-1:0]            weight_odd_present_i,

  output logic                       result_valid_o,
  output logic [Cols*32-1:0]         result_o
);

  localparam int Groups = Rows / 8;
  localparam int Tiles  = Cols / 8;

  function automatic logic [31:0] decode(input logic [31:0] half, input logic [31:0] word,
                                         input float_operand_pkg::format_t format);
    decode = float_operand_pkg::decode(float_operand_pkg::is_fp32(format) ? word : half,
                                       float_operand_pkg::byte_shift(format),
                                       float_operand_pkg::rounding_mask(format),
                                       float_operand_pkg::special_mask(format));
  endfunction

  logic [Rows*32-1:0] row_decoded;
  logic [Line*32-1:0] even_decoded;
  logic [Line*32-1:0] odd_decoded;
  for (genvar r = 0; r < Rows; r++) begin : gen_row
    assign row_decoded[r*32 +: 32] =
        decode({row_i[r*16 +: 16], 16'd0}, row_i[r*32 +: 32], row_format_i);
  end
  for (genvar n = 0; n < Line; n++) begin : gen_weight
    logic [31:0] even;
    logic [31:0] odd;
    assign even = decode({weight_even_i[n*16 +: 16], 16'd0}, weight_even_i[n*32 +: 32],
                         weight_format_i);
    assign odd  = decode({weight_odd_i[n*16 +: 16], 16'd0}, weight_odd_i[n*32 +: 32],
                         weight_format_i);
    assign even_decoded[n*32 +: 32] = weight_even_present_i[n] ? even : 32'd0;
    assign odd_decoded[n*32 +: 32]  = weight_odd_present_i[n] ? odd : 32'd0;
  end

  logic [Latency-1:0]      valid_q;
  logic [Groups+Tiles-2:0] exchange_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q    <= '0;
      exchange_q <= '0;
    end else if (enable_i) begin
      valid_q    <= {valid_q[Latency-2:0], row_valid_i};
      exchange_q <= (Groups+Tiles-1)'({exchange_q, row_valid_i && row_swap_i});
    end
  end

  // Column boundaries: [g][n] enters group g of column n.
  logic [31:0]     partials [0:Groups][0:Cols-1];
  logic [8*32-1:0] acts     [0:Groups-1][0:Tiles-1];

  for (genvar g = 0; g < Groups; g++) begin : gen_group
    // Rows of group g wait g + 1 cycles, then pass from tile to tile.
    logic [(g+1)*8*32-1:0] skew_q;
    logic [Tiles*8*32-1:0] acts_q;
    if (g == 0) begin : gen_first
      always_ff @(posedge clk_i) if (enable_i) skew_q <= row_decoded[8*32-1:0];
    end else begin : gen_later
      always_ff @(posedge clk_i)
        if (enable_i) skew_q <= {skew_q[g*8*32-1:0], row_decoded[g*8*32 +: 8*32]};
    end
    if (Tiles == 1) begin : gen_one
      always_ff @(posedge clk_i) if (enable_i) acts_q <= skew_q[g*8*32 +: 8*32];
    end else begin : gen_many
      always_ff @(posedge clk_i)
        if (enable_i) acts_q <= {acts_q[(Tiles-1)*8*32-1:0], skew_q[g*8*32 +: 8*32]};
    end

    for (genvar t = 0; t < Tiles; t++) begin : gen_tile
      assign acts[g][t] = acts_q[t*8*32 +: 8*32];
      for (genvar l = 0; l < 8; l++) begin : gen_column
        localparam int Column = t * 8 + l;
        logic [7:0]      load;
        logic [8*32-1:0] weight;
        for (genvar i = 0; i < 8; i++) begin : gen_cell
          localparam int Row  = g * 8 + i;
          localparam int Line0 = Row * 32;
          localparam int Line1 = Column * 32;
          assign load[i] = weight_valid_i && 32'(weight_pair_i) ==
                           (weight_transpose_i ? Column / 2 : Row / 2);
          assign weight[i*32 +: 32] =
              weight_transpose_i
                  ? ((Column % 2 != 0) ? odd_decoded[Line0 +: 32] : even_decoded[Line0 +: 32])
                  : ((Row % 2 != 0) ? odd_decoded[Line1 +: 32] : even_decoded[Line1 +: 32]);
        end
        structural_group u_group (
          .clk_i, .enable_i, .valid_i(valid_q[g+1+t]), .exchange_i(exchange_q[g+t]),
          .act_i(acts[g][t]), .load_i(load), .weight_i(weight),
          .partial_i(partials[g][Column]), .partial_o(partials[g+1][Column])
        );
      end
    end
  end

  // Tile t starts t cycles after tile 0 and leaves so much later.
  for (genvar n = 0; n < Cols; n++) begin : gen_edge
    localparam int Tile  = n / 8;
    localparam int Wait  = Tile + 2;
    localparam int Leave = Tiles - Tile + 1;
    logic [Wait*32-1:0]  enter_q;
    logic [Leave*32-1:0] leave_q;
    always_ff @(posedge clk_i) begin
      if (enable_i) begin
        enter_q <= {enter_q[(Wait-1)*32-1:0], partial_i[n*32 +: 32]};
        leave_q <= {leave_q[(Leave-1)*32-1:0], partials[Groups][n]};
      end
    end
    assign partials[0][n]       = enter_q[(Wait-1)*32 +: 32];
    assign result_o[n*32 +: 32] = leave_q[(Leave-1)*32 +: 32];
  end
  assign result_valid_o = valid_q[Latency-1];

  logic               in_place_valid;
  logic [Cols*32-1:0] in_place_result;
  mxu_array_bf16 #(.Rows(Rows), .Cols(Cols), .TileCols(8)) u_in_place (
    .clk_i, .rst_ni, .enable_i, .row_valid_i, .row_swap_i, .row_format_i, .row_i, .partial_i,
    .weight_valid_i, .weight_transpose_i, .weight_format_i, .weight_pair_i, .weight_even_i,
    .weight_odd_i, .weight_even_present_i, .weight_odd_present_i,
    .result_valid_o(in_place_valid), .result_o(in_place_result)
  );

  `PRIM_ASSERT(SameCycle, in_place_valid == result_valid_o)
  `PRIM_ASSERT(SameBits, !result_valid_o || in_place_result == result_o)

endmodule
