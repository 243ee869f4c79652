#include "host/compiler/codegen/vector_unit.h"

#include <algorithm>
#include <utility>

namespace systolith::compiler {
namespace {

constexpr size_t kRecent = 8;  // descriptions that are remembered

constexpr uint32_t BasesWord() {
  for (const arch::FieldInfo& field : arch::kVectorFields) {
    if (field.name == "bases") return field.word;
  }
  return 0;
}

}  // namespace

void VectorUnit::Emit(const RowJob& job, const Touches& touches) {
  if (Status status = TryEmit(job, touches); !status.ok()) emitter_.Fail(std::move(status));
}

void VectorUnit::Emit(const TreeJob& job, const Touches& touches) {
  if (Status status = TryEmit(job, touches); !status.ok()) emitter_.Fail(std::move(status));
}

void VectorUnit::Emit(const FoldJob& job, const Touches& touches) {
  if (Status status = TryEmit(job, touches); !status.ok()) emitter_.Fail(std::move(status));
}

void VectorUnit::Emit(const DepthwiseJob& job, const Touches& touches) {
  if (Status status = TryEmit(job, touches); !status.ok()) emitter_.Fail(std::move(status));
}

void VectorUnit::Forget() {
  memory_.Clear();
  streams_.fill(std::nullopt);
}

void VectorUnit::EmitForEach(const RowJob& job, Emitter::WordLoop loop,
                             const AccessLog& table_log, const Touches& touches) {
  Status status = TryEmitForEach(job, std::move(loop), table_log, touches);
  if (!status.ok()) emitter_.Fail(std::move(status));
}

void VectorUnit::ChoosePlaces(LoweredJob& job) {
  std::vector<std::optional<size_t>> places(job.streams.size());
  std::array<bool, kStreams> is_taken{};
  // Calls with the places that a stream could take.
  const auto find_place = [&](size_t i, const auto& is_better) {
    const bool is_input = job.streams[i].index < arch::kInputStreams;
    std::optional<size_t> best;
    for (size_t place = is_input ? 0 : arch::kInputStreams;
         place < (is_input ? arch::kInputStreams : kStreams); ++place) {
      if (!is_taken[place] && is_better(place, best)) best = place;
    }
    if (best) is_taken[*best] = true;
    places[i] = best;
  };
  for (size_t i = 0; i < places.size(); ++i) {
    find_place(i, [&](size_t place, std::optional<size_t> best) {
      arch::Stream wanted = job.streams[i];
      wanted.index = static_cast<uint32_t>(place);
      return !best && streams_[place] == wanted;
    });
  }
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i]) continue;
    const arch::Stream& stream = job.streams[i];
    const bool comes_back = std::find(recent_.begin(), recent_.end(), stream) != recent_.end();
    const bool is_usual_free = !is_taken[stream.index];
    find_place(i, [&](size_t place, std::optional<size_t> best) {
      if (!comes_back && is_usual_free) return place == stream.index;
      return !best || last_use_[place] < last_use_[*best];
    });
    if (!comes_back) recent_.push_back(stream);
    if (recent_.size() > kRecent) recent_.pop_front();
  }
  const auto bases = job.vector.bases;
  job.vector.bases = {};
  for (size_t i = 0; i < places.size(); ++i) {
    arch::Stream& stream = job.streams[i];
    job.vector.bases[*places[i]] = bases[stream.index];
    if (stream.index < arch::kInputStreams) {
      job.kernel.inputs[stream.index] = static_cast<uint32_t>(*places[i]);
    } else {
      job.kernel.output = static_cast<uint32_t>(*places[i] - arch::kInputStreams);
    }
    stream.index = static_cast<uint32_t>(*places[i]);
  }
}

Result<std::pair<LoweredJob, const kernel::Kernel*>> VectorUnit::Lower(const RowJob& job) {
  // Several groups together may need more registers than there are.
  for (int64_t max_groups = kMaxGroups;; max_groups /= 2) {
    ASSIGN_OR_RETURN(LoweredJob lowered, LowerRowJob(job, chip_, max_groups));
    const ChainKernel as_lowered = lowered.kernel;
    if (max_groups > 1 && misfits_.contains(as_lowered)) continue;
    ChoosePlaces(lowered);
    auto found = chains_.find(lowered.kernel);
    if (found == chains_.end()) {
      Result<kernel::Kernel> built = BuildChainKernel(lowered.kernel, chip_);
      if (!built.ok() && max_groups > 1) {
        misfits_.insert(as_lowered);
        continue;
      }
      RETURN_IF_ERROR(built.status());
      found = chains_.emplace(lowered.kernel, *std::move(built)).first;
    }
    return std::pair(std::move(lowered), &std::as_const(found->second));
  }
}

