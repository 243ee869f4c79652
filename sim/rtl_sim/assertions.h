#ifndef SYSTOLITH_SIM_RTL_SIM_ASSERTIONS_H_
#define SYSTOLITH_SIM_RTL_SIM_ASSERTIONS_H_

#include <string>

namespace systolith::rtl_sim {

// Assertions of the RTL that failed in this thread. Verilator's own handling would end the process,
// and with it waveform and report.
bool AssertionFailed();

// The first since the last call; empty if none.
std::string TakeFailedAssertion();

}  // namespace systolith::rtl_sim

#endif  // SYSTOLITH_SIM_RTL_SIM_ASSERTIONS_H_
