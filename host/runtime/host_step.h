#ifndef SYSTOLITH_HOST_RUNTIME_HOST_STEP_H_
#define SYSTOLITH_HOST_RUNTIME_HOST_STEP_H_

#include "host/graph/graph.h"
#include "host/hal/transport.h"
#include "host/runtime/run_state.h"

namespace systolith::runtime {

// Runs step `index`, a host step, in the evaluator: inputs come from device memory, outputs go back
// there, outcomes of checks into the run's state. On the device's worker.
Status RunHostStep(hal::Transport& transport, Run::State& run, size_t index,
                   const graph::Module& module, const evaluator::EvalOptions& options);

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_HOST_STEP_H_
