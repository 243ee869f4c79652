#include "host/tools/conformance/worker_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "host/tools/progress.h"

namespace systolith::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 100;
constexpr char kReady[] = "ready";
constexpr char kFailed[] = "failed ";

// One child, and the piece that it works on.
struct Child {
  pid_t process = -1;
  int requests = -1;  // written here
  int answers = -1;   // read here
  std::string received;
  bool ready = false;
  std::optional<size_t> piece;
  Clock::time_point since;
};

void WriteLine(int file, const std::string& text) {
  const std::string line = text + "\n";
  for (size_t written = 0; written < line.size();) {
    const ssize_t n = write(file, line.data() + written, line.size() - written);
    if (n <= 0) return;
    written += static_cast<size_t>(n);
  }
}

[[noreturn]] void RunChild(int requests, int answers,
                           const std::function<Result<Work>()>& start) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN);  // the parent decides
  Result<Work> work = start();
  if (!work.ok()) {
    WriteLine(answers, kFailed + work.status().message());
    std::_Exit(0);
  }
  WriteLine(answers, kReady);
  FILE* lines = fdopen(requests, "r");
  size_t piece = 0;
  while (std::fscanf(lines, "%zu", &piece) == 1) WriteLine(answers, (*work)(piece));
  std::_Exit(0);
}

class Pool {
 public:
  Pool(size_t count, const PoolOptions& options, const std::function<Result<Work>()>& start,
       const std::function<void(size_t, const Answer&)>& done)
      : count_(count), options_(options), start_(start), done_(done) {}
  ~Pool() {
    for (Child& child : children_) End(child, SIGKILL);
  }

  Status Run() {
    signal(SIGPIPE, SIG_IGN);
    children_.resize(std::min(count_, static_cast<size_t>(std::max(1, options_.jobs))));
    while (answered_ < count_) {
      if (Interrupted()) return Cancelled("interrupted");
      for (Child& child : children_) {
        if (child.process < 0 && next_ < count_) RETURN_IF_ERROR(Start(child));
        if (child.ready && !child.piece && next_ < count_) Give(child);
      }
      Wait();
      for (Child& child : children_) {
        if (child.process >= 0) RETURN_IF_ERROR(Attend(child));
      }
    }
    return OkStatus();
  }

 private:
  Status Start(Child& child) {
    int requests[2], answers[2];
    if (pipe(requests) != 0 || pipe(answers) != 0) return Internal("pipe: no file is left");
    std::fflush(nullptr);
    child = {};
    child.process = fork();
    if (child.process < 0) return Internal("fork: no process is left");
    if (child.process == 0) {
      close(requests[1]);
      close(answers[0]);
      for (const Child& other : children_) {
        if (other.requests >= 0) close(other.requests);  // else it would not see their end
      }
      RunChild(requests[0], answers[1], start_);
    }
    close(requests[0]);
    close(answers[1]);
    child.requests = requests[1];
    child.answers = answers[0];
    return OkStatus();
  }

  void Give(Child& child) {
    child.piece = next_++;
    child.since = Clock::now();
    WriteLine(child.requests, std::to_string(*child.piece));
  }

  void Wait() {
    std::vector<pollfd> files;
    for (const Child& child : children_) {
      if (child.process >= 0) files.push_back({child.answers, POLLIN, 0});
    }
    (void)poll(files.data(), files.size(), kPollMilliseconds);
  }

  Status Attend(Child& child) {
    pollfd file = {child.answers, POLLIN, 0};
    while (poll(&file, 1, 0) > 0) {
      char bytes[4096];
      const ssize_t n = read(child.answers, bytes, sizeof(bytes));
      if (n <= 0) return Bury(child);
      child.received.append(bytes, static_cast<size_t>(n));
      for (size_t end = child.received.find('\n'); end != std::string::npos;
           end = child.received.find('\n')) {
        const std::string line = child.received.substr(0, end);
        child.received.erase(0, end + 1);
        if (child.piece) {
          Take(child, {true, line});
        } else if (line == kReady) {
          child.ready = true;
        } else {
          return Internal(line.substr(std::min(line.size(), sizeof(kFailed) - 1)));
        }
      }
    }
    const std::chrono::duration<double> taken = Clock::now() - child.since;
    if (child.piece && taken.count() > options_.seconds) {
      Take(child, {false, fmt::format("no answer within {} s", options_.seconds)});
      End(child, SIGKILL);
    }
    return OkStatus();
  }

  // The child died.
  Status Bury(Child& child) {
    const int status = End(child, 0);
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("crashed: {}", strsignal(WTERMSIG(status)))
                                : fmt::format("left with exit code {}", WEXITSTATUS(status));
    if (!child.piece) return Internal("a child process " + how);
    Take(child, {false, how});
    return OkStatus();
  }

  void Take(Child& child, const Answer& answer) {
    const size_t piece = *child.piece;
    child.piece.reset();
    ++answered_;
    done_(piece, answer);
  }

  int End(Child& child, int with_signal) {
    int status = 0;
    if (child.process < 0) return status;
    if (with_signal != 0) kill(child.process, with_signal);
    waitpid(child.process, &status, 0);
    close(child.requests);
    close(child.answers);
    child.process = child.requests = child.answers = -1;
    child.ready = false;
    return status;
  }

  const size_t count_;
  const PoolOptions options_;
  const std::function<Result<Work>()>& start_;
  const std::function<void(size_t, const Answer&)>& done_;
  std::vector<Child> children_;
  size_t next_ = 0, answered_ = 0;
};

}  // namespace

Status DoInChildren(size_t count, const PoolOptions& options,
                    const std::function<Result<Work>()>& start,
                    const std::function<void(size_t, const Answer&)>& done) {
  return Pool(count, options, start, done).Run();
}

}  // namespace systolith::tools
