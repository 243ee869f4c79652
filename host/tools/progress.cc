#include "host/tools/progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

namespace systolith::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::milliseconds(50);
constexpr auto kFirstLine = std::chrono::milliseconds(700);
constexpr auto kTerminalInterval = std::chrono::milliseconds(500);
constexpr auto kLogInterval = std::chrono::seconds(10);

std::atomic<bool> interrupted{false};

void OnInterrupt(int) { interrupted.store(true); }

// Shared with the working thread, which may outlive the call.
struct Done {
  std::mutex mutex;
  std::condition_variable changed;
  bool value = false;

  bool WaitFor(Clock::duration time) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, time, [this] { return value; });
  }
};

}  // namespace

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = SA_RESETHAND | SA_RESTART;  // the second signal has its default effect
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool Interrupted() { return interrupted.load(); }

bool Progress::Do(const std::string& what, const std::function<std::string()>& detail,
                  std::function<void()> work, const std::function<void()>& stop) {
  const auto done = std::make_shared<Done>();
  std::thread thread([done, work = std::move(work)] {
    work();
    {
      const std::lock_guard lock(done->mutex);
      done->value = true;
    }
    done->changed.notify_all();
  });
  const Clock::time_point start = Clock::now();
  const bool terminal = isatty(STDERR_FILENO) != 0;
  Clock::time_point next = start + kFirstLine;
  while (!done->WaitFor(kPoll)) {
    const Clock::time_point now = Clock::now();
    if (Interrupted()) {
      Clear();
      if (stop) {
        if (!quiet_) fmt::print(stderr, "systolith: interrupted; stopping\n");
        stop();
        if (done->WaitFor(std::chrono::seconds(kStopSeconds))) break;
      }
      thread.detach();
      return false;
    }
    if (!quiet_ && now >= next) {
      Show(what, detail ? detail() : "", now - start);
      next = now + (terminal ? Clock::duration(kTerminalInterval) : Clock::duration(kLogInterval));
    }
  }
  thread.join();
  Clear();
  return true;
}

void Progress::Show(const std::string& what, const std::string& detail, Clock::duration elapsed) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const std::string line = fmt::format("systolith: {}, {:.1f} s{}{}", what, seconds,
                                       detail.empty() ? "" : ", ", detail);
  if (isatty(STDERR_FILENO) != 0) {
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    line_shown_ = true;
  } else {
    fmt::print(stderr, "{}\n", line);
  }
}

void Progress::Clear() {
  if (line_shown_) fmt::print(stderr, "\r\033[K");
  line_shown_ = false;
}

}  // namespace systolith::tools
