#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npuprof/record.h"

namespace npuprof::python {

// The options of a profiler, checked by the Python side.
struct SessionConfig {
  bool cpu = true;
  bool npu = true;
  bool mstx = false;
  std::vector<std::string> mstx_domain_include;
  std::vector<std::string> mstx_domain_exclude;
  std::vector<std::string> host_sys;
  std::int64_t rank = -1;
  std::string info_json;  // What profiler_info.json is to say of the settings; may be empty.
};

// One collection: fills one result directory. Methods throw std::runtime_error with a sentence.
class Session {
 public:
  Session(const std::string& result_directory, SessionConfig config);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  void warmup() {}
  // When recording began, in the clock of the records.
  std::int64_t start();
  void stop();
  void finalize();

  // Whether ranges of the program are recorded now: by some session, of the activity CPU.
  static bool records_ranges();

 private:
  SessionConfig config_;
  npuprof_session* recorder_ = nullptr;
};

}  // namespace npuprof::python
