#include "sim/rtl_sim/verilated_chip.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/rtl_sim/assertions.h"
#include "sim/rtl_sim/open_traces.h"

namespace systolith::rtl_sim {
namespace {

constexpr int kResetCycles = 4;
constexpr int kPicoseconds = -12;
constexpr int kTraceDepth = 99;

std::unique_ptr<VerilatedContext> NewContext(bool trace) {
  auto context = std::make_unique<VerilatedContext>();
  context->threads(1);
  context->traceEverOn(trace);
  context->timeunit(kPicoseconds);
  context->timeprecision(kPicoseconds);
  return context;
}

}  // namespace

VerilatedChip::VerilatedChip(const arch::ChipConfig& config, const hal::TransportOptions& options)
    : trace_path_(options.trace_path),
      trace_start_(options.trace_start_cycle),
      trace_end_(options.trace_end_cycle),
      half_period_ps_(static_cast<uint64_t>(500000 / std::max<int64_t>(config.clock_mhz, 1))),
      context_(NewContext(!options.trace_path.empty())),
      top_(std::make_unique<Vchip_top>(context_.get(), "chip")),
      memory_(hbm_device::MakeMemoryDevice(config, hbm_device::PinsOf(*top_))) {
  top_->clk_i = 0;
  Reset();
}

VerilatedChip::~VerilatedChip() {
  TakeThread();
  CloseTrace();
  top_->final();
  memory_.reset();
  top_.reset();
  Verilated::threadContextp(Verilated::defaultContextp());  // nobody finds the one that goes
}

// Verilator's runtime finds the context of a failed assertion, and of a model that is destroyed,
// through the thread; by default that is the context made last, whosever it is.
void VerilatedChip::TakeThread() {
  if (Verilated::threadContextp() != context_.get()) Verilated::threadContextp(context_.get());
}

void VerilatedChip::OpenTrace() {
  trace_ = std::make_unique<VerilatedFstC>();
  top_->trace(trace_.get(), kTraceDepth);
  trace_->open(trace_path_.c_str());
  OpenTraces::Add(trace_.get());
}

void VerilatedChip::CloseTrace() {
  if (!trace_) return;
  OpenTraces::Close(trace_.get());
  trace_.reset();
}

void VerilatedChip::Dump(uint64_t half) {
  if (cycle_ < trace_start_) return;
  if (cycle_ >= trace_end_) return CloseTrace();
  if (!trace_) {
    if (half != 0 || cycle_ != trace_start_) return;  // closed before
    OpenTrace();
  }
  trace_->dump((2 * cycle_ + half) * half_period_ps_);
}

void VerilatedChip::Settle() {
  TakeThread();
  top_->clk_i = 0;
  top_->eval();
  if (!trace_path_.empty()) Dump(0);
}

void VerilatedChip::Edge() {
  top_->clk_i = 1;
  top_->eval();
  if (!trace_path_.empty()) Dump(1);
  const bool memory_holds = memory_->Step();
  ++cycle_;
  if (!memory_holds || AssertionFailed()) Fail();
}

void VerilatedChip::Fail() {
  const std::string assertion = TakeFailedAssertion();
  if (!status_.ok()) return;  // the first one counts
  status_ = Internal(
      assertion.empty() ? fmt::format("memory device at cycle {}: {}", cycle_, memory_->violation())
                        : fmt::format("assertion at cycle {}: {}", cycle_, assertion));
}

void VerilatedChip::Reset() {
  status_ = OkStatus();
  top_->rst_ni = 0;
  memory_->Reset();
  for (int i = 0; i < kResetCycles; ++i) Cycle();
  memory_->Reset();  // whatever the pins did before the reset took effect
  top_->rst_ni = 1;
  TakeFailedAssertion();
  status_ = OkStatus();
}

}  // namespace systolith::rtl_sim
