`include "prim_assert.svh"

// Fetches the launch descriptor of a job, checks it and fills the segment table.
//
//   header (64 bytes) -> checks -> segment chunks (64 bytes, two segments each), all requested at
//   once -> checks, table -> done_o
//
// Ends with one pulse: `done_o`, or `fault_valid_o` with the first fault found. `abort_i` ends it
// without one. `idle_o` tells that no answer is outstanding any more.
module host_interface_launch #(
  parameter int          LineBytes   = 64,
  parameter logic [63:0] ProgramHash = 64'd0
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   start_i,
  input  logic [63:0]            descriptor_i,  // holds still during the job
  input  logic [63:0]            memory_bytes_i,
  input  logic                   abort_i,
  output logic                   idle_o,
  output logic                   done_o,
  output logic                   fault_valid_o,
  output logic [7:0]             fault_cause_o,
  output logic [63:0]            fault_address_o,

  output logic [39:0]            program_base_o,
  output logic [31:0]            program_bytes_o,

  output logic [1:0]             segment_valid_o,
  output logic [4:0]             segment_pair_o,
  output logic [79:0]            segment_base_o,
  output logic [79:0]            segment_bytes_o,
  output logic [1:0]             segment_readable_o,
  output logic [1:0]             segment_writable_o,

  output logic                   mem_req_valid_o,
  input  logic                   mem_req_ready_i,
  output logic [39:0]            mem_req_addr_o,
  output logic [7:0]             mem_req_tag_o,
  input  logic                   mem_rsp_valid_i,
  input  logic [7:0]             mem_rsp_tag_i,
  input  logic [LineBytes*8-1:0] mem_rsp_data_i
);

  localparam int          LineShift   = $clog2(LineBytes);
  localparam logic [31:0] LaunchMagic = 32'h48435453;

  typedef enum logic [2:0] {StIdle, StHeader, StCheck, StSegments, StDrain} state_e;
  state_e       state_q;
  logic [7:0]   requested_q;    // chunks, the header included
  logic [7:0]   answered_q;
  logic [7:0]   chunks_q;       // in all
  logic [7:0]   segments_q;
  logic [7:0]   owner_q;
  logic         chunk_valid_q;  // an answer stands in chunk_q
  logic [4:0]   chunk_pair_q;
  logic [511:0] chunk_q;

  logic [39:0]  answer_address;
  logic         request;

  // Formats are laid over whole words; reserved bits are not looked at, of an address only the line.
  // verilator lint_off UNUSEDSIGNAL
  logic [39:0]      chunk_address;
  isa_pkg::launch_t  launch;
  isa_pkg::segment_t even;
  isa_pkg::segment_t odd;
  // verilator lint_on UNUSEDSIGNAL

  assign launch         = chunk_q;
  assign even           = chunk_q[255:0];
  assign odd            = chunk_q[511:256];
  assign chunk_address  = descriptor_i[39:0] + {26'd0, requested_q, 6'd0};
  assign answer_address = descriptor_i[39:0] + {26'd0, mem_rsp_tag_i, 6'd0};
  assign request        = (state_q == StHeader || state_q == StSegments) && requested_q != chunks_q
                          && !abort_i && (!mem_req_valid_o || mem_req_ready_i);
  assign idle_o         = (state_q == StIdle);

  // The 64-byte chunk of a line that an address names.
  function automatic logic [511:0] chunk_of(input logic [LineBytes*8-1:0] data,
                                            input logic [39:0] address);
    logic [511:0] chunk;
    chunk = data[511:0];
    for (int unsigned c = 0; c < LineBytes / 64; c++) begin
      if (32'((address % 40'(LineBytes)) / 40'd64) == c) chunk = data[c*512 +: 512];
    end
    chunk_of = chunk;
  endfunction

  function automatic logic in_memory(input logic [63:0] base, input logic [63:0] bytes);
    in_memory = bytes <= memory_bytes_i && base <= memory_bytes_i - bytes;
  endfunction

  task automatic raise_fault(input logic [7:0] cause, input logic [63:0] address);
    state_q         <= StDrain;
    fault_valid_o   <= 1'b1;
    fault_cause_o   <= cause;
    fault_address_o <= address;
  endtask

  task automatic check_header();
    logic [63:0] base;
    base            = {launch.program_base_hi, launch.program_base_lo};
    program_base_o  <= base[39:0];
    program_bytes_o <= launch.program_bytes;
    segments_q      <= launch.segment_count;
    owner_q         <= launch.owner;
    chunks_q        <= 8'd1 + 8'((9'(launch.segment_count) + 9'd1) >> 1);
    state_q         <= StSegments;
    if (launch.magic != LaunchMagic || launch.version != 32'(isa_pkg::Version)
        || base[5:0] != 6'd0 || launch.program_bytes[3:0] != 4'd0
        || 32'(launch.segment_count) > 32'(isa_pkg::Segments)) begin
      raise_fault(isa_pkg::FaultBadDescriptor, descriptor_i);
    end else if ({launch.program_hash_hi, launch.program_hash_lo} != ProgramHash) begin
      raise_fault(isa_pkg::FaultHashMismatch, descriptor_i);
    end else if (!in_memory(base, 64'(launch.program_bytes))) begin
      raise_fault(isa_pkg::FaultMemoryRange, base);
    end else if (!in_memory(descriptor_i, 64'd64 + {51'd0, launch.segment_count, 5'd0})) begin
      raise_fault(isa_pkg::FaultMemoryRange, {memory_bytes_i[63:5], 5'd0});
    end
  endtask

  task automatic check_segment(input logic [39:0] base, input logic [39:0] bytes,
                               input logic [7:0] chip);
    if (chip != 8'd0) raise_fault(isa_pkg::FaultBadDescriptor, descriptor_i);
    else if (!in_memory({24'd0, base}, {24'd0, bytes}))
      raise_fault(isa_pkg::FaultMemoryRange, {24'd0, base});
  endtask

  // The even segment comes last: if both are faulty, it is the one that is told.
  task automatic bind_segments();
    segment_pair_o <= chunk_pair_q;
    if ({2'd0, chunk_pair_q, 1'b1} < segments_q) begin
      segment_valid_o[1]      <= 1'b1;
      segment_base_o[79:40]   <= {odd.base_hi, odd.base_lo};
      segment_bytes_o[79:40]  <= {odd.bytes_hi, odd.bytes_lo};
      segment_readable_o[1]   <= odd.readable && odd.owner == owner_q;
      segment_writable_o[1]   <= odd.writable && odd.owner == owner_q;
      check_segment({odd.base_hi, odd.base_lo}, {odd.bytes_hi, odd.bytes_lo}, odd.chip);
    end
    if ({2'd0, chunk_pair_q, 1'b0} < segments_q) begin
      segment_valid_o[0]      <= 1'b1;
      segment_base_o[39:0]    <= {even.base_hi, even.base_lo};
      segment_bytes_o[39:0]   <= {even.bytes_hi, even.bytes_lo};
      segment_readable_o[0]   <= even.readable && even.owner == owner_q;
      segment_writable_o[0]   <= even.writable && even.owner == owner_q;
      check_segment({even.base_hi, even.base_lo}, {even.bytes_hi, even.bytes_lo}, even.chip);
    end
  endtask

  task automatic request_and_answer();
    if (mem_req_ready_i) mem_req_valid_o <= 1'b0;
    if (request) begin
      mem_req_valid_o <= 1'b1;
      mem_req_addr_o  <= {chunk_address[39:LineShift], {LineShift{1'b0}}};
      mem_req_tag_o   <= requested_q;
      requested_q     <= requested_q + 8'd1;
    end
    chunk_valid_q <= mem_rsp_valid_i;
    if (mem_rsp_valid_i) begin
      answered_q   <= answered_q + 8'd1;
      chunk_pair_q <= 5'(mem_rsp_tag_i - 8'd1);
      chunk_q      <= chunk_of(mem_rsp_data_i, answer_address);
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q         <= StIdle;
      mem_req_valid_o <= 1'b0;
      chunk_valid_q   <= 1'b0;
      segment_valid_o <= 2'd0;
      done_o          <= 1'b0;
      fault_valid_o   <= 1'b0;
    end else if (start_i || state_q != StIdle || segment_valid_o != 2'd0 || done_o || fault_valid_o) begin
      done_o          <= 1'b0;
      fault_valid_o   <= 1'b0;
      segment_valid_o <= 2'd0;
      request_and_answer();
      unique case (state_q)
        StIdle: if (start_i) begin
          state_q     <= StHeader;
          requested_q <= 8'd0;
          answered_q  <= 8'd0;
          chunks_q    <= 8'd1;
          if (descriptor_i[5:0] != 6'd0) begin
            chunks_q <= 8'd0;
            raise_fault(isa_pkg::FaultBadDescriptor, descriptor_i);
          end else if (!in_memory(descriptor_i, 64'd64)) begin
            chunks_q <= 8'd0;
            raise_fault(isa_pkg::FaultMemoryRange, descriptor_i);
          end
        end
        StHeader: if (chunk_valid_q) state_q <= StCheck;
        StCheck: check_header();
        StSegments: begin
          if (chunk_valid_q) bind_segments();
          if (answered_q == chunks_q && !chunk_valid_q) begin
            state_q <= StIdle;
            done_o  <= 1'b1;
          end
        end
        default: begin  // StDrain: what was requested still arrives
          if (!mem_req_valid_o && requested_q == answered_q) state_q <= StIdle;
        end
      endcase
      if (abort_i && state_q != StIdle) begin
        state_q       <= StDrain;
        done_o        <= 1'b0;
        fault_valid_o <= 1'b0;
        if (!mem_req_valid_o && requested_q == answered_q) state_q <= StIdle;
      end
    end
  end

  `PRIM_ASSERT(StartsIdle, !start_i || idle_o)

endmodule
