`include "prim_assert.svh"

// Walks a checked instruction and hands out its runs, one per cycle at best.
//
// A wait holds the iteration that it guards; a gather fetches the row number when an iteration of
// loop 0 begins, after its waits. A faulty instruction or index stops the walk: the fault is told
// once everything before it has left the engine (`drained_i`), so that what came before is done and
// what comes after has not begun. Then the walker rests until `clear_i`.
module dma_walk #(
  parameter  int WordBytes = 16,
  parameter  int AddrWidth = 12,
  localparam int RunWidth  = dma_pkg::RunWidth
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,
  input  logic [1023:0]          flags_i,

  // The head of the queue, once it is checked.
  input  logic                   checked_i,
  output logic                   take_o,
  /* verilator lint_off UNUSEDSIGNAL */  // patches are the sequencer's
  input  isa_pkg::dma_t          head_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0]            head_pc_i,
  input  logic [7:0]             cause_i,
  input  logic [63:0]            address_i,
  input  logic [39:0]            segment_base_i,

  output logic                   run_valid_o,
  input  logic                   run_ready_i,
  output logic [RunWidth-1:0]    run_o,

  // Gather indices.
  output logic                   rd_valid_o,
  output logic [AddrWidth-1:0]   rd_addr_o,
  input  logic                   rd_ready_i,
  input  logic                   rd_data_valid_i,
  input  logic [WordBytes*8-1:0] rd_data_i,

  input  logic                   drained_i,  // nothing is in the engine behind this walker
  output logic                   active_o,
  output logic                   waiting_o,  // for a flag
  output logic [7:0]             wait_flag_o,
  output logic [31:0]            pc_o,
  output logic                   fault_valid_o,
  output logic [7:0]             fault_cause_o,
  output logic [63:0]            fault_address_o
);

  typedef enum logic [1:0] {StIdle, StWalk, StFault, StStopped} state_e;
  state_e       state_q;

  logic [191:0] hbm_strides_q;
  logic [191:0] buffer_strides_q;
  logic         moves_q;
  logic         gather_q;
  logic [31:0]  gather_limit_q;
  logic [31:0]  gather_addr_q;
  logic [39:0]  gather_term_q;
  logic         row_ready_q;    // gather_term_q belongs to this iteration of loop 0
  logic [6:0]   wait_levels_q;  // levels with a wait, and level 0
  logic [5:0]   signal_levels_q;
  logic [1:0]   signal_valid_q;

  logic [31:0]  bytes_q;
  logic [31:0]  image_bytes_q;
  logic [31:0]  fill_q;
  logic [15:0]  signal_flags_q;

  logic         nest_active;
  logic [6:0]   first_levels;
  logic [6:0]   last_levels;
  logic [2:0]   carry;
  logic [39:0]  hbm_addr;
  logic [31:0]  buffer_addr;
  logic         blocked;
  logic         go;
  logic         start;
  logic         room;
  logic         needs_row;
  logic         gather_start;
  logic         gather_busy;
  logic         gather_done;
  logic [31:0]  gather_index;
  logic         index_bad;
  logic [191:0] counts;

  assign room         = !run_valid_o || run_ready_i;
  assign needs_row    = gather_q && !row_ready_q;
  assign go           = nest_active && !blocked && !needs_row && room;
  // An earlier instruction of this queue may have loaded the indices: the first is read once all of
  // its words are in the buffer.
  assign gather_start = nest_active && !blocked && needs_row && !gather_busy && !gather_done
                        && state_q == StWalk && (!first_levels[0] || (!run_valid_o && drained_i));
  assign index_bad    = gather_done && (gather_index[31] || gather_index >= gather_limit_q);
  assign take_o       = checked_i && (state_q == StIdle || (go && last_levels[0]));
  assign start        = take_o && cause_i == isa_pkg::FaultNone;
  assign counts       = (head_i.opcode == isa_pkg::OpSync) ? {6{32'd1}} : head_i.counts;
  assign waiting_o    = blocked;
  assign active_o     = (state_q != StIdle) || run_valid_o;

  prim_loop_nest u_nest (
    .clk_i, .rst_ni, .clear_i(clear_i || index_bad),
    .start_i(start), .counts_i(counts), .step_i(go),
    /* verilator lint_off PINCONNECTEMPTY */
    .active_o(nest_active), .index_o(), .first_levels_o(first_levels),
    /* verilator lint_on PINCONNECTEMPTY */
    .last_levels_o(last_levels), .carry_o(carry)
  );

  dma_hbm_address u_hbm_address (
    .clk_i, .start_i(start), .base_i(segment_base_i + {head_i.offset_hi, head_i.offset_lo}),
    .step_i(go), .carry_i(carry), .gather_i(gather_q), .strides_i(hbm_strides_q), .value_o(hbm_addr)
  );

  prim_loop_address #(.Forms(1)) u_buffer_address (
    .clk_i, .start_i(start), .bases_i(head_i.buffer_base),
    .step_i(go), .carry_i(carry), .strides_i(buffer_strides_q), .value_o(buffer_addr)
  );

  prim_flag_wait #(.SplitWeights(1'b0)) u_wait (
    .clk_i, .rst_ni, .load_i(start), .words_i(head_i[383:128]), .weights_select_i(1'b0),
    .flags_i, .check_i(nest_active), .levels_i(first_levels),
    .blocked_o(blocked), .blocked_flag_o(wait_flag_o), .pass_i(go)
  );

  dma_gather #(.WordBytes(WordBytes), .AddrWidth(AddrWidth)) u_gather (
    .clk_i, .rst_ni, .clear_i,
    .start_i(gather_start), .addr_i(gather_addr_q), .busy_o(gather_busy),
    .done_o(gather_done), .index_o(gather_index),
    .rd_valid_o, .rd_addr_o, .rd_ready_i, .rd_data_valid_i, .rd_data_i
  );

  function automatic logic [6:0] level_bit(input logic valid, input logic [2:0] level);
    level_bit = valid ? 7'(8'd1 << level) : 7'd0;
  endfunction
  function automatic logic at_level(input logic [6:0] levels, input logic [2:0] level);
    at_level = 1'(levels >> level);
  endfunction

  task automatic load();
    hbm_strides_q    <= head_i.hbm_strides;
    buffer_strides_q <= head_i.buffer_strides;
    moves_q          <= (head_i.opcode != isa_pkg::OpSync);
    gather_q         <= (head_i.opcode != isa_pkg::OpSync) && head_i.gather;
    gather_limit_q   <= head_i.gather_limit;
    gather_addr_q    <= head_i.gather_base;
    gather_term_q    <= 40'd0;
    row_ready_q      <= 1'b0;
    bytes_q          <= head_i.run_bytes;
    image_bytes_q    <= head_i.buffer_run_bytes;
    fill_q           <= head_i.fill;
    signal_flags_q   <= {head_i.signal1_flag, head_i.signal0_flag};
    signal_levels_q  <= {head_i.signal1_level, head_i.signal0_level};
    signal_valid_q   <= {head_i.signal1_valid, head_i.signal0_valid};
    wait_levels_q    <= 7'd1 | level_bit(head_i.wait0_valid, head_i.wait0_level)
                        | level_bit(head_i.wait1_valid, head_i.wait1_level)
                        | level_bit(head_i.wait2_valid, head_i.wait2_level)
                        | level_bit(head_i.wait3_valid, head_i.wait3_level);
    pc_o             <= head_pc_i;
  endtask

  // In the order of dma_pkg::run_t.
  task automatic issue();
    run_o <= {hbm_addr + gather_term_q, buffer_addr, bytes_q, image_bytes_q, fill_q, signal_flags_q,
              signal_valid_q[1] && at_level(last_levels, signal_levels_q[5:3]),
              signal_valid_q[0] && at_level(last_levels, signal_levels_q[2:0]),
              (first_levels & wait_levels_q) != 7'd0, last_levels[0], moves_q};
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      state_q       <= StIdle;
      run_valid_o   <= 1'b0;
      fault_valid_o <= 1'b0;
      gather_q      <= 1'b0;
    end else if (checked_i || active_o || fault_valid_o) begin
      fault_valid_o <= 1'b0;
      if (run_valid_o && run_ready_i) run_valid_o <= 1'b0;
      if (go) begin
        issue();
        run_valid_o <= 1'b1;
        if (last_levels[1]) begin
          row_ready_q   <= 1'b0;
          gather_addr_q <= gather_addr_q + 32'd4;
        end
        if (last_levels[0] && !take_o) state_q <= StIdle;
      end
      if (gather_done) begin
        gather_term_q <= 40'(64'(signed'(hbm_strides_q[31:0])) * signed'({32'd0, gather_index}));
        row_ready_q   <= 1'b1;
        if (index_bad) begin
          state_q         <= StFault;
          gather_q        <= 1'b0;
          fault_cause_o   <= isa_pkg::FaultGatherIndex;
          fault_address_o <= 64'(gather_index);
        end
      end
      if (take_o) begin
        load();
        state_q <= StWalk;
        if (!start) begin
          state_q         <= StFault;
          gather_q        <= 1'b0;
          fault_cause_o   <= cause_i;
          fault_address_o <= address_i;
        end
      end
      if (state_q == StFault && !run_valid_o && drained_i) begin
        fault_valid_o <= 1'b1;
        state_q       <= StStopped;
      end
    end
  end

endmodule
