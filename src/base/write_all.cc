#include "base/write_all.h"

#include <cerrno>

#include <unistd.h>

namespace npuprof {

Status write_all(int descriptor, Bytes bytes, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error::from_errno("cannot write", name, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return ok_status();
}

}  // namespace npuprof
