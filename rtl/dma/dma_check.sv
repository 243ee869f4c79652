`include "prim_assert.svh"

// Checks the instruction at the head of a DMA queue before its first beat: opcode, fields, rights of
// the segment, and the whole extent on both sides.
//
// It starts when `head_valid_i` rises or the head changes (`take_i`), and about 9 cycles later
// `checked_o` says that cause, address and segment base are those of the head. So it runs while the
// instruction before is still walking. The loops are taken one per cycle: two multipliers.
//
// 64-bit sums are exact enough: offsets have 40 bits, so a term beyond 2^41 decides the check alone
// (`hbm_far_*`), and six smaller ones cannot wrap.
module dma_check #(
  parameter bit Store       = 1'b0,
  parameter int BufferBytes = 65536
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            clear_i,

  input  logic            head_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // patches are the sequencer's
  input  isa_pkg::dma_t   head_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic            take_i,        // only while checked_o
  output logic            checked_o,
  output logic [7:0]      fault_cause_o,  // FaultNone: the instruction may run
  output logic [63:0]     fault_address_o,
  output logic [39:0]     segment_base_o,

  // The segment table answers one cycle later.
  output logic [5:0]      seg_index_o,
  input  logic [39:0]     seg_base_i,
  input  logic [39:0]     seg_bytes_i,
  input  logic            seg_allowed_i   // readable for loads, writable for stores
);

  typedef enum logic [2:0] {StIdle, StFields, StLoops, StLast, StCompare, StDone} state_e;
  state_e      state_q;
  logic [2:0]  loop_q;
  logic        fields_bad_q;
  logic        opcode_bad_q;
  logic        is_sync_q;
  logic        allowed_q;
  logic [39:0] bytes_q;

  logic signed [63:0] hbm_low_q;
  logic signed [63:0] hbm_high_q;
  logic               hbm_far_low_q;
  logic               hbm_far_high_q;
  logic signed [63:0] buffer_low_q;
  logic signed [63:0] buffer_high_q;
  logic               buffer_far_low_q;
  logic               buffer_far_high_q;

  localparam logic signed [63:0] Far         = 64'sd1 <<< 41;
  localparam logic signed [63:0] BufferLimit = 64'(BufferBytes);

  assign checked_o   = (state_q == StDone);
  assign seg_index_o = head_i.segment[5:0];

  function automatic logic signal_bad(input logic valid, input logic [2:0] level,
                                      input logic [7:0] flag);
    signal_bad = valid && (level == 3'd7 || 32'(flag) >= isa_pkg::RemoteFlagBase);
  endfunction
  function automatic logic wait_bad(input logic valid, input logic [2:0] level,
                                    input logic [7:0] flag);
    wait_bad = valid && (level == 3'd7 || 32'(flag) >= isa_pkg::Flags);
  endfunction

  task automatic check_fields();
    logic bad;
    logic sync;
    sync = (head_i.opcode == isa_pkg::OpSync);
    bad  = signal_bad(head_i.signal0_valid, head_i.signal0_level, head_i.signal0_flag)
           || signal_bad(head_i.signal1_valid, head_i.signal1_level, head_i.signal1_flag)
           || wait_bad(head_i.wait0_valid, head_i.wait0_level, head_i.wait0_flag)
           || wait_bad(head_i.wait1_valid, head_i.wait1_level, head_i.wait1_flag)
           || wait_bad(head_i.wait2_valid, head_i.wait2_level, head_i.wait2_flag)
           || wait_bad(head_i.wait3_valid, head_i.wait3_level, head_i.wait3_flag);
    if (!sync) begin
      for (int unsigned loop = 0; loop < 6; loop++) begin
        bad = bad || (head_i.counts[loop*32 +: 32] == 32'd0);
      end
      bad = bad || head_i.run_bytes == 32'd0 || head_i.buffer_run_bytes < head_i.run_bytes;
      if (Store) bad = bad || head_i.gather || head_i.buffer_run_bytes != head_i.run_bytes;
    end
    fields_bad_q <= bad;
    is_sync_q    <= sync;
    opcode_bad_q <= !sync && head_i.opcode != (Store ? isa_pkg::OpStore : isa_pkg::OpLoad);
  endtask

  // Adds (count - 1) * stride to the lower or to the upper end of an extent.
  task automatic add_loop();
    logic [31:0]        count;
    logic signed [63:0] steps;
    logic signed [63:0] hbm;
    logic signed [63:0] buffer;
    count  = head_i.counts[32'(loop_q)*32 +: 32];
    buffer = 64'(signed'(head_i.buffer_strides[32'(loop_q)*32 +: 32]))
             * signed'({32'd0, count - 32'd1});
    // A gather's extent is as if its indices covered 0 and gather_limit - 1.
    if (head_i.gather && loop_q == 3'd0) begin
      count = (head_i.gather_limit == 32'd0) ? 32'd1 : head_i.gather_limit;
    end
    steps = signed'({32'd0, count - 32'd1});
    hbm   = 64'(signed'(head_i.hbm_strides[32'(loop_q)*32 +: 32])) * steps;
    if (hbm < 0) begin
      hbm_low_q     <= hbm_low_q + hbm;
      hbm_far_low_q <= hbm_far_low_q || hbm < -Far;
    end else begin
      hbm_high_q     <= hbm_high_q + hbm;
      hbm_far_high_q <= hbm_far_high_q || hbm > Far;
    end
    if (buffer < 0) begin
      buffer_low_q     <= buffer_low_q + buffer;
      buffer_far_low_q <= buffer_far_low_q || buffer < -Far;
    end else begin
      buffer_high_q     <= buffer_high_q + buffer;
      buffer_far_high_q <= buffer_far_high_q || buffer > Far;
    end
  endtask

  task automatic compare();
    logic signed [63:0] gather_end;
    logic               below;
    gather_end      = signed'({32'd0, head_i.gather_base})
                      + (signed'({32'd0, head_i.counts[31:0]}) <<< 2);
    fault_address_o <= 64'd0;
    if (opcode_bad_q) begin
      fault_cause_o <= isa_pkg::FaultIllegalOpcode;
    end else if (fields_bad_q) begin
      fault_cause_o <= isa_pkg::FaultIllegalField;
    end else if (is_sync_q) begin
      fault_cause_o <= isa_pkg::FaultNone;
    end else if (!allowed_q || 32'(head_i.segment) >= isa_pkg::Segments) begin
      fault_cause_o   <= isa_pkg::FaultSegmentRights;
      fault_address_o <= 64'(head_i.segment);
    end else if (hbm_far_low_q || hbm_low_q < 0
                 || hbm_far_high_q || hbm_high_q >= signed'({24'd0, bytes_q})) begin
      below           = hbm_far_low_q || hbm_low_q < 0;
      fault_cause_o   <= isa_pkg::FaultSegmentBounds;
      fault_address_o <= below ? hbm_low_q : hbm_high_q;
    end else if (buffer_far_low_q || buffer_low_q < 0
                 || buffer_far_high_q || buffer_high_q >= BufferLimit) begin
      below           = buffer_far_low_q || buffer_low_q < 0;
      fault_cause_o   <= isa_pkg::FaultBufferRange;
      fault_address_o <= below ? buffer_low_q : buffer_high_q;
    end else if (head_i.gather && head_i.gather_base[1:0] != 2'd0) begin
      fault_cause_o   <= isa_pkg::FaultMisaligned;
      fault_address_o <= 64'(head_i.gather_base);
    end else if (head_i.gather && gather_end > BufferLimit) begin
      fault_cause_o   <= isa_pkg::FaultBufferRange;
      fault_address_o <= gather_end - 64'd1;
    end else begin
      fault_cause_o <= isa_pkg::FaultNone;
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      state_q <= StIdle;
    end else if (head_valid_i) begin
      unique case (state_q)
        StIdle: state_q <= StFields;  // the table is answering
        StFields: begin
          check_fields();
          segment_base_o    <= seg_base_i;
          bytes_q           <= seg_bytes_i;
          allowed_q         <= seg_allowed_i;
          hbm_low_q         <= {24'd0, head_i.offset_hi, head_i.offset_lo};
          hbm_high_q        <= {24'd0, head_i.offset_hi, head_i.offset_lo};
          buffer_low_q      <= {32'd0, head_i.buffer_base};
          buffer_high_q     <= {32'd0, head_i.buffer_base};
          hbm_far_low_q     <= 1'b0;
          hbm_far_high_q    <= 1'b0;
          buffer_far_low_q  <= 1'b0;
          buffer_far_high_q <= 1'b0;
          loop_q            <= 3'd0;
          state_q           <= (head_i.opcode == isa_pkg::OpSync) ? StCompare : StLoops;
        end
        StLoops: begin
          add_loop();
          loop_q <= loop_q + 3'd1;
          if (loop_q == 3'd5) state_q <= StLast;
        end
        StLast: begin
          hbm_high_q    <= hbm_high_q + signed'({32'd0, head_i.run_bytes}) - 64'sd1;
          buffer_high_q <= buffer_high_q + signed'({32'd0, head_i.buffer_run_bytes}) - 64'sd1;
          state_q       <= StCompare;
        end
        StCompare: begin
          compare();
          state_q <= StDone;
        end
        StDone: if (take_i) state_q <= StIdle;
        default: state_q <= StIdle;
      endcase
    end
  end

  `PRIM_ASSERT(TakesOnlyChecked, !take_i || (checked_o && head_valid_i))

endmodule
