// Whether an instruction may run on this MXU (rtl/arch/README.md): combinational, on the head of
// the queue.
module mxu_check #(
  parameter int Rows = 128,
  parameter bit Bf16 = 1'b1,
  parameter bit Int8 = 1'b1
) (
  input  logic               check_i,
  /* verilator lint_off UNUSEDSIGNAL */  // most fields may hold anything
  input  isa_pkg::matmul_t   instr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic               illegal_o
);

  localparam logic [2:0] NoLevel       = 3'(isa_pkg::NoLevel);
  localparam logic [7:0] FirstHeldFlag = 8'(isa_pkg::RemoteFlagBase);  // not ours to raise

  function automatic logic bad_wait(input logic valid, input logic weights, input logic [2:0] level,
                                    input logic [7:0] flag, input logic [2:0] weight_level);
    bad_wait = valid && (level == 3'd7 || 32'(flag) >= isa_pkg::Flags ||
                         (weights && level > weight_level));
  endfunction

  function automatic logic bad_signal(input logic valid, input logic [2:0] level,
                                      input logic [7:0] flag);
    bad_signal = valid && (level == 3'd7 || flag >= FirstHeldFlag);
  endfunction

  function automatic logic bad_level(input logic [2:0] level, input logic [2:0] weight_level);
    bad_level = level >= weight_level && level != NoLevel;
  endfunction

  logic is_matmul;
  logic bad_prefix;
  logic bad_loops;
  logic bad_types;
  logic a_int8;
  logic w_int8;
  logic a_slice;
  logic w_slice;

  always_comb begin
    is_matmul  = instr_i.opcode == isa_pkg::OpMatmul;
    bad_prefix = 1'b0;
    bad_loops  = 1'b0;
    bad_types  = 1'b0;
    a_int8     = {6'd0, instr_i.a_type} == isa_pkg::OperandTypeInt8;
    w_int8     = {6'd0, instr_i.w_type} == isa_pkg::OperandTypeInt8;
    a_slice    = {6'd0, instr_i.a_type} == isa_pkg::OperandTypeF32Slice;
    w_slice    = {6'd0, instr_i.w_type} == isa_pkg::OperandTypeF32Slice;
    if (check_i) begin
      bad_prefix =
          bad_signal(instr_i.signal0_valid, instr_i.signal0_level, instr_i.signal0_flag) ||
          bad_signal(instr_i.signal1_valid, instr_i.signal1_level, instr_i.signal1_flag) ||
          bad_wait(instr_i.wait0_valid, is_matmul && instr_i.wait0_weights, instr_i.wait0_level,
                   instr_i.wait0_flag, instr_i.weight_level) ||
          bad_wait(instr_i.wait1_valid, is_matmul && instr_i.wait1_weights, instr_i.wait1_level,
                   instr_i.wait1_flag, instr_i.weight_level) ||
          bad_wait(instr_i.wait2_valid, is_matmul && instr_i.wait2_weights, instr_i.wait2_level,
                   instr_i.wait2_flag, instr_i.weight_level) ||
          bad_wait(instr_i.wait3_valid, is_matmul && instr_i.wait3_weights, instr_i.wait3_level,
                   instr_i.wait3_flag, instr_i.weight_level);
      for (int unsigned loop = 0; loop < 6; loop++) begin
        if (instr_i.counts[loop*32 +: 32] == 32'd0) bad_loops = 1'b1;
      end
      bad_loops = bad_loops || instr_i.weight_level == 3'd7 ||
                  bad_level(instr_i.k_level, instr_i.weight_level) ||
                  bad_level(instr_i.n_level, instr_i.weight_level) ||
                  instr_i.a_length == 16'd0 || 32'(instr_i.a_length) > Rows;
      bad_types = a_int8 != w_int8 || (a_int8 ? !Int8 : !Bf16) ||
                  (a_slice && instr_i.a_slice == 2'd3) || (w_slice && instr_i.w_slice == 2'd3);
    end
  end

  assign illegal_o = bad_prefix || (is_matmul && (bad_loops || bad_types));

endmodule
