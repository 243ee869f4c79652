`include "prim_assert.svh"

// Writes rows into the unified buffer through one word port, in order, a word per cycle.
//
//   wr --> queue --> rotate --> words --> word port
//
// Bytes 0 .. wr_bytes_i - 1 of a row go to wr_addr_i and behind it. `done_o` pulses once per row, in
// order, when the row is visible to reads that are granted from that cycle on, also for a row of no
// bytes; `wr_idle_o`: every accepted row is. A byte outside the buffer: `fault_valid_o` for a cycle,
// and nothing of the row is written. A row that lies in one word takes one cycle.
module unified_buffer_writer #(
  parameter  int WordBytes   = 16,    // a power of two, at least 8
  parameter  int RowBytes    = 32,    // a multiple of 8, at most 2048
  parameter  int BufferBytes = 4096,
  parameter  int AlignBytes  = 8,     // every wr_addr_i is a multiple of it: 1, 2, 4 or 8
  localparam int WordWidth   = WordBytes * 8,
  localparam int RowWidth    = RowBytes * 8,
  localparam int AddrWidth   = $clog2(BufferBytes / WordBytes)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,  // drops what was not granted yet

  input  logic                  wr_valid_i,
  output logic                  wr_ready_o,
  input  logic [31:0]           wr_addr_i,
  input  logic [11:0]           wr_bytes_i,  // 0..RowBytes
  input  logic [RowWidth-1:0]   wr_row_i,
  output logic                  wr_idle_o,
  output logic                  done_o,

  output logic                  fault_valid_o,
  output logic [31:0]           fault_address_o,  // the first byte outside

  output logic                  wr_valid_o,
  input  logic                  wr_ready_i,
  output logic [AddrWidth-1:0]  wr_addr_o,
  output logic [WordWidth-1:0]  wr_data_o,
  output logic [WordBytes-1:0]  wr_mask_o
);

  localparam int OffsetWidth = $clog2(WordBytes);
  localparam int LineWords   = (RowBytes + WordBytes - AlignBytes + WordBytes - 1) / WordBytes;
  localparam int LineBytes   = LineWords * WordBytes;

  logic                head_valid;
  logic                head_ready;
  logic [31:0]         head_addr;
  logic [11:0]         head_bytes;
  logic [RowWidth-1:0] head_row;
  logic [19:0]         unused_pad;
  logic [1:0]          unused_count;

  // Padded, so that the row starts at a whole word for the simulator.
  prim_fifo #(.Width(RowWidth + 64), .Depth(2)) u_rows (
    .clk_i, .rst_ni, .clear_i,
    .limit_i    (2'd2),
    .in_valid_i (wr_valid_i),
    .in_ready_o (wr_ready_o),
    .in_i       ({wr_row_i, 20'd0, wr_bytes_i, wr_addr_i}),
    .out_valid_o(head_valid),
    .out_ready_i(head_ready),
    .out_o      ({head_row, unused_pad, head_bytes, head_addr}),
    .used_o     (unused_count)
  );

  // Words of the row that come after the one at the port, moved down one after the other. Private to
  // the clocked block below, and blocking: only the word at the port leaves it.
  logic [LineBytes*8-1:0] rest_q;
  logic [LineBytes-1:0]   rest_mask_q;
  logic                   writing_q;
  logic [11:0]            words_left_q;

  // A row without a word ends a cycle later than it would, behind one that ends in that cycle.
  logic done_pending_q;

  logic [31:0] last_address;
  logic        outside;
  logic        word_done;
  logic        take;
  logic        last_word_done;

  assign last_address   = head_addr + 32'(head_bytes) - 32'd1;
  assign outside        = (head_bytes != 12'd0) && (head_addr >= 32'(BufferBytes) ||
                                                    last_address >= 32'(BufferBytes));
  assign word_done      = writing_q && wr_ready_i;
  assign last_word_done = word_done && (words_left_q == 12'd0);
  assign take           = head_valid && (!writing_q || last_word_done);
  assign head_ready     = take;
  assign wr_valid_o     = writing_q;
  assign wr_idle_o      = !head_valid && !writing_q && !done_pending_q;

  /* verilator lint_off BLKSEQ */
  task automatic next_word();
    wr_data_o   <= rest_q[WordWidth-1:0];
    wr_mask_o   <= rest_mask_q[WordBytes-1:0];
    rest_q      = rest_q >> WordWidth;
    rest_mask_q = rest_mask_q >> WordBytes;
  endtask

  // Rotates the row to its place in the words.
  task automatic place();
    logic [11:0]          offset;
    logic [LineBytes-1:0] mask;
    offset       = 12'(head_addr[OffsetWidth-1:0]) & ~12'(AlignBytes - 1);
    mask         = ~({LineBytes{1'b1}} << head_bytes);
    rest_mask_q  = mask << offset;
    rest_q       = (LineBytes*8)'(head_row) << {offset, 3'd0};
    wr_addr_o    <= head_addr[OffsetWidth +: AddrWidth];
    words_left_q <= (offset + head_bytes - 12'd1) >> OffsetWidth;
    next_word();
  endtask
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      writing_q      <= 1'b0;
      done_pending_q <= 1'b0;
      done_o         <= 1'b0;
      fault_valid_o  <= 1'b0;
    end else if (head_valid || writing_q || done_pending_q || done_o || fault_valid_o) begin
      done_o         <= last_word_done || done_pending_q;
      done_pending_q <= take && (head_bytes == 12'd0 || outside);
      fault_valid_o  <= take && outside;
      if (take) begin
        writing_q       <= (head_bytes != 12'd0) && !outside;
        fault_address_o <= (head_addr >= 32'(BufferBytes)) ? head_addr : 32'(BufferBytes);
        if (head_bytes != 12'd0) place();
      end else if (word_done) begin
        writing_q    <= !last_word_done;
        words_left_q <= words_left_q - 12'd1;
        wr_addr_o    <= wr_addr_o + 1'b1;
        next_word();
      end
    end
  end

  `PRIM_ASSERT(AddressAligned, !wr_valid_i || (wr_addr_i & 32'(AlignBytes - 1)) == 32'd0)
  `PRIM_ASSERT(BytesInsideRow, !wr_valid_i || 32'(wr_bytes_i) <= 32'(RowBytes))

endmodule
