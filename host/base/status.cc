#include "host/base/status.h"

namespace systolith {

Status Status::WithContext(const std::string& context) const {
  return ok() ? *this : Status(code_, context + ": " + message_);
}

int Status::ExitCode() const {
  switch (code_) {
    case StatusCode::kOk: return 0;
    case StatusCode::kWrongResult: return 1;
    case StatusCode::kInvalidArgument: return 2;
    case StatusCode::kUnsupported: return 3;
    case StatusCode::kDeviceFault:
    case StatusCode::kTimeout:
    case StatusCode::kCancelled:
    case StatusCode::kInternal: return 4;
  }
  return 4;
}

Status WrongResult(std::string message) { return {StatusCode::kWrongResult, std::move(message)}; }
Status InvalidArgument(std::string message) {
  return {StatusCode::kInvalidArgument, std::move(message)};
}
Status Unsupported(std::string message) { return {StatusCode::kUnsupported, std::move(message)}; }
Status DeviceFault(std::string message) { return {StatusCode::kDeviceFault, std::move(message)}; }
Status Timeout(std::string message) { return {StatusCode::kTimeout, std::move(message)}; }
Status Cancelled(std::string message) { return {StatusCode::kCancelled, std::move(message)}; }
Status Internal(std::string message) { return {StatusCode::kInternal, std::move(message)}; }

}  // namespace systolith
