#include "load/cann_device/track_file.h"

#include <algorithm>
#include <map>
#include <utility>

#include "format/device/file_names.h"
#include "format/device/task_types.h"
#include "format/device/ts_track.h"
#include "trace/device/async_copies.h"
#include "trace/device/block_numbers.h"
#include "trace/device/step_marks.h"
#include "trace/task_id.h"

namespace npuprof::load {
namespace {

using namespace format::device;  // NOLINT(google-build-using-namespace): record layouts.

// HWTS task types that stand in for what the scheduler's CPU ran itself.
constexpr std::uint8_t kHwtsAiCpu = 1;
constexpr std::uint8_t kHwtsPlaceHolder = 3;

bool is_scheduling_task(std::uint16_t ts_type) {
  constexpr std::uint16_t kTypes[] = {12, 13, 72, 101, 116};
  return std::find(std::begin(kTypes), std::end(kTypes), ts_type) != std::end(kTypes);
}

struct CopyState {
  std::uint64_t syscnt;
  trace::TaskId id;
  TrackState state;
};

class TrackLoader {
 public:
  TrackLoader(const DeviceConfig& config, StreamMode stream_mode, DevicePart& out)
      : config_(config), stream_mode_(stream_mode), out_(out) {}

  bool add(const TrackRecord& record) {
    switch (record.head.track_type()) {
      case TrackType::kStepTrace:
        if (is_v6(config_.chip)) {
          const auto mark = record.as<StepTraceV6>();
          add_mark(mark, mark.task_id);
        } else {
          const auto mark = record.as<StepTrace>();
          add_mark(mark, mark.task_id);
        }
        return true;
      case TrackType::kMemcpy:
        add_copy(record.as<MemcpyTrack>());
        return true;
      case TrackType::kTaskState:
        add_task_state(record.as<TaskStateTrack>());
        return true;
      case TrackType::kFlip:
        add_flip(record.as<format::device::TaskFlip>());
        return true;
      case TrackType::kBlockNumber:
        add_block_number(record.as<BlockNumber>());
        return true;
      default:  // Newer collectors may write more kinds.
        return record.head.buffer_size == TrackHead::kRecordBytes;
    }
  }

  TrackData finish() {
    finish_copies();
    TrackData data;
    data.task_events = std::move(task_events_);
    std::stable_sort(data.task_events.begin(), data.task_events.end(),
                     [](const TaskEvent& a, const TaskEvent& b) { return a.syscnt < b.syscnt; });
    if (config_.uses_flips) data.batches = trace::TaskBatches(std::move(flips_));
    trace::BlockNumbers& blocks = out_.tables.block_numbers();
    data.batches.assign(blocks, blocks.time_ns);
    return data;
  }

 private:
  std::uint16_t stream(std::uint16_t field) const {
    if (stream_mode_ == StreamMode::kExpanded) return field & (kExpandedStreamLimit - 1);
    return stream_of_track(field);
  }

  template <typename Mark>
  void add_mark(const Mark& mark, std::uint32_t task) {
    trace::StepMarks& table = out_.tables.step_marks();
    table.time_ns.push_back(config_.clock.from_syscnt(mark.head.syscnt));
    table.device.push_back(config_.info.id);
    table.index.push_back(mark.index_id);
    table.model_id.push_back(mark.model_id);
    table.stream.push_back(stream(mark.stream_id));
    table.task.push_back(task);
    table.tag.push_back(mark.tag);
  }

  void add_copy(const MemcpyTrack& track) {
    const trace::TaskId id{.stream = stream(track.stream_id), .task = track.task_id};
    copies_.push_back({track.head.syscnt, id, track.track_state()});
  }

