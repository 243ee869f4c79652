`include "prim_assert.svh"

// Cuts the runs of a load at memory lines and at buffer words, and writes the pieces.
//
//   step: one piece of a run, in one line and one word    -> reads the line
//   align: line bytes to their place in the word, fill    -> wr_*
//
// One piece per cycle. Fill that stands in the word of a run's last data goes with it in one write.
// Signals of a run are raised when its last write is granted; writes are granted in order.
module dma_load_words #(
  parameter  int LineBytes = 64,
  parameter  int WordBytes = 16,
  parameter  int AddrWidth = 12,
  localparam int LineBits  = LineBytes * 8,
  localparam int WordBits  = WordBytes * 8,
  localparam int LineShift = $clog2(LineBytes),
  localparam int RunWidth  = dma_pkg::RunWidth + 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  output logic                 active_o,

  input  logic                 run_valid_i,
  output logic                 run_ready_o,
  input  logic [RunWidth-1:0]  run_i,  // top bit: begins in the line of the run before

  input  logic                 next_ready_i,
  input  logic                 line_ready_i,
  output logic                 advance_o,
  output logic                 read_o,
  input  logic [LineBits-1:0]  line_i,

  output logic                 wr_valid_o,
  input  logic                 wr_ready_i,
  output logic [AddrWidth-1:0] wr_addr_o,
  output logic [WordBits-1:0]  wr_data_o,
  output logic [WordBytes-1:0] wr_mask_o,

  output logic [1:0]           signal_valid_o,
  output logic [15:0]          signal_flag_o
);

  /* verilator lint_off UNUSEDSIGNAL */  // the lines module needs the rest
  dma_pkg::run_t head;
  /* verilator lint_on UNUSEDSIGNAL */
  logic          head_again;
  assign {head_again, head} = run_i;

  // The rest of the run.
  logic        run_q;         // there is one
  logic        moves_q;
  logic        enter_q;       // its next byte is the first that it takes from a line not yet entered
  logic [31:0] line_offset_q;
  logic [31:0] addr_q;        // in the buffer
  logic [31:0] data_left_q;
  logic [31:0] image_left_q;  // data and fill
  logic [31:0] fill_q;        // turned so that byte b is for buffer addresses b mod 4
  logic [1:0]  fire_q;
  logic [15:0] flags_q;

  logic [31:0] word_offset;
  logic [31:0] word_room;
  logic [31:0] line_room;
  logic [31:0] data_part;     // data that word and line allow
  logic [31:0] data;
  logic [31:0] total;         // with the fill behind it
  logic        data_ends;
  logic        ends;
  logic        has_line;
  logic        step;
  logic        align_free;
  logic        move;

  // The piece that is being aligned.
  logic        piece_q;
  logic        piece_moves_q;
  logic [31:0] piece_line_offset_q;
  logic [31:0] piece_word_offset_q;
  logic [31:0] piece_data_q;
  logic [31:0] piece_total_q;
  logic [31:0] piece_fill_q;
  logic [AddrWidth-1:0] piece_addr_q;
  logic [1:0]  piece_fire_q;
  logic [15:0] piece_flags_q;

  logic [1:0]  write_fire_q;   // signals of the write that stands at the port
  logic [15:0] write_flags_q;

  assign word_offset = addr_q % WordBytes;
  assign word_room   = WordBytes - word_offset;
  assign line_room   = LineBytes - line_offset_q;
  assign data_part   = (word_room < line_room) ? word_room : line_room;
  assign data_ends   = data_left_q <= data_part;
  assign data        = data_ends ? data_left_q : data_part;
  assign total       = !data_ends ? data : (image_left_q < word_room) ? image_left_q : word_room;
  assign ends        = total == image_left_q;
  assign has_line    = data_left_q == 32'd0 || (enter_q ? next_ready_i : line_ready_i);
  // A sync passes alone, so that its signals do not meet those of the write before.
  assign move        = piece_q && (!wr_valid_o || (wr_ready_i && piece_moves_q));
  assign align_free  = !piece_q || move;
  assign step        = run_q && has_line && align_free;
  assign read_o      = step && data_left_q != 32'd0;
  assign advance_o   = read_o && enter_q;
  assign run_ready_o = !run_q || (step && ends);
  assign active_o    = run_q || piece_q || wr_valid_o || signal_valid_o != 2'd0;

  function automatic logic [31:0] turn(input logic [31:0] fill, input logic [1:0] bytes);
    turn = 32'({fill, fill} >> (32 - 8 * 32'(bytes)));
  endfunction

  task automatic take_run();
    moves_q       <= head.moves;
    enter_q       <= !head_again;
    line_offset_q <= 32'(head.hbm_addr[LineShift-1:0]);
    addr_q        <= head.buffer_addr;
    data_left_q   <= head.moves ? head.bytes : 32'd0;
    image_left_q  <= head.moves ? head.image_bytes : 32'd0;
    fill_q        <= turn(head.fill, head.buffer_addr[1:0]);
    fire_q        <= head.fire;
    flags_q       <= head.flags;
  endtask

  task automatic take_step();
    piece_moves_q       <= moves_q;
    piece_line_offset_q <= line_offset_q;
    piece_word_offset_q <= word_offset;
    piece_data_q        <= data;
    piece_total_q       <= total;
    piece_fill_q        <= fill_q;
    piece_addr_q        <= AddrWidth'(addr_q / WordBytes);
    piece_fire_q        <= ends ? fire_q : 2'd0;
    piece_flags_q       <= flags_q;
    addr_q              <= addr_q + total;
    data_left_q         <= data_left_q - data;
    image_left_q        <= image_left_q - total;
    enter_q             <= data == line_room;  // the line is used up
    line_offset_q       <= (data == line_room) ? 32'd0 : line_offset_q + data;
  endtask

  task automatic align();
    /* verilator lint_off UNUSEDSIGNAL */  // the wider of word and line is cut
    logic [LineBits-1:0] shifted;
    /* verilator lint_on UNUSEDSIGNAL */
    logic [WordBits-1:0] word;
    logic [31:0]         fill_from;
    shifted = line_i >> (piece_line_offset_q * 8);
    word    = WordBits'(shifted) << (piece_word_offset_q * 8);
    if (piece_data_q != piece_total_q) begin
      fill_from = piece_word_offset_q + piece_data_q;
      word      = (word & ~({WordBits{1'b1}} << (fill_from * 8)))
                  | ({WordBytes / 4{piece_fill_q}} & ({WordBits{1'b1}} << (fill_from * 8)));
    end
    wr_data_o <= word;
    wr_mask_o <= ~({WordBytes{1'b1}} << piece_total_q) << piece_word_offset_q;
    wr_addr_o <= piece_addr_q;
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q          <= 1'b0;
      piece_q        <= 1'b0;
      wr_valid_o     <= 1'b0;
      signal_valid_o <= 2'd0;
    end else if (run_valid_i || active_o) begin
      signal_valid_o <= 2'd0;
      if (wr_valid_o && wr_ready_i) begin
        wr_valid_o     <= 1'b0;
        signal_valid_o <= write_fire_q;
        signal_flag_o  <= write_flags_q;
      end
      if (move) begin
        piece_q <= 1'b0;
        if (piece_moves_q) begin
          align();
          wr_valid_o    <= 1'b1;
          write_fire_q  <= piece_fire_q;
          write_flags_q <= piece_flags_q;
        end else begin
          signal_valid_o <= piece_fire_q;
          signal_flag_o  <= piece_flags_q;
        end
      end
      if (step) begin
        take_step();
        piece_q <= 1'b1;
        if (ends) run_q <= 1'b0;
      end
      if (run_valid_i && run_ready_o) begin
        take_run();
        run_q <= 1'b1;
      end
      if (clear_i) begin  // the write that stands at the port is finished
        run_q   <= 1'b0;
        piece_q <= 1'b0;
        signal_valid_o <= 2'd0;
      end
    end
  end

  `PRIM_ASSERT(WritesSomething, !wr_valid_o || wr_mask_o != '0)
  `PRIM_ASSERT(PieceFitsWord, !piece_q || piece_word_offset_q + piece_total_q <= WordBytes)
  `PRIM_ASSERT(PieceFitsLine, !piece_q || piece_line_offset_q + piece_data_q <= LineBytes)

endmodule
