// Walks the rows of a tile: requests each row to be read, and checks the address of each row to be
// read or written; one of both per cycle.
//
// The rows read are checked before the rows written, so a fault of the latter is held until the
// last row is requested. A tile is taken with its last step; an empty one takes one step.
module xlu_rows #(
  parameter  int Lanes       = 16,
  parameter  int BufferBytes = 4096,
  localparam int CountWidth  = $clog2(Lanes) + 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,

  // Of the instruction, held still.
  input  logic [1:0]            size_log2_i,
  input  logic [31:0]           in_stride_i,
  input  logic [31:0]           out_stride_i,

  input  logic                  tile_valid_i,
  output logic                  tile_ready_o,
  output logic                  tile_begins_o,  // its first step is done in this cycle
  input  logic                  tile_room_i,    // it may be
  input  logic [31:0]           tile_in_i,
  input  logic [31:0]           tile_out_i,
  input  logic [CountWidth-1:0] tile_rows_i,
  input  logic [CountWidth-1:0] tile_cols_i,

  output logic                  win_valid_o,
  input  logic                  win_ready_i,
  output logic [31:0]           win_addr_o,
  output logic [11:0]           win_bytes_o,

  output logic                  fault_valid_o,  // for one cycle
  output logic [7:0]            fault_cause_o,
  output logic [63:0]           fault_address_o
);

  logic [CountWidth-1:0] step_q;
  logic [31:0]           in_addr_q;   // of the row of this step, but for the first
  logic [31:0]           out_addr_q;
  logic                  out_faulty_q;  // a row to be written was found to be faulty
  logic [7:0]            out_cause_q;
  logic [63:0]           out_address_q;

  logic first;
  logic last;
  logic go;

  assign first         = (step_q == '0);
  assign last          = (step_q + 1'b1 >= tile_rows_i) && (step_q + 1'b1 >= tile_cols_i);
  assign go            = tile_valid_i && (!win_valid_o || win_ready_i) && (!first || tile_room_i)
                         && !clear_i;
  assign tile_ready_o  = go && last;
  assign tile_begins_o = go && first;

  // Bytes of a row of `count` elements; whole groups of 8 are read and written.
  function automatic logic [11:0] row_bytes(input logic [CountWidth-1:0] count);
    logic [11:0] padded;
    padded    = (12'(count) + 12'd7) & ~12'd7;
    row_bytes = padded << size_log2_i;
  endfunction

  function automatic logic [7:0] row_fault(input logic [31:0] addr, input logic [11:0] bytes);
    logic [31:0] last_byte;
    last_byte = addr + 32'(bytes) - 32'd1;
    if ((addr & ((32'd8 << size_log2_i) - 32'd1)) != 32'd0) begin
      row_fault = isa_pkg::FaultMisaligned;
    end else if (addr >= 32'(BufferBytes) || last_byte >= 32'(BufferBytes)) begin
      row_fault = isa_pkg::FaultBufferRange;
    end else begin
      row_fault = isa_pkg::FaultNone;
    end
  endfunction

  // The address that a fault names: of the row where it is misaligned, else of the first byte
  // outside.
  function automatic logic [63:0] fault_address(input logic [7:0] cause, input logic [31:0] addr);
    fault_address = {32'd0, (cause == isa_pkg::FaultBufferRange && addr < 32'(BufferBytes))
                            ? 32'(BufferBytes) : addr};
  endfunction

  task automatic raise(input logic [7:0] cause, input logic [63:0] address);
    fault_valid_o   <= 1'b1;
    fault_cause_o   <= cause;
    fault_address_o <= address;
  endtask

  task automatic step();
    logic [31:0] in_addr;
    logic [31:0] out_addr;
    logic [7:0]  in_fault;
    logic [7:0]  out_fault;
    logic [63:0] out_address;
    in_addr     = first ? tile_in_i : in_addr_q;
    out_addr    = first ? tile_out_i : out_addr_q;
    in_fault    = isa_pkg::FaultNone;
    out_fault   = isa_pkg::FaultNone;
    out_address = fault_address(isa_pkg::FaultNone, out_addr);
    if (step_q < tile_rows_i) in_fault = row_fault(in_addr, row_bytes(tile_cols_i));
    if (!first && out_faulty_q) begin
      out_fault   = out_cause_q;
      out_address = out_address_q;
    end else if (step_q < tile_cols_i) begin
      out_fault   = row_fault(out_addr, row_bytes(tile_rows_i));
      out_address = fault_address(out_fault, out_addr);
    end

    if (in_fault != isa_pkg::FaultNone) begin
      raise(in_fault, fault_address(in_fault, in_addr));
    end else if (out_fault != isa_pkg::FaultNone && step_q + 1'b1 >= tile_rows_i) begin
      raise(out_fault, out_address);
    end else begin
      win_valid_o <= (step_q < tile_rows_i);
      win_addr_o  <= in_addr;
      win_bytes_o <= row_bytes(tile_cols_i);
    end
    out_faulty_q  <= (out_fault != isa_pkg::FaultNone);
    out_cause_q   <= out_fault;
    out_address_q <= out_address;
    in_addr_q     <= in_addr + in_stride_i;
    out_addr_q    <= out_addr + out_stride_i;
    step_q        <= last ? '0 : step_q + 1'b1;
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      step_q        <= '0;
      win_valid_o   <= 1'b0;
      fault_valid_o <= 1'b0;
    end else if (tile_valid_i || win_valid_o) begin
      if (win_ready_i) win_valid_o <= 1'b0;
      if (go) step();
    end
  end

endmodule