  void add_task_state(const TaskStateTrack& track) {
    const std::uint16_t ts_type = track.task_type;
    const bool is_ai_cpu = notes_ai_cpu_tasks(config_.chip) &&
                           ts_type == static_cast<std::uint16_t>(TsTaskType::kKernelAiCpu);
    const bool is_scheduling = notes_scheduling_tasks(config_.chip) && is_scheduling_task(ts_type);
    if (!is_ai_cpu && !is_scheduling) return;
    if (track.track_state() == TrackState::kReceived) return;
    TaskEvent event;
    event.syscnt = track.head.syscnt;
    event.stream = stream(track.stream_id);
    event.task = track.task_id;
    event.type = is_ai_cpu ? kHwtsAiCpu : kHwtsPlaceHolder;
    event.is_end = track.track_state() == TrackState::kEnd;
    task_events_.push_back(event);
  }

  void add_flip(const format::device::TaskFlip& flip) {
    flips_.push_back({config_.clock.from_syscnt(flip.head.syscnt), stream(flip.stream_id),
                      flip.flip_number, flip.task_id});
  }

  void add_block_number(const BlockNumber& record) {
    trace::BlockNumbers& table = out_.tables.block_numbers();
    TaskIdentity identity{record.stream_id, record.task_id};
    if (family_of(config_.chip) == ChipFamily::kStars) {
      identity = decode_task_identity({record.stream_id, record.task_id}, stream_mode_, 0);
    }
    table.time_ns.push_back(config_.clock.from_syscnt(record.head.syscnt));
    table.device.push_back(config_.info.id);
    table.stream.push_back(identity.stream);
    table.task.push_back(identity.task);
    table.batch.push_back(0);
    table.block_num.push_back(static_cast<std::uint16_t>(record.block_count()));
    table.mix_ratio.push_back(static_cast<std::uint16_t>(record.blocks >> 16));
  }

  // A copy counts when it was received, started and ended.
  void finish_copies() {
    std::stable_sort(copies_.begin(), copies_.end(),
                     [](const CopyState& a, const CopyState& b) { return a.syscnt < b.syscnt; });
    struct Open {
      std::uint64_t received = 0;
      std::uint64_t started = 0;
      bool has_start = false;
    };
    std::map<std::uint64_t, Open> open;  // By key of the task.
    for (const CopyState& copy : copies_) {
      if (copy.state == TrackState::kReceived) {
        open[copy.id.key()] = {copy.syscnt, 0, false};
        continue;
      }
      const auto found = open.find(copy.id.key());
      if (found == open.end()) continue;
      if (copy.state == TrackState::kStart) {
        found->second.started = copy.syscnt;
        found->second.has_start = true;
      } else if (copy.state == TrackState::kEnd) {
        if (found->second.has_start) {
          append_copy(copy, found->second.received, found->second.started);
        }
        open.erase(found);
      }
    }
  }

  void append_copy(const CopyState& end, std::uint64_t received, std::uint64_t started) {
    trace::AsyncCopies& table = out_.tables.async_copies();
    table.received_ns.push_back(config_.clock.from_syscnt(received));
    table.start_ns.push_back(config_.clock.from_syscnt(started));
    table.end_ns.push_back(config_.clock.from_syscnt(end.syscnt));
    table.device.push_back(config_.info.id);
    table.stream.push_back(end.id.stream);
    table.task.push_back(end.id.task);
  }

  const DeviceConfig& config_;
  StreamMode stream_mode_;
  DevicePart& out_;
  std::vector<trace::BatchBegin> flips_;
  std::vector<CopyState> copies_;
  std::vector<TaskEvent> task_events_;
};

}  // namespace

TrackData load_track_file(const DeviceFiles& files, const DeviceConfig& config,
                          StreamMode stream_mode, DevicePart& out) {
  TrackLoader loader(config, stream_mode, out);
  if (family_of(config.chip) != ChipFamily::kTs) {
    for (const std::string_view base : {kTrackFile, kVectorTrackFile}) {
      const DeviceFile file = files.open(base, out.losses);
      const auto is_sound = [](const TrackRecord& record) { return record.is_sound(); };
      file.for_each_record<TrackRecord>(
          out.losses, is_sound, [&](const TrackRecord& record) { return loader.add(record); });
    }
  }
  return loader.finish();
}

}  // namespace npuprof::load
