#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cann/switches.h"
#include "device_side.h"
#include "npuprof/record.h"

namespace npuprof::python {

// The options of a profiler, checked by the Python side.
struct SessionConfig {
  bool cpu = true;
  bool npu = true;
  bool recorder = true;  // Off: the framework records by itself, and only CANN collects here.
  cann::CollectionOptions device;
  std::vector<std::string> mstx_domain_include;
  std::vector<std::string> mstx_domain_exclude;
  std::int64_t rank = -1;
  std::string info_json;  // What profiler_info.json is to say of the settings; may be empty.
};

// One collection: fills one result directory, with what the recorder and CANN have to say. Methods
// throw std::runtime_error with a sentence; the device side only warns.
class ProfilerSession {
 public:
  ProfilerSession(const std::string& result_directory, SessionConfig config);
  ProfilerSession(const ProfilerSession&) = delete;
  ProfilerSession& operator=(const ProfilerSession&) = delete;
  ~ProfilerSession();

  void warmup();
  // When recording began, in the clock of the records.
  std::int64_t start();
  void stop();
  void finalize();

  bool is_simulated() const { return device_ != nullptr && device_->is_simulated(); }

  // Whether ranges of the program are recorded now: by some session, of the activity CPU.
  static bool records_ranges();

 private:
  SessionConfig config_;
  std::unique_ptr<DeviceSide> device_;  // Null without the activity NPU.
  npuprof_session* recorder_ = nullptr;
};

}  // namespace npuprof::python
