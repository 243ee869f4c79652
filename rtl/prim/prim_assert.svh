`ifndef PRIM_ASSERT_SVH
`define PRIM_ASSERT_SVH

// Immediate assertions that Verilator checks in simulation and yosys reads for proofs. They are
// evaluated at the rising clock edge while `rst_ni` is high, so a block that uses the macro has
// ports `clk_i` and `rst_ni`.
`ifdef SYNTHESIS
  `define PRIM_ASSERT(name, condition)
`else
  `ifdef YOSYS
    `define PRIM_ASSERT(name, condition) \
      always @(posedge clk_i) if (rst_ni) assert (condition);
  `else
    `define PRIM_ASSERT(name, condition) \
      always_ff @(posedge clk_i) begin \
        if (rst_ni) begin \
          name : assert (condition) \
          else $error("assertion name failed in %m"); \
        end \
      end
  `endif
`endif

`endif  // PRIM_ASSERT_SVH
