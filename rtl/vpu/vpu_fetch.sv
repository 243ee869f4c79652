`include "prim_assert.svh"

// Fetches the input groups of the vector unit, from the unified buffer, the accumulators, or none.
//
//   req --> queue --> words --> word ports --> groups --> group (a queue per stream)
//            |  index ^ |                       ^
//            '----------'------> drain ---------'
//
// Requests are served in order; the words of several are under way at once. A request of up to
// ReadWords words takes one cycle, others one per ReadWords words; accumulator groups a cycle per
// row, beside the others. A group shows 6 cycles after its request at the earliest. Interfaces:
// README.md.
module vpu_fetch #(
  parameter  int Lanes           = 8,
  parameter  int Sublanes        = 2,
  parameter  int Cols            = 8,  // at most Lanes
  parameter  int MxuCount        = 1,
  parameter  int AccumulatorRows = 64,
  parameter  int BufferBytes     = 65536,
  parameter  int WordBytes       = 16,
  parameter  int ReadWords       = 2,
  localparam int WordWidth       = WordBytes * 8,
  localparam int AddrWidth       = $clog2(BufferBytes / WordBytes),
  localparam int GroupWidth      = Lanes * Sublanes * 32
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            clear_i,

  input  logic                            req_valid_i,
  output logic                            req_ready_o,
  input  logic [1:0]                      req_stream_i,
  input  logic [3:0]                      req_type_i,
  input  logic [1:0]                      req_source_i,
  input  logic [2:0]                      req_unit_i,
  input  logic                            req_flat_i,
  input  logic [1:0]                      req_spread_i,
  input  logic                            req_gather_i,
  input  logic [31:0]                     req_addr_i,
  input  logic [31:0]                     req_x_i,
  input  logic [31:0]                     req_y_i,
  input  logic [31:0]                     req_addr_step_i,
  input  logic [31:0]                     req_x_step_i,
  input  logic [31:0]                     req_y_step_i,
  input  logic [31:0]                     req_x_limit_i,
  input  logic [31:0]                     req_y_limit_i,
  input  logic [31:0]                     req_fill_i,
  input  logic [31:0]                     req_gather_base_i,
  input  logic [31:0]                     req_gather_stride_i,
  input  logic [31:0]                     req_gather_limit_i,

  output logic [3:0]                      group_valid_o,
  input  logic [3:0]                      group_ready_i,
  output logic [4*GroupWidth-1:0]         group_o,

  output logic                            fault_valid_o,
  output logic [7:0]                      fault_cause_o,
  output logic [63:0]                     fault_address_o,

  output logic [ReadWords-1:0]            rd_valid_o,
  output logic [ReadWords*AddrWidth-1:0]  rd_addr_o,
  input  logic [ReadWords-1:0]            rd_ready_i,
  input  logic [ReadWords-1:0]            rd_data_valid_i,
  input  logic [ReadWords*WordWidth-1:0]  rd_data_i,

  output logic [MxuCount-1:0]             drain_valid_o,
  output logic [MxuCount*16-1:0]          drain_row_o,
  input  logic [MxuCount-1:0]             drain_ready_i,
  input  logic [MxuCount-1:0]             drain_data_valid_i,
  input  logic [MxuCount*Cols*32-1:0]     drain_data_i
);

  localparam int QueueRequests = 4;
  localparam int QueueGroups   = 8;  // of each stream, besides the head: a group per cycle takes 7
  localparam int QueueWords    = 4;  // of each word port: a bank conflict holds one port
  localparam int SlotWidth     = $clog2(QueueGroups);
  localparam int TagWidth      = 2 + SlotWidth;
  localparam int UsedWidth     = $clog2(QueueRequests + 1);

  typedef struct packed {
    logic [1:0]  stream;
    logic [3:0]  lane_type;
    logic [1:0]  source;
    logic [2:0]  unit;
    logic        flat;
    logic [1:0]  spread;
    logic        gather;
    logic [31:0] addr;
    logic [31:0] x;
    logic [31:0] y;
    logic [31:0] addr_step;
    logic [31:0] x_step;
    logic [31:0] y_step;
    logic [31:0] x_limit;
    logic [31:0] y_limit;
    logic [31:0] fill;
    logic [31:0] gather_base;
    logic [31:0] gather_stride;
    logic [31:0] gather_limit;
  } request_t;

  request_t             in;
  request_t             head;
  logic                 head_valid;
  logic                 take;
  logic [UsedWidth-1:0] unused_requests;

  assign in = {req_stream_i, req_type_i, req_source_i, req_unit_i, req_flat_i, req_spread_i,
               req_gather_i, req_addr_i, req_x_i, req_y_i, req_addr_step_i, req_x_step_i,
               req_y_step_i, req_x_limit_i, req_y_limit_i, req_fill_i, req_gather_base_i,
               req_gather_stride_i, req_gather_limit_i};

  prim_fifo #(.Width($bits(in)), .Depth(QueueRequests)) u_requests (
    .clk_i, .rst_ni, .clear_i,
    .limit_i    (UsedWidth'(QueueRequests)),
    .in_valid_i (req_valid_i),
    .in_ready_o (req_ready_o),
    .in_i       (in),
    .out_valid_o(head_valid),
    .out_ready_i(take),
    .out_o      (head),
    .used_o     (unused_requests)
  );

  // Indices first.
  logic                   index_done;
  logic [Sublanes*32-1:0] index;
  logic                   index_read;
  logic [AddrWidth-1:0]   index_read_addr;
  logic                   index_arrives;

  vpu_fetch_index #(
    .Sublanes(Sublanes), .WordBytes(WordBytes), .BufferBytes(BufferBytes)
  ) u_index (
    .clk_i, .rst_ni, .clear_i,
    .active_i     (head_valid && head.gather),
    .spread_rows_i(head.spread[1]),
    .y_i          (head.y),
    .y_step_i     (head.y_step),
    .y_limit_i    (head.y_limit),
    .base_i       (head.gather_base),
    .done_o       (index_done),
    .index_o      (index),
    .next_i       (take),
    .rd_valid_o   (index_read),
    .rd_addr_o    (index_read_addr),
    .rd_ready_i   (rd_ready_i[0]),
    .rd_arrives_o (index_arrives),
    .rd_data_i    (rd_data_i[WordWidth-1:0])
  );

  // Then rows and words.
  logic                           words_ready;
  logic                           drain_room;
  logic [3:0]                     room;
  logic [4*SlotWidth-1:0]         tail;
  logic [TagWidth-1:0]            tag;
  logic                           accumulator;
  logic                           rows_valid;
  logic [15:0]                    rows_words;
  logic [Sublanes-1:0]            rows_inside;
  logic [Sublanes*16-1:0]         rows_begin;
  logic [Sublanes*16-1:0]         rows_end;
  logic [Sublanes*16-1:0]         rows_place;
  logic [Sublanes*32-1:0]         rows_x;
  logic [31:0]                    fault_address;
  logic [ReadWords-1:0]           word_valid;
  logic [ReadWords-1:0]           word_ready;
  logic [ReadWords*AddrWidth-1:0] word_addr;
  logic [ReadWords*TagWidth-1:0]  word_tag;
  logic [ReadWords*16-1:0]        word_unit;
  logic [ReadWords*12-1:0]        word_begin;
  logic [ReadWords*12-1:0]        word_end;

  assign tag         = {head.stream, tail[head.stream*SlotWidth +: SlotWidth]};
  assign accumulator = (head.source == isa_pkg::StreamSourceAccumulator[1:0]);
  assign take        = head_valid && words_ready && room[head.stream]
                       && (!head.gather || index_done) && (!accumulator || drain_room);

  vpu_words #(
    .Lanes(Lanes), .Sublanes(Sublanes), .WordBytes(WordBytes), .BufferBytes(BufferBytes),
    .AccumulatorRows(AccumulatorRows), .Ports(ReadWords), .QueueWords(QueueWords),
    .TagWidth(TagWidth)
  ) u_words (
    .clk_i, .rst_ni, .clear_i,
    .group_valid_i        (take),
    .group_ready_o        (words_ready),
    .group_tag_i          (tag),
    .group_type_i         (head.lane_type),
    .group_source_i       (head.source),
    .group_flat_i         (head.flat),
    .group_spread_i       (head.spread),
    .group_addr_i         (head.addr),
    .group_x_i            (head.x),
    .group_y_i            (head.y),
    .group_addr_step_i    (head.addr_step),
    .group_x_step_i       (head.x_step),
    .group_y_step_i       (head.y_step),
    .group_x_limit_i      (head.x_limit),
    .group_y_limit_i      (head.y_limit),
    .group_gather_i       (head.gather),
    .group_gather_base_i  (head.gather_base),
    .group_gather_stride_i(head.gather_stride),
    .group_gather_limit_i (head.gather_limit),
    .group_index_i        (index),
    .rows_valid_o         (rows_valid),
    .rows_words_o         (rows_words),
    .rows_inside_o        (rows_inside),
    .rows_begin_o         (rows_begin),
    .rows_end_o           (rows_end),
    .rows_place_o         (rows_place),
    .rows_x_o             (rows_x),
    .fault_valid_o,
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

  assign fault_address_o = {32'd0, fault_address};

  // Port 0 serves the indices before the words. Nothing is asked for whose data would be dropped.
  for (genvar p = 0; p < ReadWords; p++) begin : gen_port
    if (p == 0) begin : gen_shared
      assign rd_valid_o[p]                       = (index_read || word_valid[p]) && !clear_i;
      assign rd_addr_o[p*AddrWidth +: AddrWidth] =
          index_read ? index_read_addr : word_addr[p*AddrWidth +: AddrWidth];
      assign word_ready[p]                       = rd_ready_i[p] && !index_read;
    end else begin : gen_own
      assign rd_valid_o[p]                       = word_valid[p] && !clear_i;
      assign rd_addr_o[p*AddrWidth +: AddrWidth] = word_addr[p*AddrWidth +: AddrWidth];
      assign word_ready[p]                       = rd_ready_i[p];
    end
  end

  // What goes with the rows, a cycle after the request was taken, and with the data of the words.
  // verilator lint_off UNUSEDSIGNAL
  request_t                      taken_q;
  // verilator lint_on UNUSEDSIGNAL
  logic [TagWidth-1:0]           taken_tag_q;
  logic [ReadWords-1:0]          place_q;
  logic [ReadWords*TagWidth-1:0] place_tag_q;
  logic [ReadWords*16-1:0]       place_unit_q;
  logic [ReadWords*12-1:0]       place_begin_q;
  logic [ReadWords*12-1:0]       place_end_q;

  always_ff @(posedge clk_i) begin
    if (take) begin
      taken_q     <= head;
      taken_tag_q <= tag;
    end
    if (!rst_ni || clear_i) begin
      place_q <= '0;
    end else if (word_valid != '0 || place_q != '0) begin
      place_q       <= word_valid & word_ready;
      place_tag_q   <= word_tag;
      place_unit_q  <= word_unit;
      place_begin_q <= word_begin;
      place_end_q   <= word_end;
    end
  end

  logic                row;
  logic [TagWidth-1:0] row_tag;
  logic [2:0]          row_unit;
  logic [7:0]          row_index;

  vpu_drain #(.Sublanes(Sublanes), .MxuCount(MxuCount), .TagWidth(TagWidth)) u_drain (
    .clk_i, .rst_ni, .clear_i,
    .room_o      (drain_room),
    .group_i     (rows_valid && rows_inside != '0
                  && taken_q.source == isa_pkg::StreamSourceAccumulator[1:0]),
    .group_tag_i (taken_tag_q),
    .group_unit_i(taken_q.unit),
    .group_rows_i(rows_inside),
    .group_addr_i(taken_q.addr[15:0]),
    .group_step_i(taken_q.addr_step[15:0]),
    .row_o       (row),
    .row_tag_o   (row_tag),
    .row_unit_o  (row_unit),
    .row_index_o (row_index),
    .drain_valid_o, .drain_row_o, .drain_ready_i, .drain_data_valid_i
  );

  vpu_fetch_groups #(
    .Lanes(Lanes), .Sublanes(Sublanes), .Cols(Cols), .MxuCount(MxuCount), .WordBytes(WordBytes),
    .Ports(ReadWords), .QueueGroups(QueueGroups)
  ) u_groups (
    .clk_i, .rst_ni, .clear_i,
    .room_o       (room),
    .tail_o       (tail),
    .open_i       (take),
    .open_stream_i(head.stream),
    .rows_valid_i (rows_valid),
    .rows_tag_i   (taken_tag_q),
    .rows_words_i (rows_words),
    .rows_type_i  (taken_q.lane_type),
    .rows_source_i(taken_q.source),
    .rows_spread_i(taken_q.spread),
    .rows_fill_i  (taken_q.fill),
    .rows_begin_i (rows_begin),
    .rows_end_i   (rows_end),
    .rows_place_i (rows_place),
    .rows_x_i     (rows_x),
    .place_i      (place_q),
    .place_tag_i  (place_tag_q),
    .place_unit_i (place_unit_q),
    .place_begin_i(place_begin_q),
    .place_end_i  (place_end_q),
    .place_data_i (rd_data_i),
    .row_i        (row),
    .row_tag_i    (row_tag),
    .row_unit_i   (row_unit),
    .row_index_i  (row_index),
    .row_data_i   (drain_data_i),
    .group_valid_o, .group_ready_i, .group_o
  );

  `PRIM_ASSERT(DataComesAfterGrant, rd_data_valid_i == (place_q | ReadWords'(index_arrives)))

endmodule
