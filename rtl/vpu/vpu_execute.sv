`include "prim_assert.svh"

// The back of the vector unit: gives records to the lanes when their operands are there, and what
// the lanes store to the writer, in the order of records.
//
//   records --(spacing, operands)--> lanes --> out queues --> items --> write
//
// After the last record of a bundle nothing starts for `gap` cycles, so that the bundle's results
// are written when the next one reads. A marker is an empty record behind everything that came
// before a fault of the walk; `marker_done_o` says that all of that is visible.
module vpu_execute #(
  parameter  int Lanes      = 8,
  parameter  int Sublanes   = 2,
  localparam int GroupWidth = Lanes * Sublanes * 32
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,

  input  logic                    record_valid_i,
  output logic                    record_ready_o,
  input  logic                    record_marker_i,
  input  vpu_pkg::record_t        record_fields_i,
  input  logic [191:0]            record_forms_i,

  // Heads of the fetch queues.
  input  logic [3:0]              group_valid_i,
  output logic [3:0]              group_ready_o,

  // Lanes.
  output logic                    issue_o,
  output logic [159:0]            bundle_o,
  output logic [1:0]              thread_o,
  input  logic                    can_store_i,
  input  logic [1:0]              out_valid_i,
  output logic [1:0]              out_ready_o,
  input  logic [2*GroupWidth-1:0] out_group_i,

  // Writer.
  input  vpu_pkg::output_t        out0_i,
  input  vpu_pkg::output_t        out1_i,
  output logic                    item_valid_o,
  input  logic                    item_ready_i,
  output logic                    item_store_o,
  output logic                    item_end_o,
  output vpu_pkg::output_t        item_output_o,
  output logic [95:0]             item_form_o,  // y, x, address
  output logic [GroupWidth-1:0]   item_group_o,
  input  logic                    end_i,

  output logic                    marker_done_o,
  output logic                    idle_o,
  output logic                    moved_o,
  output logic                    held_o  // by an operand or for space
);

  localparam int Records = 32;  // how far the walk may be ahead
  localparam int Items   = 16;

  logic             record_valid;
  logic             marker;
  vpu_pkg::record_t record;
  logic [191:0]     forms;
  logic             pop;
  logic [5:0]       unused_records;

  prim_fifo #(.Width(1 + vpu_pkg::RecordWidth + 192), .Depth(Records)) u_records (
    .clk_i, .rst_ni, .clear_i,
    .limit_i    (6'(Records)),
    .in_valid_i (record_valid_i),
    .in_ready_o (record_ready_o),
    .in_i       ({record_marker_i, record_fields_i, record_forms_i}),
    .out_valid_o(record_valid),
    .out_ready_i(pop),
    .out_o      ({marker, record, forms}),
    .used_o     (unused_records)
  );

  logic [4:0] wait_q;
  logic       has_item;
  logic       items_ready;
  logic       operands_valid;

  assign has_item       = marker || record.ends || record.stores != 2'd0;
  assign operands_valid = marker || ((record.uses & ~group_valid_i) == 4'd0
                                     && (record.stores == 2'd0 || can_store_i));
  assign pop            = record_valid && wait_q == 5'd0 && operands_valid
                          && (!has_item || items_ready) && !clear_i;
  assign issue_o        = pop && !marker;
  assign bundle_o       = record.bundle;
  assign thread_o       = record.thread;
  assign group_ready_o  = issue_o ? record.uses : 4'd0;

  // What is stored, and where instances end.
  logic         item_valid;
  logic         item_marker;
  logic         item_ends;
  logic [1:0]   item_stores;
  logic [191:0] item_forms;
  logic         item_pop;
  logic [4:0]   unused_items;

  prim_fifo #(.Width(196), .Depth(Items)) u_items (
    .clk_i, .rst_ni, .clear_i,
    .limit_i    (5'(Items)),
    .in_valid_i (pop && has_item),
    .in_ready_o (items_ready),
    .in_i       ({marker, record.ends || marker, marker ? 2'd0 : record.stores, forms}),
    .out_valid_o(item_valid),
    .out_ready_i(item_pop),
    .out_o      ({item_marker, item_ends, item_stores, item_forms}),
    .used_o     (unused_items)
  );

  logic       second_q;  // out0 of the item has left
  logic [6:0] ends_q;    // on their way through the writer
  logic       marked_q;  // they are that of the marker: a fault of the walk is in its first batch
  logic       from0;
  logic       from1;
  logic       offer;

  assign from0    = item_stores[0] && !second_q;
  assign from1    = item_stores[1] && !from0;
  assign offer    = item_valid && (!item_valid_o || item_ready_i)
                    && (!from0 || out_valid_i[0]) && (!from1 || out_valid_i[1]) && !clear_i;
  assign item_pop = offer && !(from0 && item_stores[1]);
  assign out_ready_o = {offer && from1, offer && from0};

  assign marker_done_o = end_i && marked_q;
  assign idle_o        = !record_valid && !item_valid && !item_valid_o && ends_q == 7'd0;
  assign moved_o       = pop || offer || wait_q != 5'd0 || (item_valid_o && item_ready_i);
  assign held_o        = record_valid && !pop;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      wait_q       <= 5'd0;
      second_q     <= 1'b0;
      ends_q       <= 7'd0;
      marked_q     <= 1'b0;
      item_valid_o <= 1'b0;
    end else if (record_valid || item_valid || item_valid_o || wait_q != 5'd0 || end_i) begin
      if (issue_o) wait_q <= record.gap;
      else if (wait_q != 5'd0) wait_q <= wait_q - 5'd1;
      if (item_ready_i) item_valid_o <= 1'b0;
      if (offer) begin
        item_valid_o  <= 1'b1;
        item_store_o  <= from0 || from1;
        item_end_o    <= item_ends && item_pop;
        item_output_o <= from1 ? out1_i : out0_i;
        item_form_o   <= from1 ? item_forms[191:96] : item_forms[95:0];
        if (from0) item_group_o <= out_group_i[GroupWidth-1:0];
        if (from1) item_group_o <= out_group_i[2*GroupWidth-1:GroupWidth];
        second_q      <= !item_pop;
        if (item_marker) marked_q <= 1'b1;
      end
      ends_q <= ends_q + 7'(offer && item_ends && item_pop) - 7'(end_i);
    end
  end

  `PRIM_ASSERT(EndIsExpected, !end_i || ends_q != 7'd0)
  `PRIM_ASSERT(MarkerComesAlone, !marked_q || ends_q <= 7'd1)

endmodule
