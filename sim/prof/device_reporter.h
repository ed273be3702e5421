#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/first_error.h"
#include "base/result.h"
#include "format/device/chips.h"
#include "format/device/ffts_profile.h"
#include "format/device/task_identity.h"
#include "format/device/task_types.h"
#include "format/device/ts_track.h"
#include "record/slice_writer.h"
#include "sim/prof/device_sample_writer.h"
#include "sim/prof/time_ordered.h"

namespace npuprof::sim {

using record::SliceWriter;

// A task on a device. Chips 15 and 16 have task ids of 32 bits that are unique on the device; all
// others 16 bits that count per stream.
struct LoggedTask {
  std::uint16_t stream = 0;
  std::uint32_t task = 0;
};

// Counters over some cores. At most as many as a record has (8; 10 on chips 15 and 16) are written.
struct CoreCounters {
  std::uint64_t total_cycles = 0;
  std::span<const std::uint64_t> counters;
};

// What the counters of one kernel say.
struct KernelPmu {
  LoggedTask task;
  format::device::CoreKind kind = format::device::CoreKind::kAic;
  std::uint32_t context = format::device::kNoContext;  // Mixed kernels have 0 on a 910B.
  std::uint64_t start = 0;                             // Ticks, inside the task's own.
  std::uint64_t end = 0;
  CoreCounters main;
  bool overflow = false;
};

// Counters of one block on one core.
struct BlockPlace {
  bool vector_core = false;
  std::uint8_t core_id = 0;
  std::uint16_t block = 0;
  std::uint16_t sub_block = 0;
};

// Writes `device_<N>/data` of one device: task logs, counters and tracks in order of time, and
// samples. All times are ticks of the device's system counter; the chip decides which of its
// layouts are written. One thread at a time.
//
// Failures to write are kept; close() returns the first.
class DeviceReporter {
 public:
  struct Options {
    std::filesystem::path data_directory;
    std::uint32_t device = 0;
    format::device::ChipId chip = format::device::ChipId::k910B;
    format::device::StreamMode stream_mode = format::device::StreamMode::kNormal;
  };

  // Only chips with a STARS scheduler (5, 7, 8, 11, 15, 16) can be written.
  static Result<DeviceReporter> create(Options options);

  DeviceReporter(DeviceReporter&&) = default;
  DeviceReporter& operator=(DeviceReporter&&) = default;

  // ---- Task log (stars_soc.data).

  void task(LoggedTask task, format::device::SqeKind kind, std::uint64_t start, std::uint64_t end) {
    task_start(task, kind, start);
    task_end(task, kind, end);
  }
  void task_start(LoggedTask task, format::device::SqeKind kind, std::uint64_t ticks);
  void task_end(LoggedTask task, format::device::SqeKind kind, std::uint64_t ticks);

  // One context of an FFTS+ task; a mixed kernel has one with number 0. Chips 15 and 16 have none:
  // nothing is written.
  void ffts_context(LoggedTask task, std::uint16_t context, format::device::SubTaskType type,
                    std::uint64_t start, std::uint64_t end);

  // ---- Counters (ffts_profile.data).

  void context_pmu(const KernelPmu& kernel);
  // The cores that help a mixed kernel: on chip 5 one record for each of `block_count` blocks with
  // the counters of `block`, which run on `core_count` cores in turn; on chips 15 and 16 one record
  // with their sum. `start` and `end` are the blocks'.
  void slave_pmu(const KernelPmu& kernel, const CoreCounters& block, std::uint32_t block_count,
                 std::uint32_t core_count, std::uint64_t start, std::uint64_t end);
  // One block; of the main cores with `taskBlock` on.
  void block_pmu(const KernelPmu& kernel, const BlockPlace& place, const CoreCounters& counters,
                 std::uint64_t start, std::uint64_t end);

  // ---- Tracks (ts_track.data).

  // The task ids of a stream begin anew with `flip_number` (1, 2, ...). Chips 15 and 16 have no
  // need of flips: nothing is written.
  void flip(std::uint16_t stream, std::uint16_t flip_number, std::uint16_t task,
            std::uint64_t ticks);
  void step_trace(std::uint64_t index, std::uint64_t model, LoggedTask task, std::uint16_t tag,
                  std::uint64_t ticks);

  // ---- Everything else.

  DeviceSampleWriter& samples() { return *samples_; }

  // Nothing before `ticks` will be reported any more. Cheap: call it as often as you like.
  void flush_until(std::uint64_t ticks);
  // The same, and hands all of that to the operating system, so that it survives the death of the
  // process.
  void flush(std::uint64_t ticks);

  // Writes what is left. Nothing may be reported afterwards.
  Status close();

  // Records that came too late to stand in order: flush_until() was wrong, or never called.
  std::uint64_t late_count() const;

 private:
  // A stars_soc record without its time, sequence number and zeros.
  struct PendingLog {
    std::uint32_t task;
    std::uint16_t stream;
    std::uint16_t context;
    format::device::StarsFunction function;
    std::uint8_t sqe_type;
    std::uint8_t sub_task_type;
  };
  struct PendingPmu {
    std::array<std::byte, 128> record;
  };
  struct PendingTrack {
    std::array<std::byte, format::device::TrackHead::kRecordBytes> record;
  };

  explicit DeviceReporter(Options options);

  void add_log(std::uint64_t ticks, const PendingLog& log);
  void add_pmu(std::uint64_t ticks, const PendingPmu& pmu);
  template <typename Layout>
  void add_track(const Layout& layout);
  void write_log(std::uint64_t ticks, const PendingLog& log);
  void write_pmu(const PendingPmu& pmu);
  void write_track(const PendingTrack& track);
  template <typename Buffer, typename Write>
  void settle(Buffer& buffer, std::uint64_t ticks, bool all, Write&& write);

  void add_core_pmu_v6(const KernelPmu& kernel, format::device::StarsFunction function,
                       bool main_core, const BlockPlace& place, const CoreCounters& counters,
                       std::uint64_t start, std::uint64_t end);
  // The words that stand for a task; an error is kept if it does not fit.
  format::device::RawTaskIdentity raw_identity(LoggedTask task, std::uint8_t sqe_type);
  std::uint16_t track_stream(std::uint16_t stream);
  std::uint8_t sqe_type(format::device::SqeKind kind) const;
  bool is_v6() const { return format::device::is_v6(options_.chip); }

  Options options_;
  SliceWriter log_file_;
  SliceWriter pmu_file_;
  SliceWriter track_file_;
  std::unique_ptr<DeviceSampleWriter> samples_;
  TimeOrdered<PendingLog> logs_;
  TimeOrdered<PendingPmu> pmus_;
  TimeOrdered<PendingTrack> tracks_;
  unsigned log_sequence_ = 0;
  unsigned pmu_sequence_ = 0;
  FirstError error_;
};

}  // namespace npuprof::sim
