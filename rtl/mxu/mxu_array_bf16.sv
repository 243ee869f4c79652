// Weight-stationary bf16 array with fp32 partial sums, by the numeric contract rtl/float/README.md.
//
//   row_i ----> skew --> a -> a -> a      A row and its partial sums enter together; the results
//   partial_i -> skew --> |    |    |     leave Latency cycles later, for every TileCols and
//                         v    v    v     ProductStage:
//                    group 0 ... group Rows/8-1 --> deskew --> result_o
//
//   result[n] = fold over g of fused8(c, a[8g..8g+7], w[8g..8g+7][n]), from c = partial_i[n].
//
// Weights load into a shadow beside the running tile. A row with `row_swap_i` is the first to use
// them; the exchange travels with it through the array. The schedule that callers keep is in
// rtl/mxu/README.md.
//
// State lives in unpacked arrays private to one always_ff and is updated in place with blocking
// assignments, last stage first, so that each stage reads its neighbour's old value: Verilator
// then keeps the loops and the C++ compiler vectorises them. Only nonblocking registers leave the
// block. tb/mxu proves it equal to one instance per group in plain nonblocking style.
// verilator lint_off BLKSEQ
module mxu_array_bf16 #(
  parameter  int Rows         = 128,   // multiple of 8
  parameter  int Cols         = 128,   // multiple of 8
  parameter  int TileCols     = Cols,  // columns that share an activation register; at least 8
  parameter  int ProductStage = 0,     // 1: a register per product
  localparam int Latency      = Rows / 8 + Cols / 8 + 3,
  localparam int Line         = Rows > Cols ? Rows : Cols,
  localparam int PairWidth    = $clog2(Line / 2)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // Moves the rows and the exchange of weights; weights load without it.
  input  logic                       enable_i,

  // One activation row with its partial sums; element r of `row_i` at the format's own width.
  input  logic                       row_valid_i,
  input  logic                       row_swap_i,
  input  float_operand_pkg::format_t row_format_i,
  input  logic [Rows*32-1:0]         row_i,
  input  logic [Cols*32-1:0]         partial_i,

  // Weight lines 2 * `weight_pair_i` and the next: rows of the tile, or its columns where
  // `weight_transpose_i`, packed like `row_i`.
  input  logic                       weight_valid_i,
  input  logic                       weight_transpose_i,
  input  float_operand_pkg::format_t weight_format_i,
  input  logic [PairWidth-1:0]       weight_pair_i,
  input  logic [Line*32-1:0]         weight_even_i,
  input  logic [Line*32-1:0]         weight_odd_i,
  input  logic [Line-1:0]            weight_even_present_i,  // 0: adds nothing, even to Inf or NaN
  input  logic [Line-1:0]            weight_odd_present_i,

  output logic                       result_valid_o,
  output logic [Cols*32-1:0]         result_o
);

  localparam int Groups  = Rows / 8;
  localparam int Tiles   = Cols / TileCols;
  localparam int TopSkew = Tiles + ProductStage;                // tile t enters at t + ProductStage
  localparam int Deskew  = Latency - 3 - Groups - ProductStage;  // tile t leaves after Deskew - t
  localparam int DeskewDepth = Deskew > 1 ? Deskew : 1;

  logic [31:0] skew     [0:Groups-1][0:Rows-1];  // row r uses depth r/8 + 1
  logic [31:0] acts     [0:Rows-1][0:Tiles-1];
  logic [31:0] shadow   [0:Rows-1][0:Tiles-1][0:TileCols-1];
  logic [31:0] weights  [0:Rows-1][0:Tiles-1][0:TileCols-1];
  logic [31:0] products [0:Rows-1][0:Tiles-1][0:TileCols-1];
  logic [31:0] top_skew [0:TopSkew-1][0:Tiles-1][0:TileCols-1];
  logic [31:0] partials [0:Groups][0:Tiles-1][0:TileCols-1];  // [0] enters, [g+1] leaves group g
  logic [31:0] deskew   [0:DeskewDepth-1][0:Tiles-1][0:TileCols-1];
  logic [31:0] row_decoded     [0:Rows-1];
  logic [31:0] weight_decoded  [0:1][0:Line-1];

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
        if (valid_q[Groups-k+t+ProductStage]) begin
          logic [31:0] highest;
          highest = 32'd0;
          for (int unsigned l = 0; l < TileCols; l++) begin
            logic [31:0] c, top, sum, q;
            c   = partials[Groups-1-k][t][l];
            top = float_fused_pkg::partial_exponent(c);
            for (int unsigned i = 0; i < 8; i++) begin
              if (ProductStage == 0)
                q = float_fused_pkg::product(acts[(Groups-1-k)*8+i][t],
                                             weights[(Groups-1-k)*8+i][t][l]);
              else
                q = products[(Groups-1-k)*8+i][t][l];
              q   = float_fused_pkg::product_exponent(q);
              top = (q > top) ? q : top;
            end
            sum = float_fused_pkg::align_partial(c, top);
            for (int unsigned i = 0; i < 8; i++) begin
              if (ProductStage == 0)
                q = float_fused_pkg::product(acts[(Groups-1-k)*8+i][t],
                                             weights[(Groups-1-k)*8+i][t][l]);
              else
                q = products[(Groups-1-k)*8+i][t][l];
              q   = float_fused_pkg::align_product(q, top);
              sum = sum + q;
            end
            q = float_fused_pkg::round_sum(sum, top);
            partials[Groups-k][t][l] = q;
            highest = (top > highest) ? top : highest;
          end
          // A special operand, or a product beyond 2^128: rare, so a loop of its own.
          if (highest > float_fused_pkg::LastFinitePartial)
            for (int unsigned l = 0; l < TileCols; l++) begin
              logic [31:0] c, specials, q;
              c        = partials[Groups-1-k][t][l];
              specials = float_fused_pkg::partial_special(c);
              for (int unsigned i = 0; i < 8; i++) begin
                if (ProductStage == 0)
                  q = float_fused_pkg::product(acts[(Groups-1-k)*8+i][t],
                                               weights[(Groups-1-k)*8+i][t][l]);
                else
                  q = products[(Groups-1-k)*8+i][t][l];
                q        = float_fused_pkg::product_special(q);
                specials = specials | q;
              end
              q = partials[Groups-k][t][l];
              q = float_fused_pkg::resolve_special(q, specials);
              partials[Groups-k][t][l] = q;
            end
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
        top_skew[0][t][l] = partial_i[(t*TileCols+l)*32 +: 32];
  endtask

  task automatic register_products();
    if (ProductStage != 0)
      for (int unsigned r = 0; r < Rows; r++)
        for (int unsigned t = 0; t < Tiles; t++)
          for (int unsigned l = 0; l < TileCols; l++) begin
            logic [31:0] q;
            q = float_fused_pkg::product(acts[r][t], weights[r][t][l]);
            products[r][t][l] = q;
          end
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
    for (int unsigned r = 0; r < Rows; r++) skew[0][r] = row_decoded[r];
  endtask

  task automatic decode_row();
    logic [31:0] shift, rounding, specials, pair, q;
    shift    = float_operand_pkg::byte_shift(row_format_i);
    rounding = float_operand_pkg::rounding_mask(row_format_i);
    specials = float_operand_pkg::special_mask(row_format_i);
    if (float_operand_pkg::is_fp32(row_format_i))
      for (int unsigned r = 0; r < Rows; r++) begin
        q = float_operand_pkg::decode(row_i[r*32 +: 32], shift, rounding, specials);
        row_decoded[r] = q;
      end
    else
      for (int unsigned r = 0; r < Rows / 2; r++) begin  // 32-bit lanes vectorise, halves do not
        pair = row_i[r*32 +: 32];
        q    = float_operand_pkg::decode(pair << 16, shift, rounding, specials);
        row_decoded[r*2] = q;
        q    = float_operand_pkg::decode(pair & 32'hffff_0000, shift, rounding, specials);
        row_decoded[r*2+1] = q;
      end
  endtask

  task automatic decode_weights();
    logic [31:0] shift, rounding, specials, pair, q;
    shift    = float_operand_pkg::byte_shift(weight_format_i);
    rounding = float_operand_pkg::rounding_mask(weight_format_i);
    specials = float_operand_pkg::special_mask(weight_format_i);
    for (int unsigned odd = 0; odd < 2; odd++)
      if (float_operand_pkg::is_fp32(weight_format_i))
        for (int unsigned n = 0; n < Line; n++) begin
          q = (odd != 0) ? weight_odd_i[n*32 +: 32] : weight_even_i[n*32 +: 32];
          q = float_operand_pkg::decode(q, shift, rounding, specials);
          if (odd != 0) weight_decoded[1][n] = weight_odd_present_i[n] ? q : 32'd0;
          else          weight_decoded[0][n] = weight_even_present_i[n] ? q : 32'd0;
        end
      else
        for (int unsigned n = 0; n < Line / 2; n++) begin
          pair = (odd != 0) ? weight_odd_i[n*32 +: 32] : weight_even_i[n*32 +: 32];
          q    = float_operand_pkg::decode(pair << 16, shift, rounding, specials);
          if (odd != 0) weight_decoded[1][n*2] = weight_odd_present_i[n*2] ? q : 32'd0;
          else          weight_decoded[0][n*2] = weight_even_present_i[n*2] ? q : 32'd0;
          q    = float_operand_pkg::decode(pair & 32'hffff_0000, shift, rounding, specials);
          if (odd != 0) weight_decoded[1][n*2+1] = weight_odd_present_i[n*2+1] ? q : 32'd0;
          else          weight_decoded[0][n*2+1] = weight_even_present_i[n*2+1] ? q : 32'd0;
        end
  endtask

  task automatic load_rows(input logic [31:0] pair);
    for (int unsigned r = 0; r < Rows; r++)
      if (pair == r / 2)
        for (int unsigned t = 0; t < Tiles; t++)
          for (int unsigned l = 0; l < TileCols; l++)
            shadow[r][t][l] = weight_decoded[r%2][t*TileCols+l];
  endtask

  task automatic load_columns(input logic [31:0] pair);
    for (int unsigned t = 0; t < Tiles; t++)
      for (int unsigned l = 0; l < TileCols; l++)
        if (pair == (t*TileCols+l) / 2)
          for (int unsigned r = 0; r < Rows; r++) shadow[r][t][l] = weight_decoded[l%2][r];
  endtask

  always_ff @(posedge clk_i) begin
    if (active) begin
      leave();
      multiply_accumulate();
      enter_partials();
      register_products();
      exchange_weights();
      if (row_valid_i) decode_row();
      enter_row();
    end
    if (weight_valid_i) begin
      decode_weights();
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
