#ifndef SYSTOLITH_HOST_BASE_STATUS_H_
#define SYSTOLITH_HOST_BASE_STATUS_H_

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace systolith {

// What went wrong, in the classes that the command line's exit codes tell apart.
enum class StatusCode {
  kOk = 0,
  kWrongResult,      // a check failed                                    exit code 1
  kInvalidArgument,  // bad usage or bad input                            exit code 2
  kUnsupported,      // the compiler or the chip can't do this operation  exit code 3
  kDeviceFault,      // the chip reported an error                        exit code 4
  kTimeout,          // the chip did not answer in time                   exit code 4
  kCancelled,        // the user interrupted the work                     exit code 4
  kInternal,         // a fault of this software                          exit code 4
};

// Success, or a code with a message that names thing, place, reason and remedy. Cheap to move;
// safe to read from several threads.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // The same status with `context` and ": " in front of its message; Ok stays Ok.
  Status WithContext(const std::string& context) const;

  // The process exit code of docs: 0, 1, 2, 3 or 4.
  int ExitCode() const;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

inline Status OkStatus() { return Status(); }
Status WrongResult(std::string message);
Status InvalidArgument(std::string message);
Status Unsupported(std::string message);
Status DeviceFault(std::string message);
Status Timeout(std::string message);
Status Cancelled(std::string message);
Status Internal(std::string message);

// A value, or the status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit by intent
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }  // NOLINT

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }

  // The value; calling these on an error is a fault of the caller.
  const T& value() const& { assert(ok()); return *value_; }
  T& value() & { assert(ok()); return *value_; }
  T&& value() && { assert(ok()); return std::move(*value_); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

 private:
  Status status_;
  std::optional<T> value_;
};

#define SYSTOLITH_CONCAT_INNER(a, b) a##b
#define SYSTOLITH_CONCAT(a, b) SYSTOLITH_CONCAT_INNER(a, b)

// Leaves the function with the status if it is an error.
#define RETURN_IF_ERROR(expression)                                  \
  do {                                                               \
    if (::systolith::Status status_ = (expression); !status_.ok()) { \
      return status_;                                                \
    }                                                                \
  } while (false)

// ASSIGN_OR_RETURN(auto x, F()): x is the value of F(), or the function returns its status.
#define ASSIGN_OR_RETURN(declaration, expression)                                          \
  ASSIGN_OR_RETURN_IMPL(SYSTOLITH_CONCAT(result_, __LINE__), declaration, expression)
#define ASSIGN_OR_RETURN_IMPL(result, declaration, expression) \
  auto result = (expression);                                  \
  if (!result.ok()) return result.status();                    \
  declaration = std::move(result).value()

}  // namespace systolith

#endif  // SYSTOLITH_HOST_BASE_STATUS_H_
