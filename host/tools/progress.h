#ifndef SYSTOLITH_HOST_TOOLS_PROGRESS_H_
#define SYSTOLITH_HOST_TOOLS_PROGRESS_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace systolith::tools {

// Makes Ctrl-C (SIGINT) and SIGTERM set a flag; a second one kills the process.
void CatchInterrupts();
bool Interrupted();

// Does a piece of long work in another thread while this one tells of it on stderr, for the first
// time within a second, and looks for interrupts.
//
//   Progress progress(quiet);
//   if (!progress.Do("compiling", [] { return ""; }, [&] { result = Compile(...); })) ...
class Progress {
 public:
  explicit Progress(bool quiet) : quiet_(quiet) {}

  // Runs `work` to its end. `detail` adds to the line ("12,345 cycles"); called from this thread.
  // False as soon as the user interrupts: `work` then goes on in the background with everything
  // that it uses, and the caller must leave the process without touching that; unless `stop` is
  // given, which must make `work` end soon and is called once: then its end is awaited.
  // A second chance is not waited for longer than `kStopSeconds`.
  bool Do(const std::string& what, const std::function<std::string()>& detail,
          std::function<void()> work, const std::function<void()>& stop = nullptr);

  static constexpr int kStopSeconds = 20;

 private:
  void Show(const std::string& what, const std::string& detail,
            std::chrono::steady_clock::duration elapsed);
  void Clear();

  const bool quiet_;
  bool line_shown_ = false;
};

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_PROGRESS_H_
