`include "prim_assert.svh"

// The record stage: sends a bundle to execution once per instance of its batch, and requests the
// groups that it reads, in the order in which execution takes them. One request per cycle, and with
// the last request of an instance its record; so an instance takes max(1, input streams named)
// cycles.
module vpu_records (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,

  input  logic              step_valid_i,
  output logic              step_ready_o,
  input  vpu_pkg::step_t    step_i,
  output logic              bank_release_o,  // the batch needs its bank no more

  input  logic              marker_i,  // the walk stands; a marker follows the last record

  // To the streams, which put the fields of requests and records beside their valid signals.
  output logic [1:0]        form_bank_o,
  output logic [1:0]        form_thread_o,
  output logic              request_o,
  output logic [1:0]        request_stream_o,
  output logic [4:0]        request_step_o,
  output logic              record_o,
  output logic [4:0]        out0_step_o,
  output logic [4:0]        out1_step_o,

  output logic              req_valid_o,
  input  logic              req_ready_i,

  output logic              record_valid_o,
  input  logic              record_ready_i,
  output logic              record_marker_o,
  output vpu_pkg::record_t  record_fields_o,

  output logic              idle_o,
  output logic              moved_o
);

  logic           valid_q;
  vpu_pkg::step_t step_q;
  logic [3:0]     pending_q;  // streams that the instance in hand has yet to request
  logic [1:0]     thread_q;
  logic [1:0]     bank_q;
  logic           marked_q;

  // verilator lint_off UNUSEDSIGNAL
  isa_pkg::bundle_t bundle;
  // verilator lint_on UNUSEDSIGNAL
  assign bundle = step_q.bundle;

  logic [3:0] left;  // after the request of this cycle
  logic       go;
  logic       final_thread;
  logic       done;  // with the bundle
  logic       record_free;
  logic       mark;

  assign left         = pending_q & (pending_q - 4'd1);
  assign record_free  = !record_valid_o || record_ready_i;
  assign go           = valid_q && !clear_i
                        && (pending_q == 4'd0 || !req_valid_o || req_ready_i)
                        && (left != 4'd0 || record_free);
  assign final_thread = ({1'b0, thread_q} + 3'd1 == step_q.count);
  assign done         = go && left == 4'd0 && final_thread;
  assign mark         = marker_i && !marked_q && !valid_q && record_free;

  assign step_ready_o   = !valid_q || done;
  assign bank_release_o = done && step_q.leaves;

  assign form_bank_o      = bank_q;
  assign form_thread_o    = thread_q;
  assign request_o        = go && pending_q != 4'd0;
  assign request_stream_o = pending_q[0] ? 2'd0 : pending_q[1] ? 2'd1 : pending_q[2] ? 2'd2 : 2'd3;
  assign request_step_o   = step_q.a_inputs[request_stream_o] ? bundle.a_step : bundle.b_step;
  assign record_o         = go && left == 4'd0;
  assign out0_step_o      = step_q.a_outputs[0] ? bundle.a_step : bundle.b_step;
  assign out1_step_o      = step_q.a_outputs[1] ? bundle.a_step : bundle.b_step;

  assign idle_o  = !valid_q && !req_valid_o && !record_valid_o;
  assign moved_o = go;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      valid_q        <= 1'b0;
      req_valid_o    <= 1'b0;
      record_valid_o <= 1'b0;
      marked_q       <= 1'b0;
      bank_q         <= 2'd0;
    end else if (step_valid_i || valid_q || req_valid_o || record_valid_o || marker_i) begin
      if (req_ready_i) req_valid_o <= 1'b0;
      if (record_ready_i) record_valid_o <= 1'b0;
      if (request_o) req_valid_o <= 1'b1;
      if (record_o || mark) begin
        record_valid_o  <= 1'b1;
        record_marker_o <= mark;
        record_fields_o <= {step_q.uses, step_q.stores, step_q.leaves && !step_q.prologue,
                            final_thread ? step_q.gap : 5'd0, thread_q, step_q.bundle};
      end
      if (mark) marked_q <= 1'b1;
      if (go) pending_q <= (left == 4'd0) ? step_q.uses : left;
      if (record_o) thread_q <= thread_q + 2'd1;
      if (bank_release_o) bank_q <= bank_q + 2'd1;
      if (step_ready_o) begin
        valid_q <= step_valid_i;
        if (step_valid_i) begin
          step_q    <= step_i;
          pending_q <= step_i.uses;
          thread_q  <= 2'd0;
        end
      end
    end
  end

  `PRIM_ASSERT(CountInRange, !valid_q || (step_q.count != 3'd0 && step_q.count <= 3'd4))

endmodule
