// Weight-stationary int8 array with int32 partial sums; ports, timing and weight schedule are those
// of mxu_array_bf16.sv, so that the engine holds either or both.
//
//   result[n] = partial_i[n] + sum over r of a[r] * w[r][n], modulo 2^32; absent weights are 0.
//
// Written in place for the simulator, as explained in mxu_array_bf16.sv.
// verilator lint_off BLKSEQ
module mxu_array_int8 #(
  parameter  int Rows         = 128,   // multiple of 8
  parameter  int Cols         = 128,   // multiple of 8
  parameter  int TileCols     = Cols,  // columns that share an activation register; at least 8
  parameter  int ProductStage = 0,     // 1: a register per product
  parameter  int StoredBits   = 32,    // of an operand: 32 simulates fastest, 8 are enough
  localparam int Latency      = Rows / 8 + Cols / 8 + 3,
  localparam int Line         = Rows > Cols ? Rows : Cols,
  localparam int PairWidth    = $clog2(Line / 2)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic                       enable_i,

  input  logic                       row_valid_i,
  input  logic                       row_swap_i,
  input  logic [Rows*8-1:0]          row_i,
  input  logic [Cols*32-1:0]         partial_i,

  input  logic                       weight_valid_i,
  input  logic                       weight_transpose_i,
  input  logic [PairWidth-1:0]       weight_pair_i,
  input  logic [Line*8-1:0]          weight_even_i,
  input  logic [Line*8-1:0]          weight_odd_i,
  input  logic [Line-1:0]            weight_even_present_i,
  input  logic [Line-1:0]            weight_odd_present_i,

  output logic                       result_valid_o,
  output logic [Cols*32-1:0]         result_o
);

  localparam int Groups      = Rows / 8;
  localparam int Tiles       = Cols / TileCols;
  localparam int TopSkew     = Tiles + ProductStage;
  localparam int Deskew      = Latency - 3 - Groups - ProductStage;
  localparam int DeskewDepth = Deskew > 1 ? Deskew : 1;

  logic signed [StoredBits-1:0] skew     [0:Groups-1][0:Rows-1];
  logic signed [StoredBits-1:0] acts     [0:Rows-1][0:Tiles-1];
  logic signed [StoredBits-1:0] shadow   [0:Rows-1][0:Tiles-1][0:TileCols-1];
  logic signed [StoredBits-1:0] weights  [0:Rows-1][0:Tiles-1][0:TileCols-1];
  logic signed [31:0]           products [0:Rows-1][0:Tiles-1][0:TileCols-1];
  logic signed [31:0]           top_skew [0:TopSkew-1][0:Tiles-1][0:TileCols-1];
  logic signed [31:0]           partials [0:Groups][0:Tiles-1][0:TileCols-1];
  logic signed [31:0]           deskew   [0:DeskewDepth-1][0:Tiles-1][0:TileCols-1];
  logic signed [StoredBits-1:0] weight_masked [0:1][0:Line-1];

  logic [Latency-1:0]      valid_q;  // [d]: a row entered d + 1 cycles ago
  logic [Groups+Tiles-1:0] swap_q;   // [g+t]: the exchange reaches group g of tile t
  logic                    active;

  assign active = enable_i && (row_valid_i || valid_q != '0);

  task automatic leave();
    for (int unsigned t = 0; t < Tiles; t++)
      if (t == Deskew)
        for (int unsigned l = 0; l < TileCols; l++)
          result_o[(t*TileCols+l)*32 +: 32] <= partials[Groups][t][l];
      else
        for (int unsigned l = 0; l < TileCols; l++)
          result_o[(t*TileCols+l)*32 +: 32] <= deskew[Deskew-1-t][t][l];
    for (int unsigned d = DeskewDepth - 1; d > 0; d--)
      for (int unsigned t = 0; t < Tiles; t++)
        for (int unsigned l = 0; l < TileCols; l++) deskew[d][t][l] = deskew[d-1][t][l];
    for (int unsigned t = 0; t < Tiles; t++)
      for (int unsigned l = 0; l < TileCols; l++) deskew[0][t][l] = partials[Groups][t][l];
  endtask

  // Group Groups-1-k of tile t: the bottom group first, and only where it holds a row.
  task automatic multiply_accumulate();
    for (int unsigned k = 0; k < Groups; k++)
      for (int unsigned t = 0; t < Tiles; t++)
        if (valid_q[Groups-k+t+ProductStage])
          for (int unsigned l = 0; l < TileCols; l++) begin
            logic signed [31:0] sum;
            sum = partials[Groups-1-k][t][l];
            for (int unsigned i = 0; i < 8; i++)
              if (ProductStage == 0)
                sum = sum + acts[(Groups-1-k)*8+i][t] * weights[(Groups-1-k)*8+i][t][l];
              else
                sum = sum + products[(Groups-1-k)*8+i][t][l];
            partials[Groups-k][t][l] = sum;
          end
  endtask

  task automatic enter_partials();
    for (int unsigned t = 0; t < Tiles; t++)
      for (int unsigned l = 0; l < TileCols; l++)
        partials[0][t][l] = top_skew[t+ProductStage][t][l];
    for (int unsigned d = TopSkew - 1; d > 0; d--)
      for (int unsigned t = 0; t < Tiles; t++)
        for (int unsigned l = 0; l < TileCols; l++) top_skew[d][t][l] = top_skew[d-1][t][l];
    for (int unsigned t = 0; t < Tiles; t++)
      for (int unsigned l = 0; l < TileCols; l++)
        top_skew[0][t][l] = $signed(partial_i[(t*TileCols+l)*32 +: 32]);
  endtask

  task automatic register_products();
    if (ProductStage != 0)
      for (int unsigned r = 0; r < Rows; r++)
        for (int unsigned t = 0; t < Tiles; t++)
          for (int unsigned l = 0; l < TileCols; l++)
            products[r][t][l] = acts[r][t] * weights[r][t][l];
  endtask

  task automatic exchange_weights();
    if (swap_q != '0)
      for (int unsigned g = 0; g < Groups; g++)
        for (int unsigned t = 0; t < Tiles; t++)
          if (swap_q[g+t])
            for (int unsigned i = 0; i < 8; i++)
              for (int unsigned l = 0; l < TileCols; l++)
                weights[g*8+i][t][l] = shadow[g*8+i][t][l];
  endtask

  task automatic enter_row();
    for (int unsigned r = 0; r < Rows; r++) begin
      for (int unsigned t = Tiles - 1; t > 0; t--) acts[r][t] = acts[r][t-1];
      acts[r][0] = skew[r/8][r];
    end
    for (int unsigned d = Groups - 1; d > 0; d--)
      for (int unsigned r = d * 8; r < Rows; r++) skew[d][r] = skew[d-1][r];
    for (int unsigned r = 0; r < Rows; r++) skew[0][r] = StoredBits'($signed(row_i[r*8 +: 8]));
  endtask

  task automatic mask_weights();
    for (int unsigned n = 0; n < Line; n++) begin
      weight_masked[0][n] =
          weight_even_present_i[n] ? StoredBits'($signed(weight_even_i[n*8 +: 8])) : '0;
      weight_masked[1][n] =
          weight_odd_present_i[n] ? StoredBits'($signed(weight_odd_i[n*8 +: 8])) : '0;
    end
  endtask

  task automatic load_rows(input logic [31:0] pair);
    for (int unsigned r = 0; r < Rows; r++)
      if (pair == r / 2)
        for (int unsigned t = 0; t < Tiles; t++)
          for (int unsigned l = 0; l < TileCols; l++)
            shadow[r][t][l] = weight_masked[r%2][t*TileCols+l];
  endtask

  task automatic load_columns(input logic [31:0] pair);
    for (int unsigned t = 0; t < Tiles; t++)
      for (int unsigned l = 0; l < TileCols; l++)
        if (pair == (t*TileCols+l) / 2)
          for (int unsigned r = 0; r < Rows; r++) shadow[r][t][l] = weight_masked[l%2][r];
  endtask

  always_ff @(posedge clk_i) begin
    if (active) begin
      leave();
      multiply_accumulate();
      enter_partials();
      register_products();
      exchange_weights();
      enter_row();
    end
    if (weight_valid_i) begin
      mask_weights();
      if (weight_transpose_i) load_columns(32'(weight_pair_i));
      else                    load_rows(32'(weight_pair_i));
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      swap_q  <= '0;
    end else if (active) begin
      valid_q <= {valid_q[Latency-2:0], row_valid_i};
      swap_q  <= {swap_q[Groups+Tiles-2:0], row_valid_i && row_swap_i};
    end
  end

  assign result_valid_o = valid_q[Latency-1];

endmodule
