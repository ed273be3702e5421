#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "format/host/levels.h"
#include "sim/npu/host_log.h"

namespace npuprof::sim {

// A function of the operator library or of the runtime, as call intervals name it.
struct AclCall {
  std::uint32_t type = 0;
};

// The functions at the ACL level that a program calls; each gets a number when it is first named.
class AclCalls {
 public:
  explicit AclCalls(HostLog& host_log) : host_log_(host_log) {}

  AclCall named(std::string_view name);
  // A call interval.
  void report(std::uint32_t thread, AclCall call, std::int64_t begin_ns, std::int64_t end_ns) {
    host_log_.api(format::host::kLevelAcl, call.type, thread, begin_ns, end_ns, 0);
  }
  // A collection begins: tells it all names there are.
  void tell_names();

 private:
  HostLog& host_log_;
  std::map<std::string, AclCall, std::less<>> calls_;
  std::array<std::uint16_t, 16> last_numbers_{};  // In each category.
};

}  // namespace npuprof::sim