Status VectorUnit::TryEmit(const RowJob& job, const Touches& touches) {
  ASSIGN_OR_RETURN(const auto lowered, Lower(job));
  return Run(*lowered.second, lowered.first.streams, lowered.first.vector, touches);
}

Status VectorUnit::TryEmitForEach(const RowJob& job, Emitter::WordLoop loop,
                                  const AccessLog& table_log, const Touches& touches) {
  ASSIGN_OR_RETURN(const auto lowered, Lower(job));
  ASSIGN_OR_RETURN(const arch::Vector vector,
                   Prepare(*lowered.second, lowered.first.streams, lowered.first.vector));
  const ChainKernel& kernel = lowered.first.kernel;
  const auto base = [](size_t place) { return BasesWord() + static_cast<uint32_t>(place); };
  loop.places = {base(arch::kInputStreams + kernel.output)};
  if (kernel.has_x) loop.places.push_back(base(kernel.inputs[0]));
  loop.counter_place = base(kernel.inputs[1]);
  emitter_.VectorForEach(vector, loop, table_log, touches);
  return OkStatus();
}

template <typename Lowered, typename Kernel>
Status VectorUnit::TryEmit(const Result<Lowered>& lowered, std::map<Kernel, kernel::Kernel>& known,
                           Result<kernel::Kernel> (*build)(const Kernel&),
                           const Touches& touches) {
  RETURN_IF_ERROR(lowered.status());
  auto found = known.find(lowered->kernel);
  if (found == known.end()) {
    ASSIGN_OR_RETURN(kernel::Kernel built, build(lowered->kernel));
    found = known.emplace(lowered->kernel, std::move(built)).first;
  }
  return Run(found->second, lowered->streams, lowered->vector, touches);
}

Status VectorUnit::TryEmit(const TreeJob& job, const Touches& touches) {
  return TryEmit(LowerTreeJob(job, chip_), trees_, BuildTreeKernel, touches);
}

Status VectorUnit::TryEmit(const FoldJob& job, const Touches& touches) {
  return TryEmit(LowerFoldJob(job, chip_), folds_, BuildFoldKernel, touches);
}

Status VectorUnit::TryEmit(const DepthwiseJob& job, const Touches& touches) {
  return TryEmit(LowerDepthwise(job, chip_), depthwise_, BuildDepthwiseKernel, touches);
}

Status VectorUnit::Run(const kernel::Kernel& code, const std::vector<arch::Stream>& streams,
                       const arch::Vector& vector, const Touches& touches) {
  ASSIGN_OR_RETURN(const arch::Vector finished, Prepare(code, streams, vector));
  emitter_.Vector(finished, touches);
  return OkStatus();
}

Result<arch::Vector> VectorUnit::Prepare(const kernel::Kernel& code,
                                         const std::vector<arch::Stream>& streams,
                                         arch::Vector vector) {
  ASSIGN_OR_RETURN(const kernel::KernelMemory::Place place, memory_.Use(code));
  if (place.load) {
    ++changes_;
    for (const arch::LoadKernel& load :
         kernel::LoadInstructions(code, place.kernel_base, place.constant_base)) {
      emitter_.LoadKernel(load);
    }
  }
  ++instructions_;
  for (const arch::Stream& stream : streams) {
    last_use_[stream.index] = instructions_;
    std::optional<arch::Stream>& resident = streams_[stream.index];
    if (resident == stream) continue;
    resident = stream;
    ++changes_;
    emitter_.Stream(stream);
  }
  vector.kernel_base = place.kernel_base;
  vector.constant_base = place.constant_base;
  vector.body = code.body;
  // A kernel that runs longer than it should is a fault. 0, no limit, where no number holds it.
  const uint64_t most = code.MostBundles(vector.counts);
  vector.bundle_limit = most >> 32 == 0 ? static_cast<uint32_t>(most) : 0;
  emitter_.SetKernel(code.name);
  return vector;
}

}  // namespace systolith::compiler
