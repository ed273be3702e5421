#pragma once

// The same events through LTTng-UST, for comparison. Without its library at build time, or its
// session daemon at run time, it is left out.

#include <string>

#include <sys/types.h>

namespace bench {

// Traces this process into a snapshot buffer (nothing is written to disk) as long as it lives.
class LttngSession {
 public:
  LttngSession();
  LttngSession(const LttngSession&) = delete;
  LttngSession& operator=(const LttngSession&) = delete;
  ~LttngSession();

  bool is_running() const { return reason_.empty(); }
  // Why it is not.
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
  std::string session_;
  pid_t daemon_ = 0;  // That was started here.
};

// Ranges as two tracepoints each.
void lttng_ranges(int count);

}  // namespace bench
