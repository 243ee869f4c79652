`include "prim_assert.svh"

// The vector unit: an engine that runs kernels over row groups, fed by streams from the unified
// buffer and from the accumulators of the MXUs.
//
//   queue --> issue --> walk --requests--> fetch --groups--.
//               |         '----- records ------------> execute --> lanes --> write --> buffer
//            retire <------------------- instance visible -------------------'
//
// Ports and meaning: rtl/arch/README.md. Instances leave and become visible in order; the signals
// of an instance are raised in the cycle after it became visible. Inner seams: README.md of this
// folder.
module vpu #(
  parameter  int Lanes           = 8,  // a multiple of 8
  parameter  int Sublanes        = 2,
  parameter  int Cols            = 8,  // of each MXU, at most Lanes
  parameter  int MxuCount        = 1,
  parameter  int AccumulatorRows = 64,
  parameter  int BufferBytes     = 65536,
  parameter  int WordBytes       = 16,
  parameter  int ReadWords       = 2,
  parameter  int WriteWords      = 1,
  parameter  int Stages          = 0,  // registers behind the lanes' arithmetic, at most 3
  localparam int WordWidth       = WordBytes * 8,
  localparam int AddrWidth       = $clog2(BufferBytes / WordBytes),
  localparam int GroupWidth      = Lanes * Sublanes * 32
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic                             launch_i,  // a job starts: no stream is described

  // Engine port.
  input  logic                             instr_valid_i,
  output logic                             instr_ready_o,
  input  logic [2047:0]                    instr_i,
  input  logic [31:0]                      instr_pc_i,
  input  logic [3:0]                       queue_depth_i,
  input  logic [1023:0]                    flags_i,
  input  logic                             abort_i,
  output logic [1:0]                       signal_valid_o,
  output logic [15:0]                      signal_flag_o,
  output logic                             idle_o,
  output logic                             busy_o,
  output logic                             stall_o,
  output logic                             progress_o,
  output logic                             waiting_o,
  output logic [7:0]                       wait_flag_o,
  output logic [31:0]                      pc_o,
  output logic                             fault_valid_o,
  output logic [7:0]                       fault_cause_o,
  output logic [31:0]                      fault_pc_o,
  output logic [63:0]                      fault_address_o,

  // Buffer word ports.
  output logic [ReadWords-1:0]             rd_valid_o,
  output logic [ReadWords*AddrWidth-1:0]   rd_addr_o,
  input  logic [ReadWords-1:0]             rd_ready_i,
  input  logic [ReadWords-1:0]             rd_data_valid_i,
  input  logic [ReadWords*WordWidth-1:0]   rd_data_i,
  output logic [WriteWords-1:0]            wr_valid_o,
  output logic [WriteWords*AddrWidth-1:0]  wr_addr_o,
  output logic [WriteWords*WordWidth-1:0]  wr_data_o,
  output logic [WriteWords*WordBytes-1:0]  wr_mask_o,
  input  logic [WriteWords-1:0]            wr_ready_i,

  // Drain ports.
  output logic [MxuCount-1:0]              drain_valid_o,
  output logic [MxuCount*16-1:0]           drain_row_o,
  input  logic [MxuCount-1:0]              drain_ready_i,
  input  logic [MxuCount-1:0]              drain_data_valid_i,
  input  logic [MxuCount*Cols*32-1:0]      drain_data_i
);

  localparam int InstancesInFlight = 64;  // more than batches, records and items can hold

  logic stopped_q;  // by a fault, until the abort that follows
  logic clear;

  assign clear = abort_i || stopped_q || fault_valid_o;

  // Queue.
  logic          instr_valid;
  logic          instr_done;
  logic [2047:0] instr;
  logic [31:0]   pc;
  logic [3:0]    unused_queued;

  prim_fifo #(.Width(2080), .Depth(8)) u_queue (
    .clk_i, .rst_ni,
    .clear_i    (clear),
    .limit_i    (queue_depth_i),
    .in_valid_i (instr_valid_i),
    .in_ready_o (instr_ready_o),
    .in_i       ({instr_pc_i, instr_i}),
    .out_valid_o(instr_valid),
    .out_ready_i(instr_done),
    .out_o      ({pc, instr}),
    .used_o     (unused_queued)
  );

  // Fields of other units' interest stay unread here.
  // verilator lint_off UNUSEDSIGNAL
  isa_pkg::vector_t fields;
  // verilator lint_on UNUSEDSIGNAL
  assign fields = instr[isa_pkg::VectorWords*32-1:0];

  // Issue.
  logic        load;
  logic        load_done;
  logic        describe;
  logic        start;
  logic        step;
  logic [2:0]  carry;
  logic        capture;
  logic [1:0]  capture_bank;
  logic [1:0]  capture_thread;
  logic        retire_push;
  logic        retire_ready;
  logic [1:0]  push_signals;
  logic        batch_valid;
  logic        batch_ready;
  logic [2:0]  batch_count;
  logic        batch_prologue;
  logic        bank_release;
  logic        all_retired;
  logic        walk_idle;
  logic        execute_idle;
  logic        issue_moved;
  logic        issue_fault;
  logic [7:0]  issue_cause;

  vpu_issue #(.MxuCount(MxuCount)) u_issue (
    .clk_i, .rst_ni,
    .clear_i         (clear),
    .instr_valid_i   (instr_valid),
    .instr_done_o    (instr_done),
    .instr_i         (instr),
    .flags_i,
    .all_retired_i   (all_retired),
    .load_o          (load),
    .load_done_i     (load_done),
    .describe_o      (describe),
    .start_o         (start),
    .step_o          (step),
    .carry_o         (carry),
    .capture_o       (capture),
    .capture_bank_o  (capture_bank),
    .capture_thread_o(capture_thread),
    .retire_valid_o  (retire_push),
    .retire_ready_i  (retire_ready),
    .retire_signals_o(push_signals),
    .batch_valid_o   (batch_valid),
    .batch_ready_i   (batch_ready),
    .batch_count_o   (batch_count),
    .batch_prologue_o(batch_prologue),
    .bank_release_i  (bank_release),
    .rest_idle_i     (walk_idle && execute_idle),
    .moved_o         (issue_moved),
    .waiting_o,
    .wait_flag_o,
    .fault_valid_o   (issue_fault),
    .fault_cause_o   (issue_cause)
  );

  // Kernel and constant memory.
  logic         bundle_read;
  logic [8:0]   bundle_addr;
  logic [159:0] bundle_data;
  logic         constant_write;
  logic [9:0]   constant_addr;
  logic [31:0]  constant_data;

  vpu_kernel_memory u_kernel_memory (
    .clk_i, .rst_ni,
    .clear_i         (clear),
    .load_i          (load),
    .instr_i         (instr),
    .done_o          (load_done),
    .read_i          (bundle_read),
    .read_addr_i     (bundle_addr),
    .read_data_o     (bundle_data),
    .constant_write_o(constant_write),
    .constant_addr_o (constant_addr),
    .constant_data_o (constant_data)
  );

  // Walk, with the streams' descriptions and addresses.
  logic              advance;
  logic [5:0]        loops_ended;
  logic              loop_again;
  logic [2:0]        loop_index;
  logic              request;
  logic [1:0]        request_stream;
  logic              record;
  logic [1:0]        form_bank;
  logic [1:0]        form_thread;
  logic [4:0]        request_step;
  logic [4:0]        out0_step;
  logic [4:0]        out1_step;
  logic [5:0]        described;
  logic [191:0]      groups_limits;
  logic              walk_between;
  logic              walk_moved;
  logic              walk_faulted;
  logic              walk_fault;  // and all before it is through
  logic [7:0]        walk_cause;
  logic [31:0]       walk_address;
  logic              step_valid;
  logic              step_ready;
  vpu_pkg::step_t    step_bundle;
  logic              req_valid;
  logic              req_ready;
  vpu_pkg::request_t req;
  logic              record_valid;
  logic              record_ready;
  logic              record_marker;
  vpu_pkg::record_t  record_fields;
  logic [191:0]      record_forms;
  logic              records_idle;
  logic              records_moved;
  vpu_pkg::output_t  out0;
  vpu_pkg::output_t  out1;

  vpu_streams u_streams (
    .clk_i, .rst_ni,
    .launch_i,
    .instr_i         (fields),
    .describe_i      (describe),
    .start_i         (start),
    .capture_i       (capture),
    .capture_bank_i  (capture_bank),
    .capture_thread_i(capture_thread),
    .step_i          (step),
    .carry_i         (carry),
    .advance_i       (advance),
    .loops_ended_i   (loops_ended),
    .loop_again_i    (loop_again),
    .loop_index_i    (loop_index),
    .form_bank_i     (form_bank),
    .form_thread_i   (form_thread),
    .request_i       (request),
    .request_stream_i(request_stream),
    .request_step_i  (request_step),
    .request_o       (req),
    .record_i        (record),
    .out0_step_i     (out0_step),
    .out1_step_i     (out1_step),
    .record_forms_o  (record_forms),
    .described_o     (described),
    .groups_limits_o (groups_limits),
    .out0_o          (out0),
    .out1_o          (out1)
  );

  vpu_walk u_walk (
    .clk_i, .rst_ni,
    .clear_i         (clear),
    .instr_i         (fields),
    .batch_valid_i   (batch_valid),
    .batch_ready_o   (batch_ready),
    .batch_count_i   (batch_count),
    .batch_prologue_i(batch_prologue),
    .read_o          (bundle_read),
    .read_addr_o     (bundle_addr),
    .bundle_i        (bundle_data),
    .described_i     (described),
    .groups_limits_i (groups_limits),
    .advance_o       (advance),
    .loops_ended_o   (loops_ended),
    .loop_again_o    (loop_again),
    .loop_index_o    (loop_index),
    .step_valid_o    (step_valid),
    .step_ready_i    (step_ready),
    .step_o          (step_bundle),
    .idle_o          (walk_between),
    .moved_o         (walk_moved),
    .faulted_o       (walk_faulted),
    .fault_cause_o   (walk_cause),
    .fault_address_o (walk_address)
  );

  vpu_records u_records (
    .clk_i, .rst_ni,
    .clear_i         (clear),
    .step_valid_i    (step_valid),
    .step_ready_o    (step_ready),
    .step_i          (step_bundle),
    .bank_release_o  (bank_release),
    .marker_i        (walk_faulted),
    .form_bank_o     (form_bank),
    .form_thread_o   (form_thread),
    .request_o       (request),
    .request_stream_o(request_stream),
    .request_step_o  (request_step),
    .record_o        (record),
    .out0_step_o     (out0_step),
    .out1_step_o     (out1_step),
    .req_valid_o     (req_valid),
    .req_ready_i     (req_ready),
    .record_valid_o  (record_valid),
    .record_ready_i  (record_ready),
    .record_marker_o (record_marker),
    .record_fields_o (record_fields),
    .idle_o          (records_idle),
    .moved_o         (records_moved)
  );
  assign walk_idle = walk_between && records_idle;

  logic [3:0]              group_valid;
  logic [3:0]              group_ready;
  logic [4*GroupWidth-1:0] group;
  logic                    fetch_fault;
  logic [7:0]              fetch_cause;
  logic [63:0]             fetch_address;

  vpu_fetch #(
    .Lanes(Lanes), .Sublanes(Sublanes), .Cols(Cols), .MxuCount(MxuCount),
    .AccumulatorRows(AccumulatorRows), .BufferBytes(BufferBytes), .WordBytes(WordBytes),
    .ReadWords(ReadWords)
  ) u_fetch (
    .clk_i, .rst_ni,
    .clear_i            (clear),
    .req_valid_i        (req_valid),
    .req_ready_o        (req_ready),
    .req_stream_i       (req.stream),
    .req_type_i         (req.lane_type),
    .req_source_i       (req.source),
    .req_unit_i         (req.unit),
    .req_flat_i         (req.flat),
    .req_spread_i       (req.spread),
    .req_gather_i       (req.gather),
    .req_addr_i         (req.addr),
    .req_x_i            (req.x),
    .req_y_i            (req.y),
    .req_addr_step_i    (req.addr_step),
    .req_x_step_i       (req.x_step),
    .req_y_step_i       (req.y_step),
    .req_x_limit_i      (req.x_limit),
    .req_y_limit_i      (req.y_limit),
    .req_fill_i         (req.fill),
    .req_gather_base_i  (req.gather_base),
    .req_gather_stride_i(req.gather_stride),
    .req_gather_limit_i (req.gather_limit),
    .group_valid_o      (group_valid),
    .group_ready_i      (group_ready),
    .group_o            (group),
    .fault_valid_o      (fetch_fault),
    .fault_cause_o      (fetch_cause),
    .fault_address_o    (fetch_address),
    .rd_valid_o, .rd_addr_o, .rd_ready_i, .rd_data_valid_i, .rd_data_i,
    .drain_valid_o, .drain_row_o, .drain_ready_i, .drain_data_valid_i, .drain_data_i
  );

  // Execute.
  logic                    issue;
  logic [159:0]            issue_bundle;
  logic [1:0]              issue_thread;
  logic                    can_store;
  logic [1:0]              out_valid;
  logic [1:0]              out_ready;
  logic [2*GroupWidth-1:0] out_group;
  logic                    item_valid;
  logic                    item_ready;
  logic                    item_store;
  logic                    item_end;
  vpu_pkg::output_t        item_output;
  logic [95:0]             item_form;  // {y, x, addr}
  logic [GroupWidth-1:0]   item_group;
  logic                    ended;
  logic                    execute_moved;
  logic                    execute_held;

  vpu_execute #(.Lanes(Lanes), .Sublanes(Sublanes)) u_execute (
    .clk_i, .rst_ni,
    .clear_i        (clear),
    .record_valid_i (record_valid),
    .record_ready_o (record_ready),
    .record_marker_i(record_marker),
    .record_fields_i(record_fields),
    .record_forms_i (record_forms),
    .group_valid_i  (group_valid),
    .group_ready_o  (group_ready),
    .issue_o        (issue),
    .bundle_o       (issue_bundle),
    .thread_o       (issue_thread),
    .can_store_i    (can_store),
    .out_valid_i    (out_valid),
    .out_ready_o    (out_ready),
    .out_group_i    (out_group),
    .out0_i         (out0),
    .out1_i         (out1),
    .item_valid_o   (item_valid),
    .item_ready_i   (item_ready),
    .item_store_o   (item_store),
    .item_end_o     (item_end),
    .item_output_o  (item_output),
    .item_form_o    (item_form),
    .item_group_o   (item_group),
    .end_i          (ended),
    .marker_done_o  (walk_fault),
    .idle_o         (execute_idle),
    .moved_o        (execute_moved),
    .held_o         (execute_held)
  );

  vpu_lanes #(.Lanes(Lanes), .Sublanes(Sublanes), .Stages(Stages)) u_lanes (
    .clk_i, .rst_ni,
    .clear_i         (clear),
    .issue_i         (issue),
    .bundle_i        (issue_bundle),
    .thread_i        (issue_thread),
    .constant_base_i (fields.constant_base[9:0]),
    .scalars_i       (fields.scalars),
    .group_i         (group),
    .out_valid_o     (out_valid),
    .out_ready_i     (out_ready),
    .out_group_o     (out_group),
    .can_store_o     (can_store),
    .constant_write_i(constant_write),
    .constant_addr_i (constant_addr),
    .constant_data_i (constant_data)
  );

  logic        write_fault;
  logic [7:0]  write_cause;
  logic [63:0] write_address;

  vpu_write #(
    .Lanes(Lanes), .Sublanes(Sublanes), .BufferBytes(BufferBytes), .WordBytes(WordBytes),
    .WriteWords(WriteWords)
  ) u_write (
    .clk_i, .rst_ni,
    .clear_i         (clear),
    .item_valid_i    (item_valid),
    .item_ready_o    (item_ready),
    .item_store_i    (item_store),
    .item_end_i      (item_end),
    .item_type_i     (item_output.lane_type),
    .item_flat_i     (item_output.flat),
    .item_spread_i   (item_output.spread),
    .item_addr_i     (item_form[31:0]),
    .item_x_i        (item_form[63:32]),
    .item_y_i        (item_form[95:64]),
    .item_addr_step_i(item_output.addr_step),
    .item_x_step_i   (item_output.x_step),
    .item_y_step_i   (item_output.y_step),
    .item_x_limit_i  (item_output.x_limit),
    .item_y_limit_i  (item_output.y_limit),
    .item_group_i    (item_group),
    .end_o           (ended),
    .fault_valid_o   (write_fault),
    .fault_cause_o   (write_cause),
    .fault_address_o (write_address),
    .wr_valid_o, .wr_addr_o, .wr_data_o, .wr_mask_o, .wr_ready_i
  );

  // Signals wait here, in order, for the instance that raises them to be visible.
  logic       retire_valid;
  logic [1:0] retire_signals;
  logic [6:0] unused_retiring;

  prim_fifo #(.Width(2), .Depth(InstancesInFlight)) u_retire (
    .clk_i, .rst_ni,
    .clear_i    (clear),
    .limit_i    (7'(InstancesInFlight)),
    .in_valid_i (retire_push),
    .in_ready_o (retire_ready),
    .in_i       (push_signals),
    .out_valid_o(retire_valid),
    .out_ready_i(ended && !walk_fault),
    .out_o      (retire_signals),
    .used_o     (unused_retiring)
  );

  logic [1:0] raise_now;  // by an instruction without instances
  assign raise_now   = instr_done && (fields.opcode != isa_pkg::OpVector)
                       ? {fields.signal1_valid, fields.signal0_valid} : 2'b00;
  assign all_retired = !retire_valid && walk_idle && execute_idle;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear) begin
      signal_valid_o <= 2'b00;
      fault_valid_o  <= 1'b0;
      stopped_q      <= rst_ni && !abort_i;
    end else if (instr_valid || signal_valid_o != 2'b00) begin
      signal_valid_o <= (ended && !walk_fault) ? retire_signals : raise_now;
      signal_flag_o  <= {fields.signal1_flag, fields.signal0_flag};
      if (issue_fault || write_fault || fetch_fault || walk_fault) begin
        fault_valid_o <= 1'b1;
        fault_pc_o    <= pc;
        fault_cause_o <= issue_fault ? issue_cause : write_fault ? write_cause
                         : fetch_fault ? fetch_cause : walk_cause;
        fault_address_o <= issue_fault ? 64'd0 : write_fault ? write_address
                           : fetch_fault ? fetch_address : {32'd0, walk_address};
      end
    end
  end

  assign pc_o       = pc;
  assign idle_o     = !instr_valid && signal_valid_o == 2'b00 && !stopped_q && !fault_valid_o;
  assign progress_o = issue_moved || walk_moved || records_moved || execute_moved || ended || instr_done;
  assign stall_o    = !idle_o && !progress_o && (waiting_o || execute_held);
  assign busy_o     = !idle_o && !stall_o;

  `PRIM_ASSERT(EndHasInstance, !ended || retire_valid || clear)

endmodule
