`include "prim_assert.svh"

// The back of the vector unit: takes a record and its operand rows, runs the steps of the instruction
// on them, one per cycle, and offers the result to the row writer.
//
//   record, rows --> load --> steps (max(1, op_count) cycles) --> convert --> wr
//
// The next row is loaded while the last step of a row runs, and a result leaves while the next row's
// first step runs: a row takes max(1, op_count) cycles. A record of no elements passes through
// in order without work and is offered to the writer with no bytes.
module vpu_execute #(
  parameter int Lanes = 16
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,

  input  logic [2047:0]        instr_i,  // held until its records have left

  input  logic                 record_valid_i,
  output logic                 record_ready_o,
  input  logic [8:0]           record_count_i,
  input  logic [31:0]          record_addr_i,
  input  logic [11:0]          record_bytes_i,

  input  logic                 x_valid_i,
  output logic                 x_ready_o,
  input  logic [Lanes*32-1:0]  x_row_i,
  input  logic                 drain_valid_i,
  output logic                 drain_ready_o,
  input  logic [Lanes*32-1:0]  drain_row_i,
  input  logic                 y_valid_i,
  output logic                 y_ready_o,
  input  logic [Lanes*32-1:0]  y_row_i,
  input  logic                 z_valid_i,
  output logic                 z_ready_o,
  input  logic [Lanes*32-1:0]  z_row_i,

  output logic                 wr_valid_o,
  input  logic                 wr_ready_i,
  output logic [31:0]          wr_addr_o,
  output logic [11:0]          wr_bytes_o,
  output logic [Lanes*32-1:0]  wr_row_o,

  output logic                 active_o  // moves a row or has one to offer
);

  // Fields of other units' interest stay unread here.
  // verilator lint_off UNUSEDSIGNAL
  isa_pkg::vector_t instr;
  // verilator lint_on UNUSEDSIGNAL
  assign instr = instr_i;

  typedef struct packed {
    logic [8:0]  count;
    logic [31:0] addr;
    logic [11:0] bytes;
  } record_t;

  record_t     record;
  logic        record_valid;
  logic        load;  // the record and its rows
  logic [3:0]  unused_count;

  prim_fifo #(.Width(53), .Depth(8)) u_records (
    .clk_i, .rst_ni, .clear_i,
    .limit_i    (4'd8),
    .in_valid_i (record_valid_i),
    .in_ready_o (record_ready_o),
    .in_i       ({record_count_i, record_addr_i, record_bytes_i}),
    .out_valid_o(record_valid),
    .out_ready_i(load),
    .out_o      (record),
    .used_o     (unused_count)
  );

  record_t    loaded_q;  // the row in the operand registers
  logic       loaded_valid_q;
  logic [3:0] step_q;
  record_t    result_q;  // the row whose steps are done
  logic       result_valid_q;

  logic from_buffer;
  logic from_accumulator;
  logic operands_valid;
  logic step;
  logic last_step;
  logic convert;
  logic record_works;
  logic loaded_works;

  assign record_works     = (record.count != 9'd0);
  assign loaded_works     = (loaded_q.count != 9'd0);
  assign from_buffer      = ({6'd0, instr.x_source} == isa_pkg::XSourceBuffer);
  assign from_accumulator = ({6'd0, instr.x_source} == isa_pkg::XSourceAccumulator);
  assign operands_valid   = !record_works
                            || ((!from_buffer || x_valid_i) && (!from_accumulator || drain_valid_i)
                                && (!instr.y_used || y_valid_i) && (!instr.z_used || z_valid_i));

  assign convert   = result_valid_q && (!wr_valid_o || wr_ready_i);
  assign step      = loaded_valid_q && (step_q != 4'd0 || !result_valid_q || convert);
  assign last_step = step && (!loaded_works || step_q + 4'd1 >= instr.op_count);
  assign load      = record_valid && operands_valid && (!loaded_valid_q || last_step);

  // The operand rows of a record are taken together.
  assign x_ready_o     = load && record_works && from_buffer;
  assign drain_ready_o = load && record_works && from_accumulator;
  assign y_ready_o     = load && record_works && instr.y_used;
  assign z_ready_o     = load && record_works && instr.z_used;
  assign active_o      = loaded_valid_q || result_valid_q || wr_valid_o || load;

  vpu_lanes #(.Lanes(Lanes)) u_lanes (
    .clk_i,
    .load_i         (load && record_works),
    .x_source_i     (instr.x_source),
    .x_type_i       (instr.x_type),
    .y_type_i       (instr.y_type),
    .z_type_i       (instr.z_type),
    .y_used_i       (instr.y_used),
    .z_used_i       (instr.z_used),
    .y_splat_i      (instr.y_splat),
    .z_splat_i      (instr.z_splat),
    .x_row_i,
    .x_drain_i      (drain_row_i),
    .y_row_i,
    .z_row_i,
    .step_i         (step && loaded_works),
    .step_first_i   (step_q == 4'd0),
    .step_pass_i    (instr.op_count == 4'd0),
    .op_i           (instr.ops[{step_q[2:0], 5'd0} +: 8]),
    .operand_i      (instr.ops[{step_q[2:0], 5'd8} +: 4]),
    .immediates_i   (instr.immediates),
    .convert_i      (convert && result_q.count != 9'd0),
    .out_type_i     (instr.out_type),
    .convert_count_i(result_q.count),
    .row_o          (wr_row_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      loaded_valid_q <= 1'b0;
      result_valid_q <= 1'b0;
      wr_valid_o     <= 1'b0;
      step_q         <= 4'd0;
    end else if (record_valid || loaded_valid_q || result_valid_q || wr_valid_o) begin
      if (convert) begin
        wr_addr_o  <= result_q.addr;
        wr_bytes_o <= result_q.bytes;
      end
      wr_valid_o <= convert || (wr_valid_o && !wr_ready_i);
      if (last_step) result_q <= loaded_q;
      result_valid_q <= last_step || (result_valid_q && !convert);
      if (step) step_q <= last_step ? 4'd0 : step_q + 4'd1;
      if (load) loaded_q <= record;
      loaded_valid_q <= load || (loaded_valid_q && !last_step);
    end
  end

  `PRIM_ASSERT(StepInRange, 32'(step_q) < isa_pkg::VectorOps)

endmodule
