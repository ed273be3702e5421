#include "load/cann_device/task_files.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "format/device/file_names.h"
#include "format/device/hwts.h"
#include "format/device/stars_soc.h"
#include "load/cann_device/block_pairing.h"
#include "load/cann_device/soc_samples.h"
#include "trace/device/block_intervals.h"
#include "trace/device/device_tasks.h"
#include "trace/device/fusion_parts.h"
#include "trace/device/unknown_stream.h"
#include "trace/task_id.h"

namespace npuprof::load {
namespace {

using namespace format::device;  // NOLINT(google-build-using-namespace): record layouts.

void report_lost_partners(const DeviceFile& file, const TaskPairing& pairing,
                          trace::Losses& losses) {
  if (pairing.lost_partners() == 0) return;
  losses.add(file.name(), 0, pairing.lost_partners(),
             fmt::format("{} task(s) have no start or no end and were left out.",
                         pairing.lost_partners()));
}

// Pairs the task events of a file into the empty `tasks`, and hands all its records to `other` as
// well. Files are nearly always in order of time: then one walk does it. Otherwise the tasks are
// thrown away, and the events sorted.
template <format::Record T, typename Decode, typename Other>
void pair_records(const DeviceFile& file, const DeviceConfig& config, const Decode& decode,
                  const Other& other, DevicePart& out) {
  trace::DeviceTasks& tasks = out.tables.device_tasks();
  trace::reserve_rows(tasks, file.size_bytes() / sizeof(T) / 2);
  const auto plausible = [](const T& record) { return record.head.has_magic(); };
  const auto finish = [&](TaskPairing& pairing) {
    pairing.finish();
    report_lost_partners(file, pairing, out.losses);
  };
  TaskPairing pairing(config.clock, config.info.id, tasks);
  std::uint64_t last = 0;
  bool in_order = true;
  file.for_each_record<T>(out.losses, plausible, [&](const T& record) {
    if (!record.head.has_magic()) return false;
    other(record);
    if (!in_order) return true;
    if (const auto event = decode(record)) {
      in_order = event->syscnt >= last;
      last = event->syscnt;
      if (in_order) pairing.add(*event);
    }
    return true;
  });
  if (in_order) return finish(pairing);

  trace::clear_rows(tasks);
  std::vector<TaskEvent> events;
  trace::Losses ignored;  // Told by the first walk.
  file.for_each_record<T>(ignored, plausible, [&](const T& record) {
    if (!record.head.has_magic()) return false;
    if (const auto event = decode(record)) events.push_back(*event);
    return true;
  });
  std::stable_sort(events.begin(), events.end(),
                   [](const TaskEvent& a, const TaskEvent& b) { return a.syscnt < b.syscnt; });
  TaskPairing again(config.clock, config.info.id, tasks);
  for (const TaskEvent& event : events) again.add(event);
  finish(again);
}

std::optional<TaskEvent> decode_log(const TaskLog& record, StreamMode mode) {
  const StarsFunction function = record.head.function();
  const bool is_task = function == StarsFunction::kTaskStart || function == StarsFunction::kTaskEnd;
  const bool is_context =
      function == StarsFunction::kFftsPlusStart || function == StarsFunction::kFftsPlusEnd;
  if (!is_task && !is_context) return std::nullopt;
  const TaskIdentity identity =
      decode_task_identity({record.raw_stream, record.raw_task}, mode, record.head.sqe_type());
  TaskEvent event;
  event.syscnt = record.syscnt;
  event.stream = identity.stream;
  event.task = identity.task;
  if (is_task) {
    event.type = record.head.sqe_type();
    event.is_end = function == StarsFunction::kTaskEnd;
  } else {
    const auto context = std::bit_cast<FftsPlusLog>(record);
    event.context = context.context_id;
    event.thread = context.thread_id;
    event.type = context.sub_task_type();
    event.is_end = function == StarsFunction::kFftsPlusEnd;
  }
  return event;
}

void load_stars(const DeviceFiles& files, const DeviceConfig& config, StreamMode mode,
                DevicePart& out) {
  const DeviceFile file = files.open(kStarsFile, out.losses);
  SocSamples samples(config, out);
  pair_records<TaskLog>(
      file, config, [mode](const TaskLog& record) { return decode_log(record, mode); },
      [&](const TaskLog& record) {
        if (is_soc_sample(record.head.function())) samples.add(std::bit_cast<SocSample>(record));
      },
      out);
}

std::optional<TaskEvent> decode_log_v6(const TaskLogV6& record) {
  const StarsFunction function = record.head.function();
  if (function != StarsFunction::kTaskStart && function != StarsFunction::kTaskEnd) {
    return std::nullopt;
  }
  TaskEvent event;
  event.syscnt = record.syscnt;
  event.stream = trace::kUnknownStream;
  event.task = record.task_id;
  event.type = record.head.sqe_type();
  event.is_end = function == StarsFunction::kTaskEnd;
  return event;
}

void load_stars_v6(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out) {
  const DeviceFile file = files.open(kStarsFile, out.losses);
  BlockPairing blocks(config, out.tables.block_intervals(), out.tables.fusion_parts());
  pair_records<TaskLogV6>(
      file, config, decode_log_v6, [&](const TaskLogV6& record) { blocks.add(record); }, out);
}

void read_hwts(const DeviceFile& file, bool on_vector_cores, std::vector<TaskEvent>& events,
               trace::Losses& losses) {
  constexpr std::uint8_t kAiCoreTask = 0;
  constexpr std::uint8_t kVectorTask = 2;
  file.for_each_record<HwtsLog>(
      losses, [](const HwtsLog& record) { return record.has_magic(); },
      [&](const HwtsLog& record) {
        if (!record.has_magic()) return false;
        if (record.type() != HwtsLog::Type::kTaskStart &&
            record.type() != HwtsLog::Type::kTaskEnd) {
          return true;
        }
        TaskEvent event;
        event.syscnt = record.syscnt;
        event.stream = stream_of_track(record.stream);
        event.task = record.task_id;
        event.type = record.unit;
        if (on_vector_cores && event.type == kAiCoreTask) event.type = kVectorTask;
        event.is_end = record.type() == HwtsLog::Type::kTaskEnd;
        events.push_back(event);
        return true;
      });
}

void load_hwts(const DeviceFiles& files, const DeviceConfig& config, const TrackData& track,
               DevicePart& out) {
  const DeviceFile file = files.open(kHwtsFile, out.losses);
  const DeviceFile vector_file = files.open(kVectorHwtsFile, out.losses);
  std::vector<TaskEvent> events;
  read_hwts(file, false, events, out.losses);
  read_hwts(vector_file, true, events, out.losses);

  // The scheduler's CPU notes tasks that the hardware log may have as well.
  const auto id_of = [](const TaskEvent& event) {
    return trace::TaskId{.stream = event.stream, .task = event.task};
  };
  std::set<trace::TaskId> logged;
  for (const TaskEvent& event : events) logged.insert(id_of(event));
  for (const TaskEvent& event : track.task_events) {
    if (notes_scheduling_tasks(config.chip) && logged.contains(id_of(event))) continue;
    events.push_back(event);
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const TaskEvent& a, const TaskEvent& b) { return a.syscnt < b.syscnt; });
  TaskPairing pairing(config.clock, config.info.id, out.tables.device_tasks());
  for (const TaskEvent& event : events) pairing.add(event);
  pairing.finish();
  report_lost_partners(file, pairing, out.losses);
}

}  // namespace

void load_task_files(const DeviceFiles& files, const DeviceConfig& config, StreamMode stream_mode,
                     const TrackData& track, DevicePart& out) {
  switch (family_of(config.chip)) {
    case ChipFamily::kStars:
      load_stars(files, config, stream_mode, out);
      break;
    case ChipFamily::kStarsV6:
      load_stars_v6(files, config, out);
      break;
    case ChipFamily::kHwts:
      load_hwts(files, config, track, out);
      break;
    case ChipFamily::kTs:
    case ChipFamily::kNano:
      break;
  }
  trace::DeviceTasks& tasks = out.tables.device_tasks();
  track.batches.assign(tasks, tasks.start_ns);
}

}  // namespace npuprof::load
