// The arrays that this MXU has, behind one set of pins. Both take the same time, so results of
// either leave in the order in which rows entered; an array without rows in it stands still.
module mxu_arrays #(
  parameter  int Rows         = 128,
  parameter  int Cols         = 128,
  parameter  bit Bf16         = 1'b1,
  parameter  bit Int8         = 1'b1,
  parameter  int TileCols     = Cols,
  parameter  int ProductStage = 0,
  localparam int Line         = Rows > Cols ? Rows : Cols,
  localparam int PairWidth    = $clog2(Line / 2)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       enable_i,

  input  logic                       row_valid_i,
  input  logic                       row_swap_i,
  input  float_operand_pkg::format_t row_format_i,
  /* verilator lint_off UNUSEDSIGNAL */  // int8 alone uses a quarter of the lanes' bits
  input  logic [Line*32-1:0]         row_i,
  input  logic [Cols*32-1:0]         partial_i,

  input  logic                       weight_valid_i,
  input  logic                       weight_transpose_i,
  input  float_operand_pkg::format_t weight_format_i,
  input  logic [PairWidth-1:0]       weight_pair_i,
  input  logic [Line*32-1:0]         weight_even_i,
  input  logic [Line*32-1:0]         weight_odd_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [Line-1:0]            weight_even_present_i,
  input  logic [Line-1:0]            weight_odd_present_i,

  output logic                       result_valid_o,
  output logic [Cols*32-1:0]         result_o
);

  logic row_is_int8;
  logic weight_is_int8;
  logic bf16_valid;
  logic int8_valid;

  assign row_is_int8    = row_format_i == float_operand_pkg::FormatInt8;
  assign weight_is_int8 = weight_format_i == float_operand_pkg::FormatInt8;
  assign result_valid_o = bf16_valid || int8_valid;

  /* verilator lint_off UNUSEDSIGNAL */  // an absent array's results
  logic [Cols*32-1:0] bf16_result;
  logic [Cols*32-1:0] int8_result;
  /* verilator lint_on UNUSEDSIGNAL */

  if (Bf16) begin : gen_bf16
    mxu_array_bf16 #(.Rows(Rows), .Cols(Cols), .TileCols(TileCols),
                     .ProductStage(ProductStage)) u_array (
      .clk_i, .rst_ni, .enable_i,
      .row_valid_i(row_valid_i && !row_is_int8), .row_swap_i, .row_format_i,
      .row_i(row_i[Rows*32-1:0]), .partial_i,
      .weight_valid_i(weight_valid_i && !weight_is_int8), .weight_transpose_i, .weight_format_i,
      .weight_pair_i, .weight_even_i, .weight_odd_i, .weight_even_present_i,
      .weight_odd_present_i,
      .result_valid_o(bf16_valid), .result_o(bf16_result)
    );
  end else begin : gen_no_bf16
    assign bf16_valid  = 1'b0;
    assign bf16_result = '0;
  end

  if (Int8) begin : gen_int8
    mxu_array_int8 #(.Rows(Rows), .Cols(Cols), .TileCols(TileCols),
                     .ProductStage(ProductStage)) u_array (
      .clk_i, .rst_ni, .enable_i,
      .row_valid_i(row_valid_i && row_is_int8), .row_swap_i, .row_i(row_i[Rows*8-1:0]),
      .partial_i,
      .weight_valid_i(weight_valid_i && weight_is_int8), .weight_transpose_i, .weight_pair_i,
      .weight_even_i(weight_even_i[Line*8-1:0]), .weight_odd_i(weight_odd_i[Line*8-1:0]),
      .weight_even_present_i, .weight_odd_present_i,
      .result_valid_o(int8_valid), .result_o(int8_result)
    );
  end else begin : gen_no_int8
    assign int8_valid  = 1'b0;
    assign int8_result = '0;
  end

  if (Bf16 && Int8) begin : gen_both
    assign result_o = int8_valid ? int8_result : bf16_result;
  end else if (Bf16) begin : gen_only_bf16
    assign result_o = bf16_result;
  end else begin : gen_only_int8
    assign result_o = int8_result;
  end

endmodule
