`ifndef PRIM_ROUNDS_SVH
`define PRIM_ROUNDS_SVH

// Rounds of a loop over `count` pieces of wide work, whose body runs where its index is below
// `count`. The simulator unrolls loops of up to 8 rounds (--unroll-count), and what it makes of wide
// work then is large and slow: there, a loop has at least 9.
`ifdef VERILATOR
  `define PRIM_ROUNDS(count) (((count) > 8) ? (count) : 9)
`else
  `define PRIM_ROUNDS(count) (count)
`endif

`endif  // PRIM_ROUNDS_SVH
