`include "prim_assert.svh"

// Fetches accumulator rows from the MXUs for the vector unit, in order, at up to a row per cycle.
//
// A fetch names an MXU and a row there; it is granted in a cycle (`drain_ready_i`), and its data comes
// in the next. A request is made only where the row queue has a place for its answer. An accumulator
// row is as wide as the MXU; lanes beyond it are zero.
module vpu_drain #(
  parameter  int Lanes    = 16,
  parameter  int Cols     = 16,  // at most Lanes
  parameter  int MxuCount = 1
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         clear_i,  // drops requests and rows

  input  logic                         fetch_valid_i,
  output logic                         fetch_ready_o,
  input  logic [2:0]                   fetch_unit_i,
  input  logic [15:0]                  fetch_row_i,

  output logic                         row_valid_o,
  input  logic                         row_ready_i,
  output logic [Lanes*32-1:0]          row_o,

  output logic [MxuCount-1:0]          drain_valid_o,
  output logic [MxuCount*16-1:0]       drain_row_o,
  input  logic [MxuCount-1:0]          drain_ready_i,
  input  logic [MxuCount-1:0]          drain_data_valid_i,
  input  logic [MxuCount*Cols*32-1:0]  drain_data_i
);

  localparam int RowSlots  = 4;
  localparam int UnitWidth = (MxuCount > 1) ? $clog2(MxuCount) : 1;

  logic [2:0]           slots_q;  // rows granted and not yet taken
  logic                 arriving_q;
  logic [UnitWidth-1:0] unit_q;
  logic [Cols*32-1:0]   data;
  logic                 grant;
  logic                 pop;
  logic                 queue_ready;
  logic [2:0]           unused_count;

  for (genvar m = 0; m < MxuCount; m++) begin : gen_mxu
    assign drain_valid_o[m]        = fetch_valid_i && (fetch_unit_i == 3'(m))
                                     && (slots_q < 3'(RowSlots)) && !clear_i;
    assign drain_row_o[m*16 +: 16] = fetch_row_i;
  end
  assign grant         = ((drain_valid_o & drain_ready_i) != '0);
  assign fetch_ready_o = grant;
  assign pop           = row_valid_o && row_ready_i;

  if (MxuCount > 1) begin : gen_choose
    assign data = drain_data_i[unit_q*Cols*32 +: Cols*32];
  end else begin : gen_only
    logic unused_unit;
    assign unused_unit = unit_q[0];
    assign data        = drain_data_i;
  end

  prim_fifo #(.Width(Lanes*32), .Depth(RowSlots)) u_rows (
    .clk_i, .rst_ni, .clear_i,
    .limit_i    (3'(RowSlots)),
    .in_valid_i (arriving_q),
    .in_ready_o (queue_ready),
    .in_i       ((Lanes*32)'(data)),
    .out_valid_o(row_valid_o),
    .out_ready_i(row_ready_i),
    .out_o      (row_o),
    .used_o     (unused_count)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      slots_q    <= '0;
      arriving_q <= 1'b0;
    end else if (grant || pop || arriving_q) begin
      slots_q    <= slots_q + 3'(grant) - 3'(pop);
      arriving_q <= grant;
      if (grant) unit_q <= fetch_unit_i[UnitWidth-1:0];
    end
  end

  `PRIM_ASSERT(SlotForEveryRow, !arriving_q || queue_ready)
  `PRIM_ASSERT(DataComesAfterGrant, (drain_data_valid_i != '0) == arriving_q)

endmodule
