// The segment table of the running job: windows into HBM, filled by the launch, read by the DMA.
//
// A segment that the launch did not bind, or that belongs to another owner, shows neither right.
// A read gives its answer in the next cycle. Two neighbours (2p, 2p + 1) are written per cycle.
module host_interface_segments (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          clear_i,  // unbinds everything

  input  logic [1:0]    write_valid_i,  // even, odd neighbour
  input  logic [4:0]    write_pair_i,
  input  logic [79:0]   write_base_i,   // 40 bits each
  input  logic [79:0]   write_bytes_i,
  input  logic [1:0]    write_readable_i,
  input  logic [1:0]    write_writable_i,

  // Port 0: dma_load, which needs the right to read; port 1: dma_store, which needs that to write.
  input  logic [11:0]   seg_index_i,
  output logic [79:0]   seg_base_o,
  output logic [79:0]   seg_bytes_o,
  output logic          seg_readable_o,
  output logic          seg_writable_o
);

  logic [81:0] even [0:31];  // writable, readable, bytes, base
  logic [81:0] odd  [0:31];
  logic [63:0] bound_q;
  logic [11:0] index_q;      // of the last read: an unchanged question costs nothing
  logic        fresh_q;      // the table did not change since

  function automatic logic [81:0] entry_of(input logic [5:0] index);
    entry_of = index[0] ? odd[index[5:1]] : even[index[5:1]];
  endfunction

  task automatic look_up();
    logic [81:0] entry;
    entry             = entry_of(seg_index_i[5:0]);
    seg_base_o[39:0]  <= entry[39:0];
    seg_bytes_o[39:0] <= entry[79:40];
    seg_readable_o    <= entry[80] && bound_q[seg_index_i[5:0]];
    entry              = entry_of(seg_index_i[11:6]);
    seg_base_o[79:40]  <= entry[39:0];
    seg_bytes_o[79:40] <= entry[79:40];
    seg_writable_o     <= entry[81] && bound_q[seg_index_i[11:6]];
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      bound_q <= '0;
      fresh_q <= 1'b0;
    end else if (write_valid_i != 2'd0) begin
      fresh_q <= 1'b0;
      if (write_valid_i[0]) begin
        even[write_pair_i] <= {write_writable_i[0], write_readable_i[0], write_bytes_i[39:0],
                               write_base_i[39:0]};
        bound_q[{write_pair_i, 1'b0}] <= 1'b1;
      end
      if (write_valid_i[1]) begin
        odd[write_pair_i] <= {write_writable_i[1], write_readable_i[1], write_bytes_i[79:40],
                              write_base_i[79:40]};
        bound_q[{write_pair_i, 1'b1}] <= 1'b1;
      end
    end else if (!fresh_q || index_q != seg_index_i) begin
      look_up();
      index_q <= seg_index_i;
      fresh_q <= 1'b1;
    end
  end

endmodule
