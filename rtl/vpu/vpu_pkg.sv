// What the blocks of the vector unit hand to one another.
package vpu_pkg;

  // One checked bundle for all instances of a batch.
  typedef struct packed {
    logic [1:0]   a_outputs;  // output streams that slot a names
    logic [3:0]   a_inputs;
    logic [1:0]   stores;     // output streams that any slot names
    logic [3:0]   uses;
    logic         leaves;     // the batch ends with it
    logic         prologue;
    logic [4:0]   gap;
    logic [2:0]   count;      // instances
    logic [159:0] bundle;
  } step_t;

  // One bundle for one instance, on its way to execution.
  typedef struct packed {
    logic [3:0]   uses;    // input streams whose groups it takes
    logic [1:0]   stores;  // output streams that it gives a group to
    logic         ends;    // the instance ends with it
    logic [4:0]   gap;     // cycles in which nothing may start after it
    logic [1:0]   thread;
    logic [159:0] bundle;
  } record_t;
  localparam int RecordWidth = 174;

  // One group to fetch: the stream's description, and where sublane 0 lies.
  typedef struct packed {
    logic [1:0]  stream;
    logic [3:0]  lane_type;
    logic [1:0]  source;
    logic [2:0]  unit;
    logic        flat;
    logic [1:0]  spread;
    logic        gather;
    logic [31:0] gather_limit;
    logic [31:0] gather_stride;
    logic [31:0] gather_base;
    logic [31:0] fill;
    logic [31:0] y_limit;
    logic [31:0] x_limit;
    logic [31:0] y_step;
    logic [31:0] x_step;
    logic [31:0] addr_step;
    logic [31:0] y;
    logic [31:0] x;
    logic [31:0] addr;
  } request_t;

  // What all groups of an output stream have in common.
  typedef struct packed {
    logic [3:0]  lane_type;
    logic        flat;
    logic [1:0]  spread;
    logic [31:0] y_limit;
    logic [31:0] x_limit;
    logic [31:0] y_step;
    logic [31:0] x_step;
    logic [31:0] addr_step;
  } output_t;

endpackage
