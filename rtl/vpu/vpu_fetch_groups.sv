`include "prim_assert.svh"
`include "prim_rounds.svh"

// Collects the words of groups and makes 32-bit lanes of them: a queue of QueueGroups groups per
// stream, as packed elements, whose heads are widened into `group_o`.
//
//   open --> rows --> words, accumulator rows --> head complete --> widen, spread, fill
//
// A group gets the next place of its stream's queue when it is opened (`tail_o`, while `room_o`);
// its rows follow a cycle later, its words after them. A head is widened in the cycle after its
// last word was placed, if `group_o` is free or taken in that cycle.
module vpu_fetch_groups #(
  parameter  int Lanes       = 8,
  parameter  int Sublanes    = 2,
  parameter  int Cols        = 8,
  parameter  int MxuCount    = 1,
  parameter  int WordBytes   = 16,
  parameter  int Ports       = 2,
  parameter  int QueueGroups = 4,  // a power of two, at least 2
  localparam int SlotWidth   = $clog2(QueueGroups),
  localparam int TagWidth    = 2 + SlotWidth,
  localparam int WordWidth   = WordBytes * 8,
  localparam int RowsWidth   = Sublanes * 16,
  localparam int GroupWidth  = Lanes * Sublanes * 32
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        clear_i,

  output logic [3:0]                  room_o,
  output logic [4*SlotWidth-1:0]      tail_o,
  input  logic                        open_i,
  input  logic [1:0]                  open_stream_i,

  input  logic                        rows_valid_i,
  input  logic [TagWidth-1:0]         rows_tag_i,
  input  logic [15:0]                 rows_words_i,
  input  logic [3:0]                  rows_type_i,
  input  logic [1:0]                  rows_source_i,
  input  logic [1:0]                  rows_spread_i,
  input  logic [31:0]                 rows_fill_i,
  input  logic [RowsWidth-1:0]        rows_begin_i,
  input  logic [RowsWidth-1:0]        rows_end_i,
  input  logic [RowsWidth-1:0]        rows_place_i,
  input  logic [Sublanes*32-1:0]      rows_x_i,

  input  logic [Ports-1:0]            place_i,
  input  logic [Ports*TagWidth-1:0]   place_tag_i,
  input  logic [Ports*16-1:0]         place_unit_i,
  input  logic [Ports*12-1:0]         place_begin_i,
  input  logic [Ports*12-1:0]         place_end_i,
  input  logic [Ports*WordWidth-1:0]  place_data_i,

  input  logic                        row_i,
  input  logic [TagWidth-1:0]         row_tag_i,
  input  logic [2:0]                  row_unit_i,
  input  logic [7:0]                  row_index_i,
  input  logic [MxuCount*Cols*32-1:0] row_data_i,

  output logic [3:0]                  group_valid_o,
  input  logic [3:0]                  group_ready_i,
  output logic [4*GroupWidth-1:0]     group_o
);

  localparam int Slots     = 4 * QueueGroups;
  localparam int WordUnits = WordBytes / 4;
  localparam int UnitWidth = $clog2(WordUnits);
  localparam int Elements  = Lanes * Sublanes;
  localparam int Blocks    = Elements * 4 / WordBytes;
  localparam int RowBlocks = Lanes * 4 / WordBytes;

  // Private to the block at the end, and blocking. A group is Blocks blocks of the size of a word.
  logic [WordWidth-1:0]              blocks        [0:Slots*Blocks-1];
  logic [31:0]                       words_left    [0:Slots-1];
  logic                              rows_known    [0:Slots-1];
  logic [3:0]                        lane_type     [0:Slots-1];
  logic                              iota          [0:Slots-1];
  logic [1:0]                        spread        [0:Slots-1];
  logic [31:0]                       fill          [0:Slots-1];
  logic [RowsWidth-1:0]              row_begin     [0:Slots-1];
  logic [RowsWidth-1:0]              row_end       [0:Slots-1];
  logic [RowsWidth-1:0]              row_place     [0:Slots-1];
  logic [Sublanes*32-1:0]            row_x         [0:Slots-1];
  logic [31:0]                       used_q        [0:3];
  logic [31:0]                       head_q        [0:3];
  logic                              waiting_q;  // a queue holds a group

  // What the tasks below work on, in place of wide arguments and locals, which the simulator would
  // clear in every cycle. Nothing here is kept from one cycle to the next. Loops over lanes write
  // arrays of 32-bit words, which are packed by assignments with constant places (loops of up to 8
  // rounds).
  logic [WordWidth-1:0]   arrived [0:Ports-1];
  logic [WordWidth-1:0]   word;
  // verilator lint_off UNUSEDSIGNAL
  logic [2*WordWidth-1:0] twice;
  // verilator lint_on UNUSEDSIGNAL
  logic [WordWidth-1:0]   block;
  logic [31:0]            unit    [0:WordUnits-1];
  logic [31:0]            lane    [0:Lanes-1];
  logic [Lanes*32-1:0]    row;
  logic [Lanes*8-1:0]     bytes;
  logic [3:0]             head_type;
  logic [1:0]             head_log2;
  logic                   head_iota;
  logic [1:0]             head_spread;
  logic [31:0]            head_fill;
  logic [RowsWidth-1:0]   head_begin;
  logic [RowsWidth-1:0]   head_end;
  logic [RowsWidth-1:0]   head_place;
  logic [Sublanes*32-1:0] head_x;

  /* verilator lint_off BLKSEQ */
  /* verilator lint_off UNUSEDSIGNAL */  // indices are whole words of which few bits count

  // Units [first, behind) of `word` replace those of a block; the bounds may lie outside it.
  task automatic merge(input logic [31:0] index, input logic signed [31:0] first,
                       input logic signed [31:0] behind);
    if (first <= 0 && behind >= WordUnits) begin
      blocks[index] = word;
    end else if (first < WordUnits && behind > 0) begin
      block = blocks[index];
      for (int unsigned u = 0; u < WordUnits; u++) begin
        unit[u] = (u - first < behind - first) ? word[u*32 +: 32] : block[u*32 +: 32];
      end
      for (int unsigned i = 0; i < (WordUnits + 63) / 64; i++) begin
        for (int unsigned j = 0; j < 8; j++) begin
          for (int unsigned k = 0; k < 8; k++) begin
            if (i*64 + j*8 + k < WordUnits) block[(i*64 + j*8 + k)*32 +: 32] = unit[i*64 + j*8 + k];
          end
        end
      end
      blocks[index] = block;
    end
  endtask

  // A word is rotated to its place in the group, and belongs to at most two blocks.
  task automatic place_words();
    logic [31:0] slot, at, rotation, first, behind, index;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (place_i[p]) arrived[p] = place_data_i[p*WordWidth +: WordWidth];
    end
    for (int unsigned p = 0; p < `PRIM_ROUNDS(Ports); p++) begin
      if (p < Ports && place_i[p]) begin
        slot     = 32'(place_tag_i[p*TagWidth +: TagWidth]);
        at       = 32'($signed(place_unit_i[p*16 +: 16]));
        rotation = at & 32'(WordUnits - 1);
        first    = rotation + (32'(place_begin_i[p*12 +: 12]) >> 2);
        behind   = rotation + ((32'(place_end_i[p*12 +: 12]) + 32'd3) >> 2);
        index    = slot * Blocks + 32'($signed(at) >>> UnitWidth);
        word     = arrived[p];
        if (rotation != 32'd0) begin
          twice = {word, word} >> {32'(WordUnits) - rotation, 5'd0};
          word  = twice[WordWidth-1:0];
        end
        merge(index, first, behind);
        merge(index + 32'd1, first - WordUnits, behind - WordUnits);
        words_left[slot] = words_left[slot] - 32'd1;
      end
    end
  endtask

  task automatic place_row();
    logic [31:0] slot, from, index;
    slot  = 32'(row_tag_i);
    from  = 32'(row_unit_i) * Cols * 32;
    index = slot * Blocks + 32'(row_index_i) * RowBlocks;
    row   = (Lanes*32)'(row_data_i[from +: Cols*32]);
    for (int unsigned b = 0; b < RowBlocks; b++) blocks[index + b] = row[b*WordWidth +: WordWidth];
    words_left[slot] = words_left[slot] - 32'd1;
  endtask

  // The blocks that hold row s, from block `first` of the group on.
  task automatic take_row(input logic [31:0] slot, input logic [31:0] first);
    for (int unsigned b = 0; b < RowBlocks; b++) begin
      row[b*WordWidth +: WordWidth] = blocks[slot * Blocks + first + b];
    end
  endtask

  task automatic count_up(input logic [31:0] first, input logic [31:0] step);
    for (int unsigned l = 0; l < Lanes; l++) lane[l] = first + l * step;
  endtask

  // Elements at the upper end of their lanes. A block holds the bytes of one row or of two.
  task automatic unpack(input logic [31:0] s);
    logic [31:0] packed_unit;
    case (head_log2)
      2'd0: begin
        if (s * Lanes % WordBytes == 32'd0) bytes = row[Lanes*8-1:0];
        else bytes = row[(WordBytes - Lanes)*8 +: Lanes*8];
        for (int unsigned u = 0; u < Lanes / 4; u++) begin
          packed_unit   = bytes[u*32 +: 32];
          lane[u*4]     = packed_unit << 24;
          lane[u*4 + 1] = (packed_unit << 16) & 32'hff00_0000;
          lane[u*4 + 2] = (packed_unit << 8) & 32'hff00_0000;
          lane[u*4 + 3] = packed_unit & 32'hff00_0000;
        end
      end
      2'd1: for (int unsigned u = 0; u < Lanes / 2; u++) begin
        packed_unit   = row[u*32 +: 32];
        lane[u*2]     = packed_unit << 16;
        lane[u*2 + 1] = packed_unit & 32'hffff_0000;
      end
      default: for (int unsigned l = 0; l < Lanes; l++) lane[l] = row[l*32 +: 32];
    endcase
  endtask

  task automatic convert();
    logic [31:0] element;
    case ({4'd0, head_type})
      isa_pkg::LaneTypeF16: for (int unsigned l = 0; l < Lanes; l++) begin
        element = vpu_type_pkg::widen_f16(lane[l]);
        lane[l] = element;
      end
      isa_pkg::LaneTypeS8: for (int unsigned l = 0; l < Lanes; l++) begin
        lane[l] = $signed(lane[l]) >>> 24;
      end
      isa_pkg::LaneTypeU8: for (int unsigned l = 0; l < Lanes; l++) lane[l] = lane[l] >> 24;
      isa_pkg::LaneTypeS16: for (int unsigned l = 0; l < Lanes; l++) begin
        lane[l] = $signed(lane[l]) >>> 16;
      end
      isa_pkg::LaneTypeU16: for (int unsigned l = 0; l < Lanes; l++) lane[l] = lane[l] >> 16;
      default: ;
    endcase
  endtask

  task automatic fill_outside(input logic [31:0] first, input logic [31:0] behind);
    for (int unsigned l = 0; l < Lanes; l++) begin
      lane[l] = (l - first < behind - first) ? lane[l] : head_fill;
    end
  endtask

  task automatic pack_row();
    for (int unsigned i = 0; i < (Lanes + 63) / 64; i++) begin
      for (int unsigned j = 0; j < 8; j++) begin
        for (int unsigned k = 0; k < 8; k++) begin
          if (i*64 + j*8 + k < Lanes) row[(i*64 + j*8 + k)*32 +: 32] = lane[i*64 + j*8 + k];
        end
      end
    end
  endtask

  // Row s of the head at `slot`, in `row`.
  task automatic widen(input logic [31:0] slot, input logic [31:0] s);
    logic [31:0] first, behind, place, element;
    first  = 32'(head_begin[s*16 +: 16]);
    behind = 32'(head_end[s*16 +: 16]);
    place  = head_spread[0] ? 32'(head_place[s*16 +: 16]) : (s * Lanes) << head_log2;
    take_row(slot, place / WordBytes);
    if (head_iota || head_spread[0] || head_log2 != 2'd2 || behind - first != Lanes) begin
      if (head_iota) begin
        count_up(head_x[s*32 +: 32], head_spread[0] ? 32'd0 : 32'd1);
      end else begin
        if (head_spread[0]) begin
          block   = row[WordWidth-1:0];
          element = block[{place[UnitWidth+1:2], 5'd0} +: 32] >> {place[1:0], 3'd0};
          count_up(element << ((head_log2 == 2'd0) ? 32'd24 : (head_log2 == 2'd1) ? 32'd16 : 32'd0),
                   32'd0);
        end else begin
          unpack(s);
        end
        convert();
      end
      if (behind - first != Lanes) fill_outside(first, behind);
      pack_row();
    end
  endtask

  task automatic take_head(input logic [31:0] slot);
    head_type   = lane_type[slot];
    head_log2   = vpu_type_pkg::size_log2(head_type);
    head_iota   = iota[slot];
    head_spread = spread[slot];
    head_fill   = fill[slot];
    head_begin  = row_begin[slot];
    head_end    = row_end[slot];
    head_place  = row_place[slot];
    head_x      = row_x[slot];
  endtask

  // The head of each stream's queue, if it is complete and the stream's output is free.
  task automatic offer_groups();
    logic [31:0] slot;
    group_valid_o <= group_valid_o & ~group_ready_i;
    for (int unsigned q = 0; q < `PRIM_ROUNDS(4); q++) begin
      if (q < 4) begin
        slot = q * QueueGroups + head_q[q & 3];
        if (rows_known[slot] && words_left[slot] == 32'd0
            && (!group_valid_o[q & 3] || group_ready_i[q & 3])) begin
          take_head(slot);
          for (int unsigned s = 0; s < `PRIM_ROUNDS(Sublanes); s++) begin
            if (s < Sublanes) begin
              if (s == 0 || !head_spread[1]) widen(slot, s);
              group_o[(q*Sublanes + s)*Lanes*32 +: Lanes*32] <= row;
            end
          end
          group_valid_o[q & 3] <= 1'b1;
          rows_known[slot] = 1'b0;
          used_q[q & 3]    = used_q[q & 3] - 32'd1;
          head_q[q & 3]    = (head_q[q & 3] + 32'd1) & 32'(QueueGroups - 1);
        end
      end
    end
  endtask

  task automatic open_group();
    used_q[open_stream_i] = used_q[open_stream_i] + 32'd1;
  endtask

  task automatic know_rows();
    words_left[rows_tag_i] = 32'(rows_words_i);
    rows_known[rows_tag_i] = 1'b1;
    lane_type[rows_tag_i]  = (rows_source_i == isa_pkg::StreamSourceAccumulator[1:0])
                             ? isa_pkg::LaneTypeU32[3:0] : rows_type_i;
    iota[rows_tag_i]       = (rows_source_i == isa_pkg::StreamSourceIota[1:0]);
    spread[rows_tag_i]     = rows_spread_i;
    fill[rows_tag_i]       = rows_fill_i;
    row_begin[rows_tag_i]  = rows_begin_i;
    row_end[rows_tag_i]    = rows_end_i;
    row_place[rows_tag_i]  = rows_place_i;
    row_x[rows_tag_i]      = rows_x_i;
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      group_valid_o <= '0;
      room_o        <= '1;
      tail_o        <= '0;
      waiting_q     = 1'b0;
      for (int unsigned q = 0; q < 4; q++) begin
        used_q[q] = 32'd0;
        head_q[q] = 32'd0;
      end
      for (int unsigned i = 0; i < Slots; i++) rows_known[i] = 1'b0;
    end else if (open_i || waiting_q || group_valid_o != '0) begin
      offer_groups();
      if (rows_valid_i) know_rows();
      if (open_i) open_group();
      if (place_i != '0) place_words();
      if (row_i) place_row();
      waiting_q = 1'b0;
      for (int unsigned q = 0; q < 4; q++) begin
        room_o[q] <= (used_q[q] < QueueGroups);
        tail_o[q*SlotWidth +: SlotWidth] <= SlotWidth'(head_q[q] + used_q[q]);
        if (used_q[q] != 32'd0) waiting_q = 1'b1;
      end
    end
  end
  /* verilator lint_on UNUSEDSIGNAL */
  /* verilator lint_on BLKSEQ */

  `PRIM_ASSERT(RoomForGroup, !open_i || room_o[open_stream_i] || clear_i)

endmodule
