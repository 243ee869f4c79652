`include "prim_assert.svh"

// Fetches the accumulator rows of groups from the MXUs, in order, at up to a row per cycle.
//
// A row is granted in a cycle (`drain_ready_i`) and its data comes in the next: `row_o` says then
// which row it is. Groups wait in a queue, so that streams from the buffer pass a MXU that holds
// back.
module vpu_drain #(
  parameter int Sublanes = 2,
  parameter int MxuCount = 1,
  parameter int TagWidth = 4
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,

  output logic                    room_o,  // for two groups: there may be one on its way here
  input  logic                    group_i,
  input  logic [TagWidth-1:0]     group_tag_i,
  input  logic [2:0]              group_unit_i,
  input  logic [Sublanes-1:0]     group_rows_i,  // rows to fetch, at least one
  input  logic [15:0]             group_addr_i,
  input  logic [15:0]             group_step_i,

  output logic                    row_o,
  output logic [TagWidth-1:0]     row_tag_o,
  output logic [2:0]              row_unit_o,
  output logic [7:0]              row_index_o,

  output logic [MxuCount-1:0]     drain_valid_o,
  output logic [MxuCount*16-1:0]  drain_row_o,
  input  logic [MxuCount-1:0]     drain_ready_i,
  input  logic [MxuCount-1:0]     drain_data_valid_i
);

  localparam int QueueGroups = 4;
  localparam int UsedWidth   = $clog2(QueueGroups + 1);

  logic                head_valid;
  logic [TagWidth-1:0] head_tag;
  logic [2:0]          head_unit;
  logic [Sublanes-1:0] head_rows;
  logic [15:0]         head_addr;
  logic [15:0]         head_step;
  logic                head_done;
  logic                queue_ready;
  logic [UsedWidth-1:0] used;

  prim_fifo #(.Width(TagWidth + 3 + Sublanes + 32), .Depth(QueueGroups)) u_groups (
    .clk_i, .rst_ni, .clear_i,
    .limit_i    (UsedWidth'(QueueGroups)),
    .in_valid_i (group_i),
    .in_ready_o (queue_ready),
    .in_i       ({group_tag_i, group_unit_i, group_rows_i, group_addr_i, group_step_i}),
    .out_valid_o(head_valid),
    .out_ready_i(head_done),
    .out_o      ({head_tag, head_unit, head_rows, head_addr, head_step}),
    .used_o     (used)
  );

  logic [Sublanes-1:0] fetched_q;  // rows of the head that were granted
  logic [Sublanes-1:0] rows;
  logic [Sublanes-1:0] row;  // the lowest of them
  logic [7:0]          row_index;
  logic [15:0]         row_addr;
  logic                grant;

  always_comb begin
    rows      = head_rows & ~fetched_q;
    row       = rows & (~rows + 1'b1);
    row_index = 8'd0;
    if (head_valid) begin
      for (int unsigned s = 0; s < Sublanes; s++) begin
        if (row[s]) row_index = 8'(s);
      end
    end
    row_addr = head_addr + 16'(row_index) * head_step;
  end

  for (genvar m = 0; m < MxuCount; m++) begin : gen_mxu
    assign drain_valid_o[m]        = head_valid && (head_unit == 3'(m)) && !clear_i;
    assign drain_row_o[m*16 +: 16] = row_addr;
  end
  assign grant     = ((drain_valid_o & drain_ready_i) != '0);
  assign head_done = grant && (rows == row);
  assign room_o    = (32'(used) + 32'd2 <= QueueGroups);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      fetched_q <= '0;
      row_o     <= 1'b0;
    end else if (head_valid || row_o) begin
      row_o <= grant;
      if (grant) begin
        fetched_q   <= head_done ? '0 : fetched_q | row;
        row_tag_o   <= head_tag;
        row_unit_o  <= head_unit;
        row_index_o <= row_index;
      end
    end
  end

  `PRIM_ASSERT(RoomForGroup, !group_i || queue_ready)
  `PRIM_ASSERT(GroupHasRows, !group_i || group_rows_i != '0)
  `PRIM_ASSERT(DataComesAfterGrant, (drain_data_valid_i != '0) == row_o)

endmodule
