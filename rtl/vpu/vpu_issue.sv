`include "prim_assert.svh"

// The front of the vector unit: walks the loop nest of the instruction at the head of the queue,
// holds it for its waits, checks every address, and sends what a row needs to the fetch units.
//
//   instruction --> nest, linear forms --> check --> x, y, z windows, accumulator fetch, row record
//
// One iteration per cycle as long as the fetch units take them. An instruction begins when everything
// of the one before is visible, so that it may read what that one wrote; its signals are raised by
// the row records when their rows are (vpu.sv).
module vpu_issue #(
  parameter int Lanes           = 16,
  parameter int BufferBytes     = 4096,
  parameter int MxuCount        = 1,
  parameter int AccumulatorRows = 16
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           clear_i,

  input  logic           instr_valid_i,
  output logic           instr_done_o,  // takes it from the queue
  input  logic [2047:0]  instr_i,       // held until then
  input  logic [1023:0]  flags_i,
  input  logic           all_retired_i,  // no row record is on its way

  // To the fetch units: byte address and length of a row in the buffer, or unit and accumulator row.
  output logic           x_valid_o,
  input  logic           x_ready_i,
  output logic [31:0]    x_addr_o,
  output logic [11:0]    x_bytes_o,
  output logic           y_valid_o,
  input  logic           y_ready_i,
  output logic [31:0]    y_addr_o,
  output logic [11:0]    y_bytes_o,
  output logic           z_valid_o,
  input  logic           z_ready_i,
  output logic [31:0]    z_addr_o,
  output logic [11:0]    z_bytes_o,
  output logic           drain_valid_o,
  input  logic           drain_ready_i,
  output logic [15:0]    drain_row_o,

  // One record per iteration: elements (0: nothing to do), where the result goes, signals at its end.
  output logic           record_valid_o,
  input  logic           record_ready_i,
  output logic [8:0]     record_count_o,
  output logic [31:0]    record_addr_o,
  output logic [11:0]    record_bytes_o,
  output logic [1:0]     record_signals_o,

  output logic           go_o,       // an iteration is issued in this cycle
  output logic           held_o,     // there is one, but it waits for a flag or for space
  output logic           waiting_o,  // for this flag
  output logic [7:0]     wait_flag_o,

  output logic           fault_valid_o,  // for one cycle
  output logic [7:0]     fault_cause_o,
  output logic [63:0]    fault_address_o
);

  typedef enum logic [1:0] {StIdle, StRun, StDrain} state_e;
  state_e state_q;

  // Fields of other units' interest stay unread here.
  // verilator lint_off UNUSEDSIGNAL
  isa_pkg::vector_t instr;
  // verilator lint_on UNUSEDSIGNAL
  assign instr = instr_i;

  logic         is_sync;
  logic         start;
  logic         go;
  logic         nest_active;
  logic         blocked;
  logic         room;
  logic [191:0] index;
  logic [6:0]   first_levels;
  logic [6:0]   last_levels;
  logic [2:0]   carry;
  logic [127:0] rows;  // addresses of x, y, z and the result
  logic [7:0]   instr_fault;

  assign is_sync = (instr.opcode == isa_pkg::OpSync);
  assign start   = (state_q == StIdle) && instr_valid_i && (instr_fault == isa_pkg::FaultNone)
                   && !clear_i;

  always_comb begin
    instr_fault = isa_pkg::FaultNone;
    if (state_q == StIdle && instr_valid_i) begin
      instr_fault = vpu_check_pkg::instruction_fault(instr.opcode, instr.length_level,
                                                     instr.op_count, instr.ops, instr.x_source,
                                                     instr.x_unit, 32'(MxuCount));
    end
  end

  prim_loop_nest u_nest (
    .clk_i, .rst_ni, .clear_i,
    .start_i       (start),
    .counts_i      (is_sync ? {6{32'd1}} : instr.counts),
    .step_i        (go),
    .active_o      (nest_active),
    .index_o       (index),
    .first_levels_o(first_levels),
    .last_levels_o (last_levels),
    .carry_o       (carry)
  );

  prim_loop_address #(.Forms(4)) u_addresses (
    .clk_i,
    .start_i  (start),
    .bases_i  ({instr.out_base, instr.z_base, instr.y_base, instr.x_base}),
    .step_i   (go),
    .carry_i  (carry),
    .strides_i({instr.out_strides, instr.z_strides, instr.y_strides, instr.x_strides}),
    .value_o  (rows)
  );

  prim_flag_wait u_waits (
    .clk_i, .rst_ni,
    .load_i          (start),
    .words_i         (instr_i[4*32 +: 256]),
    .weights_select_i(1'b0),
    .flags_i,
    .check_i         (nest_active),
    .levels_i        (first_levels),
    .blocked_o       (blocked),
    .blocked_flag_o  (wait_flag_o),
    .pass_i          (go)
  );

  assign room = (!x_valid_o || x_ready_i) && (!y_valid_o || y_ready_i)
                && (!z_valid_o || z_ready_i) && (!drain_valid_o || drain_ready_i)
                && (!record_valid_o || record_ready_i);
  assign go           = nest_active && !blocked && room && !clear_i;
  assign go_o         = go;
  assign held_o       = nest_active && !go;
  assign waiting_o    = blocked;
  assign instr_done_o = (state_q == StDrain) && all_retired_i;

  // Elements of the row that the nest shows: what the limit leaves after the rows before it.
  function automatic logic [31:0] row_count();
    logic [47:0] earlier;
    logic [47:0] left;
    earlier = 48'd0;
    if ({29'd0, instr.length_level} != 32'(isa_pkg::NoLevel)) begin
      earlier = 48'(index[{instr.length_level, 5'd0} +: 32]) * 48'(Lanes);
    end
    left      = 48'(instr.length_limit) - earlier;
    row_count = (is_sync || left[47]) ? 32'd0 : (left > 48'(Lanes)) ? 32'(Lanes) : left[31:0];
  endfunction

  // log2 of the bytes of an element.
  function automatic logic [1:0] size_of(input logic [1:0] lane_type);
    size_of = ({6'd0, lane_type} == isa_pkg::LaneTypeBf16) ? 2'd1
              : ({6'd0, lane_type} == isa_pkg::LaneTypeS8) ? 2'd0 : 2'd2;
  endfunction

  // Cause of the fault that reading or writing `count` elements at `addr` is.
  function automatic logic [7:0] row_fault(input logic [31:0] addr, input logic [1:0] lane_type,
                                           input logic [31:0] count);
    logic [31:0] last;
    last = addr + (count << size_of(lane_type)) - 32'd1;
    if ((addr & ((32'd8 << size_of(lane_type)) - 32'd1)) != 32'd0) begin
      row_fault = isa_pkg::FaultMisaligned;
    end else if (addr >= 32'(BufferBytes) || last >= 32'(BufferBytes)) begin
      row_fault = isa_pkg::FaultBufferRange;
    end else begin
      row_fault = isa_pkg::FaultNone;
    end
  endfunction

  // The address that a fault names: of the row where it is misaligned, else of the first byte outside.
  function automatic logic [63:0] fault_address(input logic [7:0] cause, input logic [31:0] addr);
    fault_address = {32'd0, (cause == isa_pkg::FaultBufferRange && addr < 32'(BufferBytes))
                            ? 32'(BufferBytes) : addr};
  endfunction

  task automatic raise(input logic [7:0] cause, input logic [63:0] address);
    fault_valid_o   <= 1'b1;
    fault_cause_o   <= cause;
    fault_address_o <= address;
  endtask

  task automatic issue();
    logic [31:0] count;
    logic [31:0] padded;  // reads and writes are of multiples of 8 elements
    logic [31:0] y_count;
    logic [31:0] z_count;
    logic        from_buffer;
    logic        from_accumulator;
    logic [7:0]  x_fault;
    logic [7:0]  y_fault;
    logic [7:0]  z_fault;
    logic [7:0]  out_fault;
    logic        works;
    count            = row_count();
    padded           = (count + 32'd7) & ~32'd7;
    y_count          = instr.y_splat ? 32'd8 : padded;
    z_count          = instr.z_splat ? 32'd8 : padded;
    works            = (count != 32'd0);
    from_buffer      = works && ({6'd0, instr.x_source} == isa_pkg::XSourceBuffer);
    from_accumulator = works && ({6'd0, instr.x_source} == isa_pkg::XSourceAccumulator);

    x_fault   = isa_pkg::FaultNone;
    y_fault   = isa_pkg::FaultNone;
    z_fault   = isa_pkg::FaultNone;
    out_fault = isa_pkg::FaultNone;
    if (from_buffer) x_fault = row_fault(rows[31:0], instr.x_type, padded);
    if (from_accumulator && rows[31:0] >= 32'(2 * AccumulatorRows)) begin
      x_fault = isa_pkg::FaultAccumulatorRange;
    end
    if (works && instr.y_used) y_fault = row_fault(rows[63:32], instr.y_type, y_count);
    if (works && instr.z_used) z_fault = row_fault(rows[95:64], instr.z_type, z_count);
    if (works) out_fault = row_fault(rows[127:96], instr.out_type, padded);

    if (x_fault != isa_pkg::FaultNone) begin
      raise(x_fault, fault_address(x_fault, rows[31:0]));
    end else if (y_fault != isa_pkg::FaultNone) begin
      raise(y_fault, fault_address(y_fault, rows[63:32]));
    end else if (z_fault != isa_pkg::FaultNone) begin
      raise(z_fault, fault_address(z_fault, rows[95:64]));
    end else if (out_fault != isa_pkg::FaultNone) begin
      raise(out_fault, fault_address(out_fault, rows[127:96]));
    end else begin
      x_valid_o        <= from_buffer;
      x_addr_o         <= rows[31:0];
      x_bytes_o        <= 12'(padded << size_of(instr.x_type));
      drain_valid_o    <= from_accumulator;
      drain_row_o      <= rows[15:0];
      y_valid_o        <= works && instr.y_used;
      y_addr_o         <= rows[63:32];
      y_bytes_o        <= 12'(y_count << size_of(instr.y_type));
      z_valid_o        <= works && instr.z_used;
      z_addr_o         <= rows[95:64];
      z_bytes_o        <= 12'(z_count << size_of(instr.z_type));
      record_valid_o   <= 1'b1;
      record_count_o   <= 9'(count);
      record_addr_o    <= works ? rows[127:96] : 32'd0;
      record_bytes_o   <= 12'(padded << size_of(instr.out_type));
      record_signals_o <= {instr.signal1_valid && last_levels[instr.signal1_level],
                           instr.signal0_valid && last_levels[instr.signal0_level]};
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      state_q        <= StIdle;
      x_valid_o      <= 1'b0;
      y_valid_o      <= 1'b0;
      z_valid_o      <= 1'b0;
      drain_valid_o  <= 1'b0;
      record_valid_o <= 1'b0;
      fault_valid_o  <= 1'b0;
    end else if (instr_valid_i) begin
      if (x_ready_i) x_valid_o <= 1'b0;
      if (y_ready_i) y_valid_o <= 1'b0;
      if (z_ready_i) z_valid_o <= 1'b0;
      if (drain_ready_i) drain_valid_o <= 1'b0;
      if (record_ready_i) record_valid_o <= 1'b0;
      if (go) issue();
      unique case (state_q)
        StIdle: begin
          if (instr_fault != isa_pkg::FaultNone) raise(instr_fault, 64'd0);
          else state_q <= StRun;
        end
        StRun: if (go && last_levels[0]) state_q <= StDrain;
        StDrain: if (all_retired_i) state_q <= StIdle;
        default: state_q <= StIdle;
      endcase
    end
  end

endmodule
