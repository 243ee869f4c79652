`include "prim_rounds.svh"

// Narrows groups to the elements of their type, and cuts words out of them.
//
// A group is packed in the cycle in which it is given, into blocks of the size of a word; a word is
// the bytes of one or two blocks, rotated to its place in the buffer, and stands still until the
// next one of its port. Where lanes are spread, block s is full of element 0 of row s. No reset:
// what is read was written.
module vpu_write_pack #(
  parameter  int Lanes      = 8,
  parameter  int Sublanes   = 2,
  parameter  int WordBytes  = 16,
  parameter  int Ports      = 1,
  parameter  int ItemSlots  = 4,  // a power of two
  localparam int SlotWidth  = $clog2(ItemSlots),
  localparam int WordWidth  = WordBytes * 8,
  localparam int GroupWidth = Lanes * Sublanes * 32
) (
  input  logic                        clk_i,

  input  logic                        pack_i,
  input  logic [SlotWidth-1:0]        pack_slot_i,
  input  logic [3:0]                  pack_type_i,
  input  logic                        pack_spread_i,  // lanes
  input  logic [GroupWidth-1:0]       pack_group_i,

  input  logic [Ports-1:0]            word_i,
  input  logic [Ports*SlotWidth-1:0]  word_slot_i,
  input  logic [Ports*16-1:0]         word_unit_i,  // signed: of the group at the word's unit 0
  input  logic [Ports*12-1:0]         word_begin_i,
  input  logic [Ports*12-1:0]         word_end_i,
  output logic [Ports*WordWidth-1:0]  word_data_o,
  output logic [Ports*WordBytes-1:0]  word_mask_o
);

  localparam int WordUnits = WordBytes / 4;
  localparam int UnitWidth = $clog2(WordUnits);
  localparam int Blocks    = Lanes * Sublanes * 4 / WordBytes;
  localparam int RowBlocks = Lanes * 4 / WordBytes;

  // Blocking and private, as are the words that the tasks work on in place of wide arguments and
  // locals. Loops over lanes write arrays, which assignments with constant places pack.
  logic [WordWidth-1:0]  blocks  [0:ItemSlots*Blocks-1];
  logic [WordWidth-1:0]  block;
  logic [Lanes*32-1:0]   row;
  logic [31:0]           element [0:Lanes-1];
  logic [31:0]           unit    [0:Lanes-1];
  logic [Lanes*32-1:0]   units;
  logic [WordWidth-1:0]  high;
  // verilator lint_off UNUSEDSIGNAL
  logic [2*WordWidth-1:0] both;
  // verilator lint_on UNUSEDSIGNAL

  /* verilator lint_off BLKSEQ */
  /* verilator lint_off UNUSEDSIGNAL */  // indices are whole words of which few bits count

  // Elements of `row`, in the lower ends of their words.
  task automatic narrow();
    logic [31:0] narrowed;
    case ({4'd0, pack_type_i})
      isa_pkg::LaneTypeBf16: for (int unsigned l = 0; l < Lanes; l++) begin
        narrowed   = vpu_type_pkg::narrow_bf16(row[l*32 +: 32]);
        element[l] = narrowed;
      end
      isa_pkg::LaneTypeF16: for (int unsigned l = 0; l < Lanes; l++) begin
        narrowed   = vpu_type_pkg::narrow_f16(row[l*32 +: 32]);
        element[l] = narrowed;
      end
      default: for (int unsigned l = 0; l < Lanes; l++) element[l] = row[l*32 +: 32];
    endcase
  endtask

  // Packs them into units, from unit 0 on.
  task automatic join_elements(input logic [1:0] log2);
    logic [31:0] low, second, third;
    case (log2)
      2'd0: for (int unsigned u = 0; u < Lanes / 4; u++) begin
        low     = element[u*4] & 32'h0000_00ff;
        second  = (element[u*4 + 1] & 32'h0000_00ff) << 8;
        third   = (element[u*4 + 2] & 32'h0000_00ff) << 16;
        unit[u] = (element[u*4 + 3] << 24) | third | second | low;
      end
      2'd1: for (int unsigned u = 0; u < Lanes / 2; u++) begin
        low     = element[u*2] & 32'h0000_ffff;
        unit[u] = (element[u*2 + 1] << 16) | low;
      end
      default: ;
    endcase
  endtask

  task automatic gather_units();
    for (int unsigned i = 0; i < (Lanes + 63) / 64; i++) begin
      for (int unsigned j = 0; j < 8; j++) begin
        for (int unsigned k = 0; k < 8; k++) begin
          if (i*64 + j*8 + k < Lanes) units[(i*64 + j*8 + k)*32 +: 32] = unit[i*64 + j*8 + k];
        end
      end
    end
  endtask

  // Packed row s in `units`. A block holds the bytes of one row or of two.
  task automatic put_row(input logic [1:0] log2, input logic [31:0] index, input logic [31:0] s);
    case (log2)
      2'd0: begin
        block = blocks[index + s * Lanes / WordBytes];
        if (s * Lanes % WordBytes == 32'd0) block[Lanes*8-1:0] = units[Lanes*8-1:0];
        else block[(WordBytes - Lanes)*8 +: Lanes*8] = units[Lanes*8-1:0];
        blocks[index + s * Lanes / WordBytes] = block;
      end
      2'd1: for (int unsigned b = 0; b < RowBlocks / 2; b++) begin
        blocks[index + s * (RowBlocks / 2) + b] = units[b*WordWidth +: WordWidth];
      end
      default: for (int unsigned b = 0; b < RowBlocks; b++) begin
        blocks[index + s * RowBlocks + b] = units[b*WordWidth +: WordWidth];
      end
    endcase
  endtask

  task automatic pack_single(input logic [1:0] log2, input logic [31:0] index);
    logic [31:0] single;
    single = element[0];
    if (log2 == 2'd0) single = {4{single[7:0]}};
    if (log2 == 2'd1) single = {2{single[15:0]}};
    blocks[index] = {WordUnits{single}};
  endtask

  task automatic pack(input logic [31:0] index);
    logic [1:0] log2;
    log2 = vpu_type_pkg::size_log2(pack_type_i);
    for (int unsigned s = 0; s < `PRIM_ROUNDS(Sublanes); s++) begin
      if (s < Sublanes) begin
        row = pack_group_i[s*Lanes*32 +: Lanes*32];
        if (log2 == 2'd2 && !pack_spread_i) begin
          units = row;
          put_row(log2, index, s);
        end else begin
          narrow();
          if (pack_spread_i) begin
            pack_single(log2, index + s);
          end else begin
            join_elements(log2);
            gather_units();
            put_row(log2, index, s);
          end
        end
      end
    end
  endtask

  // Byte 0 of a word may lie before the group; what is outside the group is masked.
  task automatic cut_words();
    logic [31:0]          at, rotation, index;
    logic [WordBytes-1:0] from, to;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (word_i[p]) begin
        at       = 32'($signed(word_unit_i[p*16 +: 16]));
        rotation = at & 32'(WordUnits - 1);
        index    = 32'(word_slot_i[p*SlotWidth +: SlotWidth]) * Blocks
                   + 32'($signed(at) >>> UnitWidth);
        block    = blocks[index];
        if (rotation != 32'd0) begin
          high  = blocks[index + 32'd1];
          both  = {high, block} >> {rotation, 5'd0};
          block = both[WordWidth-1:0];
        end
        word_data_o[p*WordWidth +: WordWidth] <= block;
        from = {WordBytes{1'b1}} << word_begin_i[p*12 +: 12];
        to   = {WordBytes{1'b1}} >> (12'(WordBytes) - word_end_i[p*12 +: 12]);
        word_mask_o[p*WordBytes +: WordBytes] <= from & to;
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (word_i != '0) cut_words();
    if (pack_i) pack(32'(pack_slot_i) * Blocks);
  end
  /* verilator lint_on UNUSEDSIGNAL */
  /* verilator lint_on BLKSEQ */

endmodule
