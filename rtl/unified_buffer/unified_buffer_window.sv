`include "prim_assert.svh"

// Fetches rows from the unified buffer at any multiple of 8 bytes, clipped, in order.
//
//   win --> queue --> word requests --> (a cycle) --> rotate, mask --> row queue --> row
//
// Byte i of a row is the buffer's byte win_addr_i + i where win_begin_i <= i < win_end_i, else byte
// i mod 4 of win_fill_i. Words without a byte inside are not read. Port k of the PortWords word ports
// serves every PortWords-th word, and a row whose words fit the ports takes one cycle when no bank
// conflict delays it; the row shows 3 cycles after its window was accepted, at the earliest.
// A byte outside the buffer: fault_valid_o in the cycle after the window was accepted, and the row is
// all fill.
module unified_buffer_window #(
  parameter  int WordBytes   = 16,  // a power of two, at least 8
  parameter  int RowBytes    = 32,  // a multiple of 8, at most 2048
  parameter  int BufferBytes = 4096,
  parameter  int PortWords   = 1,
  localparam int WordWidth   = WordBytes * 8,
  localparam int RowWidth    = RowBytes * 8,
  localparam int AddrWidth   = $clog2(BufferBytes / WordBytes)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            clear_i,  // drops windows, requests and rows

  input  logic                            win_valid_i,
  output logic                            win_ready_o,
  input  logic [31:0]                     win_addr_i,   // signed
  input  logic [11:0]                   win_begin_i,
  input  logic [11:0]                   win_end_i,    // at most RowBytes
  input  logic [31:0]                     win_fill_i,

  output logic                            row_valid_o,
  input  logic                            row_ready_i,
  output logic [RowWidth-1:0]             row_o,

  output logic                            fault_valid_o,
  output logic [31:0]                     fault_address_o,  // the first byte outside

  output logic [PortWords-1:0]            rd_valid_o,
  output logic [PortWords*AddrWidth-1:0]  rd_addr_o,
  input  logic [PortWords-1:0]            rd_ready_i,
  input  logic [PortWords-1:0]            rd_data_valid_i,
  input  logic [PortWords*WordWidth-1:0]  rd_data_i
);

  localparam int OffsetWidth = $clog2(WordBytes);
  localparam int LineWords   = (RowBytes + WordBytes - 8 + WordBytes - 1) / WordBytes;
  localparam int LineWidth   = LineWords * WordWidth;
  localparam int RowSlots    = 4;  // in flight or waiting: covers the way from request to pop

  // A window on its way: which words of the line that begins at win_addr_i's word hold bytes of it.
  typedef struct packed {
    logic                 empty;  // nothing to read
    logic [AddrWidth-1:0] base;   // word of the row's byte 0, modulo the buffer
    logic [11:0]          offset;  // of byte 0 in its word
    logic [11:0]          first;  // words of the line
    logic [11:0]          last;
    logic [11:0]          first_byte;
    logic [11:0]          end_byte;
    logic [31:0]          fill;
  } window_t;

  // Stage 1: where the window's words lie.
  logic [AddrWidth-1:0] win_word;
  logic [31:0] low_address;
  logic [31:0] high_address;
  logic        win_empty;
  logic        win_outside;
  logic [11:0] win_offset;
  logic [11:0] win_first;
  logic [11:0] win_last;
  window_t     win;
  window_t     head;
  logic        head_valid;
  logic        head_done;
  logic [1:0]  unused_count;

  assign low_address  = win_addr_i + 32'(win_begin_i);
  assign high_address = win_addr_i + 32'(win_end_i) - 32'd1;
  assign win_outside  = (win_begin_i < win_end_i) && (low_address >= 32'(BufferBytes) ||
                                                      high_address >= 32'(BufferBytes));
  assign win_empty    = (win_begin_i >= win_end_i) || win_outside;
  assign win_offset   = 12'(win_addr_i[OffsetWidth-1:0]);
  assign win_word     = win_addr_i[OffsetWidth +: AddrWidth];
  assign win_first    = (win_offset + win_begin_i) >> OffsetWidth;
  assign win_last     = (win_offset + win_end_i - 12'd1) >> OffsetWidth;
  assign win          = {win_empty, win_word, win_offset, win_first, win_last,
                         win_empty ? 24'd0 : {win_begin_i, win_end_i}, win_fill_i};

  prim_fifo #(.Width($bits(win)), .Depth(2)) u_windows (
    .clk_i, .rst_ni, .clear_i,
    .limit_i    (2'd2),
    .in_valid_i (win_valid_i),
    .in_ready_o (win_ready_o),
    .in_i       (win),
    .out_valid_o(head_valid),
    .out_ready_i(head_done),
    .out_o      (head),
    .used_o     (unused_count)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      fault_valid_o <= 1'b0;
    end else if (win_valid_i || fault_valid_o) begin
      fault_valid_o   <= win_valid_i && win_ready_o && win_outside;
      fault_address_o <= (low_address >= 32'(BufferBytes)) ? low_address : 32'(BufferBytes);
    end
  end

  // Stage 2: requests. `cursor_q` counts the words already granted in full groups of PortWords,
  // `granted_q` marks the ports of the group that were granted earlier than the others.
  logic [11:0]          cursor_q;
  logic [PortWords-1:0] granted_q;
  logic [2:0]           slots_q;  // rows requested and not yet taken
  logic                 may_start;
  logic [PortWords-1:0] wanted;
  logic [PortWords-1:0] grant;
  logic                 group_done;
  logic                 row_requested;

  assign may_start = head_valid && (slots_q < 3'(RowSlots)) && !clear_i;
  assign grant     = rd_valid_o & rd_ready_i;

  for (genvar k = 0; k < PortWords; k++) begin : gen_port
    logic [11:0] word;
    assign word                                  = head.first + cursor_q + 12'(k);
    assign wanted[k]                             = !head.empty && (word <= head.last);
    assign rd_valid_o[k]                         = may_start && wanted[k] && !granted_q[k];
    assign rd_addr_o[k*AddrWidth +: AddrWidth] = head.base + AddrWidth'(word);
  end

  assign group_done    = may_start && ((wanted & ~granted_q & ~grant) == '0);
  assign row_requested = group_done &&
                         (head.empty || head.first + cursor_q + 12'(PortWords) > head.last);
  assign head_done     = row_requested;

  // Stage 3: the granted words arrive.
  logic [PortWords-1:0] arriving_q;
  logic                 complete_q;  // with them, the row
  logic [11:0]          arriving_word_q;  // line word of port 0
  logic [11:0]          offset_q;         // of the row that they belong to
  logic [11:0]          first_byte_q;
  logic [11:0]          end_byte_q;
  logic [31:0]          fill_q;

  logic pop;
  assign pop = row_valid_o && row_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      cursor_q   <= '0;
      granted_q  <= '0;
      slots_q    <= '0;
      arriving_q <= '0;
      complete_q <= 1'b0;
    end else if (head_valid || pop || complete_q || arriving_q != '0) begin
      arriving_q <= grant;
      complete_q <= row_requested;
      if (may_start) begin
        arriving_word_q <= head.first + cursor_q;
        offset_q        <= head.offset;
        first_byte_q    <= head.first_byte;
        end_byte_q      <= head.end_byte;
        fill_q          <= head.fill;
        granted_q       <= group_done ? '0 : granted_q | grant;
        if (row_requested) cursor_q <= '0;
        else if (group_done) cursor_q <= cursor_q + 12'(PortWords);
      end
      slots_q <= slots_q + 3'(row_requested) - 3'(pop);
    end
  end

  // Stage 4: rows. The line and the waiting rows are private to the block below, and blocking.
  logic [LineWidth-1:0] line;
  logic [RowWidth-1:0]  rows [0:RowSlots-1];
  logic [1:0]           write_q;
  logic [1:0]           read_q;
  logic [2:0]           waiting_q;  // rows, the one at the output included

  assign row_valid_o = (waiting_q != 3'd0);

  /* verilator lint_off BLKSEQ */
  task automatic collect(input logic [31:0] first_word);
    for (int unsigned k = 0; k < PortWords; k++) begin
      for (int unsigned word = 0; word < LineWords; word++) begin
        if (arriving_q[k] && word == first_word + k) begin
          line[word*WordWidth +: WordWidth] = rd_data_i[k*WordWidth +: WordWidth];
        end
      end
    end
  endtask
  /* verilator lint_on BLKSEQ */

  // The bits of the lane at `lane_byte` that belong to bytes below `bytes`.
  function automatic logic [31:0] below(input logic [31:0] bytes, input logic [31:0] lane_byte);
    logic [31:0] distance;
    distance = bytes - lane_byte;
    below = ($signed(distance) <= 0) ? 32'd0
            : ($signed(distance) >= 4) ? 32'hffff_ffff : ~(32'hffff_ffff << {distance[1:0], 3'd0});
  endfunction

  task automatic clip(inout logic [RowWidth-1:0] row, input logic [31:0] first_byte,
                      input logic [31:0] end_byte, input logic [31:0] fill);
    logic [31:0] kept;
    logic [31:0] begun;
    for (int unsigned lane = 0; lane < RowBytes / 4; lane++) begin
      begun  = below(first_byte, lane * 4);
      kept = below(end_byte, lane * 4);
      kept = kept & ~begun;
      row[lane*32 +: 32] = (row[lane*32 +: 32] & kept) | (fill & ~kept);
    end
  endtask

  task automatic finish_row(input logic to_output);
    logic [RowWidth-1:0] row;
    row = RowWidth'(line >> {offset_q & ~12'd7, 3'd0});
    if (first_byte_q != 12'd0 || end_byte_q != 12'(RowBytes)) begin
      clip(row, 32'(first_byte_q), 32'(end_byte_q), fill_q);
    end
    if (to_output) row_o <= row;
    else rows[write_q] <= row;
  endtask

  logic output_free;  // a row completed in this cycle goes straight to the output
  assign output_free = (waiting_q == 3'(pop));

  always_ff @(posedge clk_i) begin
    if (arriving_q != '0) collect(32'(arriving_word_q));
    if (!rst_ni || clear_i) begin
      write_q   <= '0;
      read_q    <= '0;
      waiting_q <= '0;
    end else if (complete_q || pop) begin
      waiting_q <= waiting_q + 3'(complete_q) - 3'(pop);
      if (complete_q) finish_row(output_free);
      if (complete_q && !output_free) write_q <= write_q + 2'd1;
      if (pop && !output_free) begin
        row_o  <= rows[read_q];
        read_q <= read_q + 2'd1;
      end
    end
  end

  `PRIM_ASSERT(AddressAligned, !win_valid_i || win_addr_i[2:0] == 3'd0)
  `PRIM_ASSERT(EndInsideRow, !win_valid_i || 32'(win_end_i) <= 32'(RowBytes))
  `PRIM_ASSERT(DataComesAfterGrant, rd_data_valid_i == arriving_q)
  `PRIM_ASSERT(SlotForEveryRow, waiting_q <= slots_q)

endmodule
