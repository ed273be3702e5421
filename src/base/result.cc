#include "base/result.h"

#include <cerrno>
#include <cstring>

namespace npuprof {

std::string_view error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kPermission:
      return "no permission";
    case ErrorCode::kNoSpace:
      return "no space left";
    case ErrorCode::kIo:
      return "input/output error";
    case ErrorCode::kTruncated:
      return "truncated";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kInternal:
      return "internal error";
  }
  return "unknown error";
}

namespace {

ErrorCode code_of_errno(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kPermission;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return ErrorCode::kNoSpace;
    case EPIPE:  // Who read has seen enough.
      return ErrorCode::kCancelled;
    default:
      return ErrorCode::kIo;
  }
}

}  // namespace

Error Error::from_errno(std::string_view what, std::string_view path, int errno_value) {
  std::string message(what);
  message.append(" '").append(path).append("': ").append(std::strerror(errno_value));
  return {code_of_errno(errno_value), std::move(message)};
}

}  // namespace npuprof
