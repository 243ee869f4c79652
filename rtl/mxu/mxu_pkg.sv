// What the parts of one MXU pass to each other.
package mxu_pkg;

  // log2 of an element's bytes.
  function automatic logic [1:0] size_shift(input logic [1:0] operand_type);
    size_shift = ({6'd0, operand_type} == isa_pkg::OperandTypeBf16) ? 2'd1 :
                 ({6'd0, operand_type} == isa_pkg::OperandTypeInt8) ? 2'd0 : 2'd2;
  endfunction

  // Both operands are byte 0 of fp32: the pass in which Inf and NaN count.
  function automatic logic is_leading(input logic [1:0] a_type, input logic [1:0] a_slice,
                                      input logic [1:0] w_type, input logic [1:0] w_slice);
    is_leading = {6'd0, a_type} == isa_pkg::OperandTypeF32Slice &&
                 {6'd0, w_type} == isa_pkg::OperandTypeF32Slice && {a_slice, w_slice} == 4'd0;
  endfunction

  function automatic logic [2:0] format(input logic [1:0] operand_type, input logic [1:0] slice,
                                        input logic leading);
    case ({6'd0, operand_type})
      isa_pkg::OperandTypeInt8:       format = float_operand_pkg::FormatInt8;
      isa_pkg::OperandTypeBf16:       format = float_operand_pkg::FormatBf16;
      isa_pkg::OperandTypeF32Rounded: format = float_operand_pkg::FormatFp32Rounded;
      default: format = leading ? float_operand_pkg::FormatFp32Leading :
                        slice == 2'd0 ? float_operand_pkg::FormatFp32Byte0 :
                        slice == 2'd1 ? float_operand_pkg::FormatFp32Byte1 :
                                        float_operand_pkg::FormatFp32Byte2;
    endcase
  endfunction

  localparam int RowBits = 39;  // of row_t

  // What travels beside an activation row from its window to its accumulator. A signal is
  // {valid, flag 8}.
  typedef struct packed {
    logic [2:0]  format;  // float_operand_pkg::format_t
    logic        swap;    // the first row of a weight tile
    logic        fresh;   // starts from +0
    logic [15:0] accumulator;
    logic [8:0]  signal1;
    logic [8:0]  signal0;
  } row_t;

endpackage
