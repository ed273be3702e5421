#pragma once

// From the records of FRAMEWORK files to rows of the model: one job per file.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "format/framework/record_clock.h"
#include "load/framework/file_job.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/parameter_tensors.h"
#include "trace/framework/python_events.h"
#include "trace/framework/python_names.h"
#include "trace/framework/queue_marks.h"

namespace npuprof::load {

// Time stamps to wall-clock nanoseconds.
class StampClock {
 public:
  explicit StampClock(const format::framework::Clock& clock) : clock_(clock) {}

  // False for a stamp that no clock could have shown. The accepted range leaves room to subtract
  // any two times.
  bool convert(std::int64_t stamp, std::int64_t& wall_ns) const {
    constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max() / 2;  // Year 2116.
    wall_ns = clock_.wall_ns(stamp);
    return wall_ns >= 0 && wall_ns <= kLatest;
  }

 private:
  format::framework::Clock clock_;
};

// What all jobs share.
struct JobSettings {
  StampClock clock;
  std::size_t part_bytes;
};

// Each job fills its (empty) table when it is run.
std::unique_ptr<FileJob> op_range_job(RawFile file, const JobSettings& settings,
                                      trace::FrameworkOps& table);
std::unique_ptr<FileJob> op_mark_job(RawFile file, const JobSettings& settings,
                                     trace::QueueMarks& table);
std::unique_ptr<FileJob> memory_usage_job(RawFile file, const JobSettings& settings,
                                          trace::MemoryEvents& table);
std::unique_ptr<FileJob> python_call_job(RawFile file, const JobSettings& settings,
                                         trace::PythonEvents& table);
std::unique_ptr<FileJob> python_hash_job(RawFile file, const JobSettings& settings,
                                         trace::PythonNames& table);
std::unique_ptr<FileJob> param_tensor_job(RawFile file, const JobSettings& settings,
                                          trace::ParameterTensors& table);
std::unique_ptr<FileJob> gc_record_job(RawFile file, const JobSettings& settings,
                                       trace::GarbageCollections& table);

}  // namespace npuprof::load
