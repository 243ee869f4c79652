// The descriptions of the six streams, and the linear forms (address, x, y) that say where a group
// lies.
//
//   form = part of the instance (loops outside the kernel)
//          + part of the kernel's loops + step * stride
//
// There is no multiplier but that of the step. `parts` holds, as prim_loop_address does, the value
// at the indices of loops 0..l with all loops inside at 0; an instance is captured from it into the
// bank of its batch. The kernel's loops are kept as one contribution each, so that loops may end in
// any order. `advance_i` hands a bundle to the record stage: it freezes the kernel's part for the
// requests and records that follow, then applies the loops that end behind the bundle.
module vpu_streams (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              launch_i,
  input  logic [1535:0]     instr_i,  // stream and vector have 48 words each

  input  logic              describe_i,  // instr_i is `stream`
  input  logic              start_i,     // instr_i is `vector`: its first instance

  // Instances; a step may come with the capture of the instance before it.
  input  logic              capture_i,
  input  logic [1:0]        capture_bank_i,
  input  logic [1:0]        capture_thread_i,
  input  logic              step_i,
  input  logic [2:0]        carry_i,

  // Bundles.
  input  logic              advance_i,
  input  logic [5:0]        loops_ended_i,
  input  logic              loop_again_i,  // loop `loop_index_i` takes another turn
  input  logic [2:0]        loop_index_i,

  // Requests and records; results one cycle later, until the next.
  input  logic [1:0]        form_bank_i,
  input  logic [1:0]        form_thread_i,
  input  logic              request_i,
  input  logic [1:0]        request_stream_i,
  input  logic [4:0]        request_step_i,
  output vpu_pkg::request_t request_o,
  input  logic              record_i,
  input  logic [4:0]        out0_step_i,
  input  logic [4:0]        out1_step_i,
  output logic [191:0]      record_forms_o,  // y, x, address of out1, then of out0

  output logic [5:0]        described_o,
  output logic [191:0]      groups_limits_o,
  output vpu_pkg::output_t  out0_o,
  output vpu_pkg::output_t  out1_o
);

  localparam int Streams   = isa_pkg::InputStreams + isa_pkg::OutputStreams;
  localparam int Forms     = 3 * Streams;  // form 3*q + 0: address, 1: x, 2: y
  localparam int Loops     = isa_pkg::Loops;
  localparam int Instances = 4 * isa_pkg::VectorThreads;

  // Fields of other units' interest stay unread here.
  // verilator lint_off UNUSEDSIGNAL
  isa_pkg::stream_t stream;
  isa_pkg::vector_t vector;
  // verilator lint_on UNUSEDSIGNAL
  assign stream = instr_i;
  assign vector = instr_i;

  // Private to the clocked block below and blocking, so that its loops stay loops.
  logic [31:0] strides   [0:Forms*8-1];        // of loops 0..5, step, sublane
  logic [31:0] bases     [0:Forms-1];          // of x and y
  logic [31:0] parts     [0:Forms*Loops-1];
  logic [31:0] instances [0:Instances*Forms-1];
  logic [31:0] turns     [0:Forms*Loops-1];    // contributions of the kernel's loops
  logic [31:0] sums      [0:Forms-1];          // of the contributions, now
  logic [31:0] frozen    [0:Forms-1];          // of the contributions, for the bundle in hand
  logic [31:0] kinds     [0:Streams-1];        // type, source, unit, flat, spread, gather
  logic [31:0] limits    [0:Streams*2-1];      // of x and y
  logic [31:0] fills     [0:Streams-1];
  logic [31:0] gathers   [0:Streams*3-1];      // base, stride, limit

  /* verilator lint_off BLKSEQ */
  task automatic describe(input logic [31:0] q);
    for (int unsigned i = 0; i < 8; i++) begin
      strides[(q*3)*8 + i]     = stream.strides[i*32 +: 32];
      strides[(q*3 + 1)*8 + i] = stream.x_steps[i*32 +: 32];
      strides[(q*3 + 2)*8 + i] = stream.y_steps[i*32 +: 32];
    end
    bases[q*3 + 1]   = stream.x_base;
    bases[q*3 + 2]   = stream.y_base;
    kinds[q]         = instr_i[12*32 +: 32];
    limits[q*2]      = stream.x_limit;
    limits[q*2 + 1]  = stream.y_limit;
    fills[q]         = stream.fill;
    gathers[q*3]     = stream.gather_base;
    gathers[q*3 + 1] = stream.gather_stride;
    gathers[q*3 + 2] = stream.gather_limit;
  endtask

  task automatic start();
    logic [31:0] base;
    for (int unsigned form = 0; form < Forms; form++) begin
      base = (form % 3 == 0) ? vector.bases[(form/3)*32 +: 32] : bases[form];
      for (int unsigned loop = 0; loop < Loops; loop++) begin
        parts[form*Loops + loop] = base;
        turns[form*Loops + loop] = 32'd0;
      end
      sums[form] = 32'd0;
    end
  endtask

  task automatic capture(input logic [31:0] instance_index);
    for (int unsigned form = 0; form < Forms; form++) begin
      instances[instance_index*Forms + form] = parts[form*Loops + Loops - 1];
    end
  endtask

  task automatic step(input logic [31:0] carry);
    logic [31:0] next;
    for (int unsigned form = 0; form < Forms; form++) begin
      next = 32'd0;
      for (int unsigned loop = 0; loop < Loops; loop++) begin
        if (loop == carry) next = parts[form*Loops + loop] + strides[form*8 + loop];
        if (loop >= carry) parts[form*Loops + loop] = next;
      end
    end
  endtask

  task automatic advance(input logic [31:0] again);
    for (int unsigned form = 0; form < Forms; form++) frozen[form] = sums[form];
    for (int unsigned loop = 0; loop < Loops; loop++) begin
      if (loops_ended_i[loop]) begin
        for (int unsigned form = 0; form < Forms; form++) begin
          sums[form]               = sums[form] - turns[form*Loops + loop];
          turns[form*Loops + loop] = 32'd0;
        end
      end
    end
    for (int unsigned loop = 0; loop < Loops; loop++) begin
      if (loop_again_i && loop == again) begin
        for (int unsigned form = 0; form < Forms; form++) begin
          turns[form*Loops + loop] = turns[form*Loops + loop] + strides[form*8 + loop];
          sums[form]               = sums[form] + strides[form*8 + loop];
        end
      end
    end
  endtask

  function automatic logic [31:0] value(input logic [31:0] instance_index,
                                        input logic [31:0] form, input logic [4:0] steps);
    value = instances[instance_index*Forms + form] + frozen[form]
            + 32'(steps) * strides[form*8 + 6];
  endfunction

  task automatic request(input logic [31:0] who, input logic [31:0] q);
    // verilator lint_off UNUSEDSIGNAL
    logic [31:0] kind;  // as word 12 of the instruction
    // verilator lint_on UNUSEDSIGNAL
    kind = kinds[q];
    request_o <= {q[1:0], kind[7:4], kind[9:8], kind[14:12], kind[16], kind[21:20], kind[24],
                  gathers[q*3 + 2], gathers[q*3 + 1], gathers[q*3], fills[q],
                  limits[q*2 + 1], limits[q*2],
                  strides[(q*3 + 2)*8 + 7], strides[(q*3 + 1)*8 + 7], strides[(q*3)*8 + 7],
                  value(who, q*3 + 2, request_step_i), value(who, q*3 + 1, request_step_i),
                  value(who, q*3, request_step_i)};
  endtask

  task automatic record(input logic [31:0] who);
    record_forms_o <= {value(who, 17, out1_step_i), value(who, 16, out1_step_i),
                       value(who, 15, out1_step_i), value(who, 14, out0_step_i),
                       value(who, 13, out0_step_i), value(who, 12, out0_step_i)};
  endtask
  /* verilator lint_on BLKSEQ */

  logic [31:0] who;
  assign who = {28'd0, form_bank_i, form_thread_i};

  always_ff @(posedge clk_i) begin
    if (request_i) request(who, 32'(request_stream_i));
    if (record_i) record(who);
    if (advance_i) advance(32'(loop_index_i));
    if (capture_i) capture({28'd0, capture_bank_i, capture_thread_i});
    if (step_i && carry_i != 3'd7) step(32'(carry_i));
    if (start_i) start();
    if (describe_i) describe(32'(stream.index));
  end

  vpu_pkg::output_t described_output;
  assign described_output = {stream.type_, stream.flat, stream.spread, stream.y_limit,
                             stream.x_limit, stream.y_steps[7*32 +: 32],
                             stream.x_steps[7*32 +: 32], stream.strides[7*32 +: 32]};

  always_ff @(posedge clk_i) begin
    if (!rst_ni || launch_i) begin
      described_o <= 6'd0;
    end else if (describe_i) begin
      described_o[stream.index]               <= 1'b1;
      groups_limits_o[32'(stream.index)*32 +: 32] <= stream.groups_limit;
      if (stream.index == 3'd4) out0_o <= described_output;
      if (stream.index == 3'd5) out1_o <= described_output;
    end
  end

endmodule
