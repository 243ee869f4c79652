`include "prim_assert.svh"

// Writes the output groups of the vector unit into the unified buffer, in order.
//
//   item --> pack, and words --> rotate, mask --> word ports
//              '--> items in order --> end
//
// An item is narrowed to its type as it is taken, into one of ItemSlots buffers, while the words of
// earlier ones leave, up to WriteWords per cycle. Its first word is offered 3 cycles after the item
// was taken. Interfaces: README.md.
module vpu_write #(
  parameter  int Lanes       = 8,
  parameter  int Sublanes    = 2,
  parameter  int BufferBytes = 65536,
  parameter  int WordBytes   = 16,
  parameter  int WriteWords  = 1,
  localparam int WordWidth   = WordBytes * 8,
  localparam int AddrWidth   = $clog2(BufferBytes / WordBytes),
  localparam int GroupWidth  = Lanes * Sublanes * 32
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             clear_i,

  input  logic                             item_valid_i,
  output logic                             item_ready_o,
  input  logic                             item_store_i,
  input  logic                             item_end_i,
  input  logic [3:0]                       item_type_i,
  input  logic                             item_flat_i,
  input  logic [1:0]                       item_spread_i,
  input  logic [31:0]                      item_addr_i,
  input  logic [31:0]                      item_x_i,
  input  logic [31:0]                      item_y_i,
  input  logic [31:0]                      item_addr_step_i,
  input  logic [31:0]                      item_x_step_i,
  input  logic [31:0]                      item_y_step_i,
  input  logic [31:0]                      item_x_limit_i,
  input  logic [31:0]                      item_y_limit_i,
  input  logic [GroupWidth-1:0]            item_group_i,
  output logic                             end_o,

  output logic                             fault_valid_o,
  output logic [7:0]                       fault_cause_o,
  output logic [63:0]                      fault_address_o,

  output logic [WriteWords-1:0]            wr_valid_o,
  output logic [WriteWords*AddrWidth-1:0]  wr_addr_o,
  output logic [WriteWords*WordWidth-1:0]  wr_data_o,
  output logic [WriteWords*WordBytes-1:0]  wr_mask_o,
  input  logic [WriteWords-1:0]            wr_ready_i
);

  localparam int ItemSlots  = 4;
  localparam int TagWidth   = $clog2(ItemSlots);
  localparam int QueueWords = 2;

  // Items in order. All of this is private to the block below, and blocking.
  logic                item_known  [0:ItemSlots-1];  // its words were counted
  logic                item_ends   [0:ItemSlots-1];
  logic [31:0]         words_left  [0:ItemSlots-1];
  logic [31:0]         used_q;
  logic [31:0]         head_q;
  logic                room_q;
  logic [TagWidth-1:0] tail_q;

  logic                             take;
  logic                             words_ready;
  logic                             rows_valid;
  logic [15:0]                      rows_words;
  logic                             rows_fault;
  logic [31:0]                      fault_address;
  logic [TagWidth-1:0]              rows_tag_q;
  logic [WriteWords-1:0]            word_valid;
  logic [WriteWords-1:0]            word_ready;
  logic [WriteWords*AddrWidth-1:0]  word_addr;
  logic [WriteWords*TagWidth-1:0]   word_tag;
  logic [WriteWords*16-1:0]         word_unit;
  logic [WriteWords*12-1:0]         word_begin;
  logic [WriteWords*12-1:0]         word_end;
  logic [WriteWords*TagWidth-1:0]   wr_tag_q;
  logic [WriteWords-1:0]            written;
  logic [Sublanes-1:0]              unused_inside;
  logic [3*Sublanes*16-1:0]         unused_rows;
  logic [Sublanes*32-1:0]           unused_x;

  assign item_ready_o    = room_q && words_ready;
  assign take            = item_valid_i && item_ready_o;
  assign fault_valid_o   = rows_fault;
  assign fault_address_o = {32'd0, fault_address};
  assign word_ready      = ~wr_valid_o | wr_ready_i;
  assign written         = wr_valid_o & wr_ready_i;

  vpu_words #(
    .Lanes(Lanes), .Sublanes(Sublanes), .WordBytes(WordBytes), .BufferBytes(BufferBytes),
    .Ports(WriteWords), .QueueWords(QueueWords), .TagWidth(TagWidth), .ShareWords(1'b0)
  ) u_words (
    .clk_i, .rst_ni, .clear_i,
    .group_valid_i        (take && item_store_i),
    .group_ready_o        (words_ready),
    .group_tag_i          (tail_q),
    .group_type_i         (item_type_i),
    .group_source_i       (isa_pkg::StreamSourceBuffer[1:0]),
    .group_flat_i         (item_flat_i),
    .group_spread_i       (item_spread_i),
    .group_addr_i         (item_addr_i),
    .group_x_i            (item_x_i),
    .group_y_i            (item_y_i),
    .group_addr_step_i    (item_addr_step_i),
    .group_x_step_i       (item_x_step_i),
    .group_y_step_i       (item_y_step_i),
    .group_x_limit_i      (item_x_limit_i),
    .group_y_limit_i      (item_y_limit_i),
    .group_gather_i       (1'b0),
    .group_gather_base_i  (32'd0),
    .group_gather_stride_i(32'd0),
    .group_gather_limit_i (32'd0),
    .group_index_i        ({Sublanes*32{1'b0}}),
    .rows_valid_o         (rows_valid),
    .rows_words_o         (rows_words),
    .rows_inside_o        (unused_inside),
    .rows_begin_o         (unused_rows[0 +: Sublanes*16]),
    .rows_end_o           (unused_rows[Sublanes*16 +: Sublanes*16]),
    .rows_place_o         (unused_rows[2*Sublanes*16 +: Sublanes*16]),
    .rows_x_o             (unused_x),
    .fault_valid_o        (rows_fault),
    .fault_cause_o,
    .fault_address_o      (fault_address),
    .word_valid_o         (word_valid),
    .word_ready_i         (word_ready),
    .word_addr_o          (word_addr),
    .word_tag_o           (word_tag),
    .word_unit_o          (word_unit),
    .word_begin_o         (word_begin),
    .word_end_o           (word_end)
  );

  vpu_write_pack #(
    .Lanes(Lanes), .Sublanes(Sublanes), .WordBytes(WordBytes), .Ports(WriteWords),
    .ItemSlots(ItemSlots)
  ) u_pack (
    .clk_i,
    .pack_i        (take && item_store_i),
    .pack_slot_i   (tail_q),
    .pack_type_i   (item_type_i),
    .pack_spread_i (item_spread_i[0]),
    .pack_group_i  (item_group_i),
    .word_i        (word_valid & word_ready),
    .word_slot_i   (word_tag),
    .word_unit_i   (word_unit),
    .word_begin_i  (word_begin),
    .word_end_i    (word_end),
    .word_data_o   (wr_data_o),
    .word_mask_o   (wr_mask_o)
  );

  /* verilator lint_off BLKSEQ */
  task automatic take_item();
    item_known[tail_q] = !item_store_i;
    item_ends[tail_q]  = item_end_i;
    words_left[tail_q] = 32'd0;
    rows_tag_q         <= tail_q;
    used_q             = used_q + 32'd1;
  endtask

  task automatic count_words();
    if (rows_valid) begin
      item_known[rows_tag_q] = 1'b1;
      words_left[rows_tag_q] = 32'(rows_words);
    end
    for (int unsigned p = 0; p < WriteWords; p++) begin
      if (written[p]) begin
        words_left[wr_tag_q[p*TagWidth +: TagWidth]] =
            words_left[wr_tag_q[p*TagWidth +: TagWidth]] - 32'd1;
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      used_q     = 32'd0;
      head_q     = 32'd0;
      room_q     <= 1'b1;
      tail_q     <= '0;
      wr_valid_o <= '0;
      end_o      <= 1'b0;
    end else if (item_valid_i || used_q != 32'd0 || end_o) begin
      count_words();
      if (take) take_item();
      end_o <= 1'b0;
      if (used_q != 32'd0 && item_known[head_q[TagWidth-1:0]]
          && words_left[head_q[TagWidth-1:0]] == 32'd0) begin
        end_o  <= item_ends[head_q[TagWidth-1:0]];
        head_q = head_q + 32'd1;
        used_q = used_q - 32'd1;
      end
      room_q <= (used_q < ItemSlots);
      tail_q <= TagWidth'(head_q + used_q);
      for (int unsigned p = 0; p < WriteWords; p++) begin
        if (word_ready[p]) begin
          wr_valid_o[p] <= word_valid[p];
          wr_addr_o[p*AddrWidth +: AddrWidth] <= word_addr[p*AddrWidth +: AddrWidth];
          wr_tag_q[p*TagWidth +: TagWidth]    <= word_tag[p*TagWidth +: TagWidth];
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
