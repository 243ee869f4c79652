`include "prim_assert.svh"

// Cuts the runs of a store at buffer words and at memory lines, reads the words, and gathers the
// pieces of a line into one write.
//
//   step: one piece of a run, in one word and one line -> rd_*, data one cycle later
//   merge: word bytes to their place in the line       -> line_*
//
// One piece per cycle. The line leaves when a piece belongs to another one, and at the end of every
// iteration that raises a signal, and of the instruction: then it carries the signals. A sync
// leaves as an entry without a write.
module dma_store_words #(
  parameter  int LineBytes  = 64,
  parameter  int WordBytes  = 16,
  parameter  int AddrWidth  = 12,
  localparam int LineBits   = LineBytes * 8,
  localparam int WordBits   = WordBytes * 8,
  localparam int LineShift  = $clog2(LineBytes),
  localparam int RunWidth   = dma_pkg::RunWidth
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  output logic                 active_o,

  input  logic                 run_valid_i,
  output logic                 run_ready_o,
  input  logic [RunWidth-1:0]  run_i,

  output logic                 rd_valid_o,
  output logic [AddrWidth-1:0] rd_addr_o,
  input  logic                 rd_ready_i,
  input  logic                 rd_data_valid_i,
  input  logic [WordBits-1:0]  rd_data_i,

  // A line to write (line_moves_o) or the signals of a sync. The partner's ready comes from its
  // registers: rd_valid_o depends on it.
  output logic                 line_valid_o,
  input  logic                 line_ready_i,
  output logic                 line_moves_o,
  output logic [39:0]          line_addr_o,
  output logic [LineBits-1:0]  line_data_o,
  output logic [LineBytes-1:0] line_strobe_o,
  output logic [1:0]           line_fire_o,
  output logic [15:0]          line_flags_o
);

  localparam int NumberWidth = 40 - LineShift;

  /* verilator lint_off UNUSEDSIGNAL */  // stores have no fill and need no fresh lines
  dma_pkg::run_t head;
  /* verilator lint_on UNUSEDSIGNAL */
  assign head = run_i;

  // The rest of the run.
  logic        run_q;
  logic        moves_q;
  logic [39:0] hbm_addr_q;
  logic [31:0] addr_q;         // in the buffer
  logic [31:0] left_q;
  logic        flush_q;
  logic [1:0]  fire_q;
  logic [15:0] flags_q;

  logic [31:0] word_offset;
  logic [31:0] line_offset;
  logic [31:0] word_room;
  logic [31:0] line_room;
  logic [31:0] part;
  logic [31:0] bytes;
  logic        ends;
  logic        step;

  // The piece whose word arrives (`arrives_q`) or waits in `word_q`.
  logic                   piece_q;
  logic                   arrives_q;
  logic                   piece_moves_q;
  logic                   piece_flush_q;
  logic [1:0]             piece_fire_q;
  logic [15:0]            piece_flags_q;
  logic [31:0]            piece_word_offset_q;
  logic [31:0]            piece_line_offset_q;
  logic [31:0]            piece_bytes_q;
  logic [NumberWidth-1:0] piece_number_q;
  logic [WordBits-1:0]    word_q;

  // The line that gathers pieces.
  logic                   open_q;
  logic [NumberWidth-1:0] number_q;
  logic [LineBits-1:0]    data_q;
  logic [LineBytes-1:0]   strobe_q;

  logic        other;      // the piece belongs to another line than the open one
  logic        out_free;
  logic        take_piece;
  logic        piece_free;

  assign word_offset = addr_q % WordBytes;
  assign line_offset = 32'(hbm_addr_q[LineShift-1:0]);
  assign word_room   = WordBytes - word_offset;
  assign line_room   = LineBytes - line_offset;
  assign part        = (word_room < line_room) ? word_room : line_room;
  assign bytes       = (left_q < part) ? left_q : part;
  assign ends        = bytes == left_q;

  assign out_free    = !line_valid_o || line_ready_i;
  assign other       = open_q && (!piece_moves_q || number_q != piece_number_q);
  assign take_piece  = piece_q && (out_free || (!other && !piece_flush_q))
                       && !(other && piece_flush_q);
  assign piece_free  = !piece_q || take_piece;
  assign rd_valid_o  = run_q && moves_q && piece_free;
  assign rd_addr_o   = AddrWidth'(addr_q / WordBytes);
  assign step        = run_q && piece_free && (!moves_q || rd_ready_i);
  assign run_ready_o = !run_q || (step && ends);
  // An open line alone waits for more pieces: it is not work in flight.
  assign active_o    = run_q || piece_q || line_valid_o;

  task automatic take_run();
    moves_q    <= head.moves;
    hbm_addr_q <= head.hbm_addr;
    addr_q     <= head.buffer_addr;
    left_q     <= head.moves ? head.bytes : 32'd0;
    flush_q    <= head.last || head.fire != 2'd0 || !head.moves;
    fire_q     <= head.fire;
    flags_q    <= head.flags;
  endtask

  task automatic take_step();
    piece_moves_q       <= moves_q;
    piece_flush_q       <= ends && flush_q;
    piece_fire_q        <= ends ? fire_q : 2'd0;
    piece_flags_q       <= flags_q;
    piece_word_offset_q <= word_offset;
    piece_line_offset_q <= line_offset;
    piece_bytes_q       <= bytes;
    piece_number_q      <= hbm_addr_q[39:LineShift];
    addr_q              <= addr_q + bytes;
    hbm_addr_q          <= hbm_addr_q + 40'(bytes);
    left_q              <= left_q - bytes;
  endtask

  // Adds the piece to the open line, or opens it; `leave` sends the result on at once.
  task automatic merge(input logic leave);
    /* verilator lint_off UNUSEDSIGNAL */  // the wider of word and line is cut
    logic [WordBits-1:0]  shifted;
    /* verilator lint_on UNUSEDSIGNAL */
    logic [LineBits-1:0]  data;
    logic [LineBits-1:0]  mask;
    logic [LineBytes-1:0] strobe;
    shifted = (arrives_q ? rd_data_i : word_q) >> (piece_word_offset_q * 8);
    data    = LineBits'(shifted) << (piece_line_offset_q * 8);
    strobe  = ~({LineBytes{1'b1}} << piece_bytes_q) << piece_line_offset_q;
    if (open_q && !other) begin
      mask   = ~({LineBits{1'b1}} << (piece_bytes_q * 8)) << (piece_line_offset_q * 8);
      data   = (data_q & ~mask) | (data & mask);
      strobe = strobe_q | strobe;
    end
    if (leave) begin
      line_data_o   <= data;
      line_strobe_o <= strobe;
      line_addr_o   <= {piece_number_q, LineShift'(0)};
    end else begin
      data_q   <= data;
      strobe_q <= strobe;
      number_q <= piece_number_q;
    end
  endtask

  task automatic send_open();
    line_valid_o  <= 1'b1;
    line_moves_o  <= 1'b1;
    line_data_o   <= data_q;
    line_strobe_o <= strobe_q;
    line_addr_o   <= {number_q, LineShift'(0)};
    line_fire_o   <= 2'd0;
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      run_q        <= 1'b0;
      piece_q      <= 1'b0;
      arrives_q    <= 1'b0;
      open_q       <= 1'b0;
      line_valid_o <= 1'b0;
    end else if (run_valid_i || active_o) begin
      if (line_valid_o && line_ready_i) line_valid_o <= 1'b0;
      if (piece_q && other && out_free) begin
        send_open();
        open_q <= 1'b0;
      end
      if (take_piece) begin
        piece_q   <= 1'b0;
        arrives_q <= 1'b0;
        open_q    <= !piece_flush_q;
        if (piece_moves_q) merge(piece_flush_q);
        if (piece_flush_q) begin
          line_valid_o <= 1'b1;
          line_moves_o <= piece_moves_q;
          line_fire_o  <= piece_fire_q;
          line_flags_o <= piece_flags_q;
        end
      end else if (arrives_q) begin
        arrives_q <= 1'b0;
        word_q    <= rd_data_i;
      end
      if (step) begin
        take_step();
        piece_q   <= 1'b1;
        arrives_q <= moves_q;
        if (ends) run_q <= 1'b0;
      end
      if (run_valid_i && run_ready_o) begin
        take_run();
        run_q <= 1'b1;
      end
    end
  end

  `PRIM_ASSERT(WordArrives, !arrives_q || rd_data_valid_i)
  `PRIM_ASSERT(LineHasBytes, !line_valid_o || !line_moves_o || line_strobe_o != '0)
  `PRIM_ASSERT(PieceFitsLine, !piece_q || piece_line_offset_q + piece_bytes_q <= LineBytes)

endmodule
