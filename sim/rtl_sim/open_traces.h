#ifndef SYSTOLITH_SIM_RTL_SIM_OPEN_TRACES_H_
#define SYSTOLITH_SIM_RTL_SIM_OPEN_TRACES_H_

#include "verilated_fst_c.h"

namespace systolith::rtl_sim {

// Waveforms being written. Those that are still open when the process exits are closed then, so
// that the files can be read. Safe from several threads.
class OpenTraces {
 public:
  static void Add(VerilatedFstC* trace);
  static void Close(VerilatedFstC* trace);
};

}  // namespace systolith::rtl_sim

#endif  // SYSTOLITH_SIM_RTL_SIM_OPEN_TRACES_H_
