// What passes between the parts of a DMA engine.
package dma_pkg;

  // One innermost iteration: bytes that are contiguous on both sides, or none for a sync.
  typedef struct packed {
    logic [39:0] hbm_addr;
    logic [31:0] buffer_addr;
    logic [31:0] bytes;
    logic [31:0] image_bytes;  // bytes in the buffer: behind `bytes` comes fill
    logic [31:0] fill;
    logic [15:0] flags;        // flags of the two signals
    logic [1:0]  fire;         // which of them this iteration raises once it is done
    logic        fresh;        // memory may have changed since the run before
    logic        last;         // of its instruction
    logic        moves;        // clear: a sync, no bytes
  } run_t;
  localparam int RunWidth = 40 + 4 * 32 + 16 + 2 + 3;

endpackage
