`include "prim_assert.svh"

// Finds the buffer words of a group: clips its rows, checks them, and lists the words that hold
// what is inside, one list per word port.
//
//   request --> rows (clip, check, join) --> plans --> up to Ports words per cycle --> port queues
//
// A flat group is Sublanes rows that follow one another. Rows that continue each other both in the
// buffer and in the group are joined to one run, so that a dense group of bytes takes no word
// twice. Positions in the group are those of packed elements. Where lanes are spread, a row is one
// element: it lies in a block of WordBytes where its word has it, and with ShareWords rows of one
// word share a block.
//
// The cycle after a request was accepted either `rows_valid_o` shows its rows, or `fault_valid_o`
// its first fault; after a fault nothing is accepted until `clear_i`. Two requests can wait for
// ports.
module vpu_words #(
  parameter  int Lanes           = 8,
  parameter  int Sublanes        = 2,
  parameter  int WordBytes       = 16,
  parameter  int BufferBytes     = 65536,
  parameter  int AccumulatorRows = 64,
  parameter  int Ports           = 2,
  parameter  int QueueWords      = 4,  // of each port
  parameter  int TagWidth        = 4,
  parameter  bit ShareWords      = 1'b1,
  localparam int AddrWidth       = $clog2(BufferBytes / WordBytes),
  localparam int RowsWidth       = Sublanes * 16
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        clear_i,

  input  logic                        group_valid_i,
  output logic                        group_ready_o,
  input  logic [TagWidth-1:0]         group_tag_i,
  input  logic [3:0]                  group_type_i,
  input  logic [1:0]                  group_source_i,
  input  logic                        group_flat_i,
  input  logic [1:0]                  group_spread_i,
  input  logic [31:0]                 group_addr_i,
  input  logic [31:0]                 group_x_i,
  input  logic [31:0]                 group_y_i,
  input  logic [31:0]                 group_addr_step_i,
  input  logic [31:0]                 group_x_step_i,
  input  logic [31:0]                 group_y_step_i,
  input  logic [31:0]                 group_x_limit_i,
  input  logic [31:0]                 group_y_limit_i,
  input  logic                        group_gather_i,
  input  logic [31:0]                 group_gather_base_i,
  input  logic [31:0]                 group_gather_stride_i,
  input  logic [31:0]                 group_gather_limit_i,
  input  logic [Sublanes*32-1:0]      group_index_i,  // of rows whose index can be read

  output logic                        rows_valid_o,
  output logic [15:0]                 rows_words_o,  // buffer words, or accumulator rows
  output logic [Sublanes-1:0]         rows_inside_o,  // rows with any element inside
  output logic [RowsWidth-1:0]        rows_begin_o,  // elements [begin, end) of a row are inside
  output logic [RowsWidth-1:0]        rows_end_o,
  output logic [RowsWidth-1:0]        rows_place_o,  // byte of a spread element in the group
  output logic [Sublanes*32-1:0]      rows_x_o,

  output logic                        fault_valid_o,
  output logic [7:0]                  fault_cause_o,
  output logic [31:0]                 fault_address_o,

  // A word that is wanted: bytes [begin, end) of it, whose byte 0 belongs at `unit` of the group.
  output logic [Ports-1:0]            word_valid_o,
  input  logic [Ports-1:0]            word_ready_i,
  output logic [Ports*AddrWidth-1:0]  word_addr_o,
  output logic [Ports*TagWidth-1:0]   word_tag_o,
  output logic [Ports*16-1:0]         word_unit_o,  // signed, in 32-bit units
  output logic [Ports*12-1:0]         word_begin_o,
  output logic [Ports*12-1:0]         word_end_o
);

  localparam int OffsetWidth = $clog2(WordBytes);
  localparam int Plans       = 2;
  localparam int MetaWidth   = AddrWidth + TagWidth + 16 + 12 + 12;

  localparam logic [31:0] OffsetMask = 32'(WordBytes - 1);

  // Runs of the plans, in place of which they are cut into words. All of this is private to the
  // block at the end, and blocking.
  logic [31:0]          run_word  [0:Plans*Sublanes-1];
  logic [31:0]          run_begin [0:Plans*Sublanes-1];  // byte in the word
  logic [31:0]          run_end   [0:Plans*Sublanes-1];  // byte behind it, from that word on
  logic [31:0]          run_unit  [0:Plans*Sublanes-1];
  logic [31:0]          plan_runs [0:Plans-1];
  logic [TagWidth-1:0]  plan_tag  [0:Plans-1];
  logic [31:0]          plans_q;
  logic [31:0]          plan_q;  // the one that is cut
  logic [31:0]          run_q;
  logic                 stopped_q;

  logic [MetaWidth-1:0] words     [0:Ports*QueueWords-1];
  logic [31:0]          used_q    [0:Ports-1];
  logic [31:0]          read_q    [0:Ports-1];
  logic [31:0]          port_q;  // gets the next word
  logic                 queued_q;

  /* verilator lint_off BLKSEQ */
  /* verilator lint_off UNUSEDSIGNAL */  // indices are whole words of which few bits count

  // Elements [begin, end) of `count` that a bounded coordinate leaves, its first value being `x`.
  task automatic clip(input logic signed [33:0] x, input logic [31:0] count,
                      output logic [31:0] first, output logic [31:0] behind);
    logic signed [33:0] limit;
    limit  = $signed({2'b00, group_x_limit_i}) - x;
    first  = (x >= 34'sd0) ? 32'd0 : (-x > $signed({2'b00, count})) ? count : 32'(-x);
    behind = (limit <= 34'sd0) ? 32'd0 : (limit > $signed({2'b00, count})) ? count : 32'(limit);
  endtask

  task automatic plan();
    logic [31:0]        size, count, rows, target, runs, total, addr, y, begin_element, end_element;
    logic [31:0]        first, bytes, place, index, index_addr, fault_address, high;
    logic [31:0]        before_addr, before_end, before_place, slot;
    logic [7:0]         cause;
    logic signed [33:0] x;
    logic               any, row_inside, share;
    size         = 32'd1 << vpu_type_pkg::size_log2(group_type_i);
    count        = group_spread_i[0] ? 32'd1 : 32'(Lanes);
    rows         = group_spread_i[1] ? 32'd1 : 32'(Sublanes);
    target       = (plan_q + plans_q) & 32'd1;
    runs         = 32'd0;
    total        = 32'd0;
    before_addr  = 32'd0;
    before_end   = 32'd0;
    before_place = 32'd0;
    cause         = isa_pkg::FaultNone;
    fault_address = 32'd0;
    for (int unsigned s = 0; s < Sublanes; s++) begin
      addr  = group_addr_i + s * (group_flat_i ? size * Lanes : group_addr_step_i);
      y     = group_y_i + (group_flat_i ? 32'd0 : s * group_y_step_i);
      index = group_x_i + s * group_x_step_i;
      x     = group_flat_i ? $signed({{2{group_x_i[31]}}, group_x_i}) + $signed(34'(s * Lanes))
                           : $signed({{2{index[31]}}, index});
      row_inside = (s < rows) && !y[31] && (y < group_y_limit_i);
      clip(x, count, begin_element, end_element);

      if (row_inside && group_gather_i) begin
        index      = group_index_i[s*32 +: 32];
        index_addr = group_gather_base_i + (y << 2);
        addr       = addr + index * group_gather_stride_i;
        if (cause == isa_pkg::FaultNone) begin
          fault_address = index_addr;
          if (index_addr[1:0] != 2'd0) cause = isa_pkg::FaultMisaligned;
          else if (index_addr >= 32'(BufferBytes)) cause = isa_pkg::FaultBufferRange;
          else if (index[31] || index >= group_gather_limit_i) begin
            cause         = isa_pkg::FaultGatherIndex;
            fault_address = index;
          end
        end
      end

      any = row_inside && (begin_element < end_element);
      rows_inside_o[s]         <= any;
      rows_begin_o[s*16 +: 16] <= any ? 16'(begin_element) : 16'd0;
      rows_end_o[s*16 +: 16]   <= !any ? 16'd0 : group_spread_i[0] ? 16'(Lanes)
                                                                      : 16'(end_element);
      rows_x_o[s*32 +: 32]     <= 32'(x);

      if (any && group_source_i == isa_pkg::StreamSourceAccumulator[1:0]) begin
        total = total + 32'd1;
        if (cause == isa_pkg::FaultNone && addr >= 32'(2 * AccumulatorRows)) begin
          cause         = isa_pkg::FaultAccumulatorRange;
          fault_address = addr;
        end
      end

      if (any && group_source_i == isa_pkg::StreamSourceBuffer[1:0]) begin
        first = addr + begin_element * size;
        bytes = (end_element - begin_element) * size;
        share = ShareWords && group_spread_i[0] && runs != 32'd0
                && (first >> OffsetWidth) == (before_addr >> OffsetWidth);
        place = !group_spread_i[0] ? (s * Lanes + begin_element) * size
                : ((!ShareWords ? s : share ? runs - 32'd1 : runs) << OffsetWidth)
                  | (first & OffsetMask);
        rows_place_o[s*16 +: 16] <= 16'(place);
        if (cause == isa_pkg::FaultNone) begin
          high = first + bytes - 32'd1;
          if ((addr & ((group_spread_i[0] ? size : size << 3) - 32'd1)) != 32'd0) begin
            cause         = isa_pkg::FaultMisaligned;
            fault_address = group_flat_i ? group_addr_i : addr;
          end else if (first >= 32'(BufferBytes) || high >= 32'(BufferBytes)) begin
            cause         = isa_pkg::FaultBufferRange;
            fault_address = (first >= 32'(BufferBytes)) ? first : 32'(BufferBytes);
          end
        end
        slot = target * Sublanes + runs - 32'd1;
        if (runs != 32'd0 && !group_spread_i[0] && first == before_end
            && place == before_place) begin
          total         = total - ((run_end[slot] + OffsetMask) >> OffsetWidth);
          run_end[slot] = run_end[slot] + bytes;
          total         = total + ((run_end[slot] + OffsetMask) >> OffsetWidth);
        end else if (!share) begin
          slot            = slot + 32'd1;
          run_word[slot]  = first >> OffsetWidth;
          run_begin[slot] = first & OffsetMask;
          run_end[slot]   = (first & OffsetMask) + bytes;
          run_unit[slot]  = 32'($signed(place - (first & OffsetMask)) >>> 2);
          runs            = runs + 32'd1;
          total           = total + ((run_end[slot] + OffsetMask) >> OffsetWidth);
        end else begin
          run_begin[slot] = 32'd0;  // which bytes are wanted does not matter for a whole block
          run_end[slot]   = WordBytes;
        end
        before_addr  = first;
        before_end   = first + bytes;
        before_place = place + bytes;
      end
    end

    if (cause != isa_pkg::FaultNone) begin
      stopped_q       = 1'b1;
      fault_cause_o   <= cause;
      fault_address_o <= fault_address;
    end else if (runs != 32'd0) begin
      plan_runs[target] = runs;
      plan_tag[target]  = group_tag_i;
      plans_q           = plans_q + 32'd1;
    end
    rows_words_o  <= 16'(total);
    rows_valid_o  <= (cause == isa_pkg::FaultNone);
    fault_valid_o <= (cause != isa_pkg::FaultNone);
  endtask

  // The next word of the plan goes to the port whose turn it is.
  task automatic cut_word();
    logic [31:0] run, slot;
    run         = plan_q * Sublanes + run_q;
    slot        = read_q[port_q] + used_q[port_q];
    slot        = (slot >= QueueWords) ? slot - QueueWords : slot;
    words[port_q * QueueWords + slot] =
        {AddrWidth'(run_word[run]), plan_tag[plan_q], 16'(run_unit[run]), 12'(run_begin[run]),
         (run_end[run] > WordBytes) ? 12'(WordBytes) : 12'(run_end[run])};
    used_q[port_q] = used_q[port_q] + 32'd1;
    port_q         = (port_q == Ports - 1) ? 32'd0 : port_q + 32'd1;
    if (run_end[run] > WordBytes) begin
      run_word[run]  = run_word[run] + 32'd1;
      run_unit[run]  = run_unit[run] + 32'(WordBytes / 4);
      run_begin[run] = 32'd0;
      run_end[run]   = run_end[run] - WordBytes;
    end else if (run_q + 32'd1 < plan_runs[plan_q]) begin
      run_q = run_q + 32'd1;
    end else begin
      run_q   = 32'd0;
      plan_q  = plan_q ^ 32'd1;
      plans_q = plans_q - 32'd1;
    end
  endtask

  task automatic offer_words();
    queued_q = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) begin
      word_valid_o[p] <= (used_q[p] != 32'd0);
      if (used_q[p] != 32'd0) begin
        queued_q = 1'b1;
        {word_addr_o[p*AddrWidth +: AddrWidth], word_tag_o[p*TagWidth +: TagWidth],
         word_unit_o[p*16 +: 16], word_begin_o[p*12 +: 12], word_end_o[p*12 +: 12]} <=
            words[p * QueueWords + read_q[p]];
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      plans_q       = 32'd0;
      plan_q        = 32'd0;
      run_q         = 32'd0;
      port_q        = 32'd0;
      stopped_q     = 1'b0;
      queued_q      = 1'b0;
      word_valid_o  <= '0;
      rows_valid_o  <= 1'b0;
      fault_valid_o <= 1'b0;
      group_ready_o <= 1'b1;
      for (int unsigned p = 0; p < Ports; p++) begin
        used_q[p] = 32'd0;
        read_q[p] = 32'd0;
      end
    end else if (group_valid_i || rows_valid_o || fault_valid_o || plans_q != 32'd0
                 || queued_q) begin
      for (int unsigned p = 0; p < Ports; p++) begin
        if (word_valid_o[p] && word_ready_i[p]) begin
          used_q[p] = used_q[p] - 32'd1;
          read_q[p] = (read_q[p] == QueueWords - 1) ? 32'd0 : read_q[p] + 32'd1;
        end
      end
      for (int unsigned k = 0; k < Ports; k++) begin
        if (plans_q != 32'd0 && used_q[port_q] < QueueWords) cut_word();
      end
      rows_valid_o  <= 1'b0;
      fault_valid_o <= 1'b0;
      if (group_valid_i && group_ready_o) plan();
      group_ready_o <= !stopped_q && (plans_q < Plans);
      offer_words();
    end
  end
  /* verilator lint_on UNUSEDSIGNAL */
  /* verilator lint_on BLKSEQ */

  `PRIM_ASSERT(FlatIsNotSpread, !group_valid_i || !group_flat_i || group_spread_i == 2'd0)
  `PRIM_ASSERT(GatherIsNotFlat, !group_valid_i || !group_flat_i || !group_gather_i)

endmodule
