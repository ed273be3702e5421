#include "base/result.h"

#include <cerrno>
#include <cstring>

namespace npuprof {

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
