#include "load/cann_device/counter_files.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "format/device/aicore.h"
#include "format/device/ffts_profile.h"
#include "format/device/file_names.h"
#include "format/device/task_types.h"
#include "load/cann_device/slave_blocks.h"
#include "load/plausible.h"
#include "trace/device/block_intervals.h"
#include "trace/device/core_samples.h"
#include "trace/device/device_tasks.h"
#include "trace/device/pmu_counters.h"
#include "trace/device/pmu_records.h"
#include "trace/device/unknown_stream.h"
#include "trace/task_id.h"

namespace npuprof::load {
namespace {

using namespace format::device;  // NOLINT(google-build-using-namespace): record layouts.

static_assert(static_cast<int>(CoreKind::kAic) == static_cast<int>(trace::PmuCore::kAic) &&
              static_cast<int>(CoreKind::kAiv) == static_cast<int>(trace::PmuCore::kAiv) &&
              static_cast<int>(CoreKind::kMixAic) == static_cast<int>(trace::PmuCore::kMixAic) &&
              static_cast<int>(CoreKind::kMixAiv) == static_cast<int>(trace::PmuCore::kMixAiv));

template <std::size_t kCount>
trace::PmuCounters copy_counters(const std::array<format::U64, kCount>& counters) {
  trace::PmuCounters copy{};
  std::copy(counters.begin(), counters.end(), copy.begin());
  return copy;
}

// One row of PmuRecords.
struct PmuRow {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint16_t stream = 0;
  std::uint32_t task = 0;
  std::uint16_t batch = 0;
  std::uint32_t context = trace::kNone;
  CoreKind core = CoreKind::kAic;
  bool is_slave = false;
  std::uint64_t cycles = 0;
  double mhz = 0;
};

void append_counters(std::uint16_t device, const PmuRow& row, const trace::PmuCounters& counters,
                     trace::PmuRecords& table) {
  table.start_ns.push_back(row.start_ns);
  table.end_ns.push_back(row.end_ns);
  table.device.push_back(device);
  table.stream.push_back(row.stream);
  table.task.push_back(row.task);
  table.batch.push_back(row.batch);
  table.context.push_back(row.context);
  table.core.push_back(static_cast<std::uint8_t>(row.core));
  table.is_slave.push_back(row.is_slave ? 1 : 0);
  table.block_count.push_back(row.is_slave ? 1 : 0);
  table.cycles.push_back(row.cycles);
  table.counters.push_back(counters);
  table.mhz.push_back(row.mhz);
}

void report_overflows(const DeviceFile& file, std::uint64_t overflows, trace::Losses& losses) {
  if (overflows == 0) return;
  losses.add(
      file.name(), 0, 0,
      fmt::format("A counter overflowed in {} record(s): their values are too small.", overflows));
}

// ffts_profile.data of chips 5, 7, 8 and 11.
class FftsCounters {
 public:
  FftsCounters(const DeviceConfig& config, StreamMode mode, const FrequencyTable& frequencies,
               DevicePart& out)
      : config_(config),
        mode_(mode),
        frequencies_(frequencies),
        out_(out),
        blocks_(out.tables.device_tasks()) {}

  void load(const DeviceFile& file, const trace::TaskBatches& batches) {
    trace::reserve_rows(out_.tables.pmu_records(), file.size_bytes() / sizeof(ContextPmu));
    const auto is_sound = [](const ContextPmu& record) { return record.is_sound(); };
    file.for_each_record<ContextPmu>(out_.losses, is_sound, [&](const ContextPmu& record) {
      switch (record.head.function()) {
        case StarsFunction::kContextPmu:
          return add_context(record);
        case StarsFunction::kBlockPmu:
          add_block(std::bit_cast<BlockPmu>(record));
          return true;
        default:
          return false;
      }
    });
    trace::PmuRecords& pmu = out_.tables.pmu_records();
    batches.assign(pmu, pmu.end_ns);
    blocks_.append_to(pmu);
    report_overflows(file, overflows_, out_.losses);
    if (blocks_.strays() > 0) {
      out_.losses.add(file.name(), 0, blocks_.strays(),
                      fmt::format("{} block record(s) belong to no MIX kernel that was recorded.",
                                  blocks_.strays()));
    }
  }

 private:
  bool add_context(const ContextPmu& record) {
    const auto kind = core_kind(record.ffts_type(), record.sub_task_type());
    if (!kind) return true;  // Counters of something that is no kernel.
    if (record.overflowed()) ++overflows_;
    const TaskIdentity identity =
        decode_task_identity({record.raw_stream, record.raw_task}, mode_, 0);
    PmuRow row;
    row.start_ns = config_.clock.from_syscnt(record.start_syscnt);
    row.end_ns = config_.clock.from_syscnt(record.end_syscnt);
    row.stream = identity.stream;
    row.task = identity.task;
    if (record.ffts_type() == static_cast<std::uint8_t>(FftsType::kFftsPlus)) {
      row.context = record.context_id;
    }
    row.core = *kind;
    row.cycles = record.total_cycles;
    row.mhz = counts_by_changing_clock(config_.chip) ? frequencies_.at(record.end_syscnt)
                                                     : config_.info.aic_mhz;
    append_counters(config_.info.id, row, copy_counters(record.counters),
                    out_.tables.pmu_records());
    return true;
  }

  void add_block(const BlockPmu& record) {
    if (record.overflowed()) ++overflows_;
    const TaskIdentity identity =
        decode_task_identity({record.raw_stream, record.raw_task}, mode_, 0);
    BlockCounters block;
    block.end_ns = config_.clock.from_syscnt(record.end_syscnt);
    block.stream = identity.stream;
    block.task = identity.task;
    block.context = record.context_id;
    block.on_vector_core = record.is_vector_core();
    block.cycles = record.total_cycles;
    block.counters = copy_counters(record.counters);
    blocks_.add(block);
  }

  const DeviceConfig& config_;
  StreamMode mode_;
  const FrequencyTable& frequencies_;
  DevicePart& out_;
  SlaveBlocks blocks_;
  std::uint64_t overflows_ = 0;
};

void append_block(const CorePmuV6& record, const DeviceConfig& config,
                  trace::BlockIntervals& blocks) {
  const std::int64_t start_ns = config.clock.from_syscnt(record.start_syscnt);
  const std::int64_t end_ns = config.clock.from_syscnt(record.end_syscnt);
  if (!is_plausible(start_ns, end_ns)) return;
  blocks.start_ns.push_back(start_ns);
  blocks.end_ns.push_back(end_ns);
  blocks.device.push_back(config.info.id);
  blocks.stream.push_back(trace::kUnknownStream);
  blocks.task.push_back(record.task_id);
  blocks.core.push_back(static_cast<std::uint8_t>(record.is_vector_core() ? trace::PmuCore::kAiv
                                                                          : trace::PmuCore::kAic));
  blocks.core_id.push_back(record.core_id);
  blocks.block.push_back(record.block_id);
}

// ffts_profile.data of chips 15 and 16. The counters of single blocks add nothing to those of the
// kernel; their times count if there is no log of blocks.
void load_counters_v6(const DeviceFile& file, const DeviceConfig& config, DevicePart& out) {
  std::uint64_t overflows = 0;
  const bool has_block_log = out.tables.block_intervals().size() > 0;
  const auto is_sound = [](const CorePmuV6& record) { return record.is_sound(); };
  file.for_each_record<CorePmuV6>(out.losses, is_sound, [&](const CorePmuV6& record) {
    if (!record.is_sound()) return false;
    if (record.head.function() != StarsFunction::kContextPmuV6) {
      if (!has_block_log) append_block(record, config, out.tables.block_intervals());
      return true;
    }
    if (record.overflowed()) ++overflows;
    PmuRow row;
    row.start_ns = config.clock.from_syscnt(record.start_syscnt);
    row.end_ns = config.clock.from_syscnt(record.end_syscnt);
    row.stream = trace::kUnknownStream;
    row.task = record.task_id;
    row.is_slave = record.is_mixed() && !record.is_main_core();
    if (record.is_mixed() && !row.is_slave) {
      row.core = record.is_vector_core() ? CoreKind::kMixAiv : CoreKind::kMixAic;
    } else {
      row.core = record.is_vector_core() ? CoreKind::kAiv : CoreKind::kAic;
    }
    row.cycles = record.total_cycles;
    row.mhz = config.info.aic_mhz;
    append_counters(config.info.id, row, copy_counters(record.counters), out.tables.pmu_records());
    return true;
  });
  report_overflows(file, overflows, out.losses);
}

// aicore.data and aiVectorCore.data: the n-th record of a (stream, task) is of its n-th kernel.
void load_hwts_counters(const DeviceFile& file, CoreKind core, const DeviceConfig& config,
                        DevicePart& out) {
  constexpr std::uint8_t kAiCoreTask = 0;
  constexpr std::uint8_t kVectorTask = 2;
  const std::uint8_t task_type = core == CoreKind::kAiv ? kVectorTask : kAiCoreTask;
  std::map<trace::TaskId, std::vector<std::uint32_t>> kernels;
  const trace::DeviceTasks& tasks = out.tables.device_tasks();
  for (std::uint32_t row = 0; row < tasks.size(); ++row) {
    if (tasks.type[row] != task_type) continue;
    kernels[{.stream = tasks.stream[row], .task = tasks.task[row]}].push_back(row);
  }
  std::map<trace::TaskId, std::size_t> used;
  std::uint64_t strays = 0;
  file.for_each_record<AiCorePmu>(out.losses, [&](const AiCorePmu& record) {
    const trace::TaskId id{.stream = stream_of_track(record.stream), .task = record.task_id};
    const auto found = kernels.find(id);
    const std::size_t number = used[id]++;
    if (found == kernels.end() || number >= found->second.size()) {
      ++strays;
      return true;
    }
    const std::uint32_t task_row = found->second[number];
    PmuRow row;
    row.start_ns = tasks.start_ns[task_row];
    row.end_ns = tasks.end_ns[task_row];
    row.stream = id.stream;
    row.task = id.task;
    row.batch = tasks.batch[task_row];
    row.core = core;
    row.cycles = record.total_cycles;
    row.mhz = config.info.aic_mhz;
    append_counters(config.info.id, row, copy_counters(record.counters), out.tables.pmu_records());
    return true;
  });
  if (strays > 0) {
    out.losses.add(
        file.name(), 0, strays,
        fmt::format("{} counter record(s) belong to no kernel that was recorded.", strays));
  }
}

// A record whose first byte is 0 ends the file.
template <typename Sample>
void load_samples(const DeviceFile& file, const DeviceConfig& config, bool all_on_vector,
                  DevicePart& out) {
  bool at_end = false;
  file.for_each_record<Sample>(out.losses, [&](const Sample& sample) {
    at_end = at_end || sample.mode == 0;
    if (at_end) return true;
    trace::CoreSamples& table = out.tables.core_samples();
    table.time_ns.push_back(is_v6(config.chip)
                                ? config.clock.from_syscnt(sample.timestamp)
                                : config.clock.from_device_monotonic(sample.timestamp));
    table.device.push_back(config.info.id);
    table.core_id.push_back(sample.core_id);
    CoreKind kind = all_on_vector ? CoreKind::kAiv : CoreKind::kAic;
    if (has_stars(family_of(config.chip))) {
      kind = sampled_core_kind(config.chip, sample.core_id);
    }
    table.core.push_back(static_cast<std::uint8_t>(kind));
    table.cycles.push_back(sample.total_cycles);
    table.counters.push_back(copy_counters(sample.counters));
    return true;
  });
}

}  // namespace

void load_counter_files(const DeviceFiles& files, const DeviceConfig& config,
                        StreamMode stream_mode, const trace::TaskBatches& batches,
                        const FrequencyTable& frequencies, DevicePart& out) {
  const ChipFamily family = family_of(config.chip);
  if (family == ChipFamily::kHwts || family == ChipFamily::kTs) {
    for (const bool vector : {false, true}) {
      const DeviceFile file = files.open(vector ? kVectorCoreFile : kAiCoreFile, out.losses);
      if (config.is_sampled) {
        load_samples<AiCoreSample>(file, config, vector, out);
      } else {
        load_hwts_counters(file, vector ? CoreKind::kAiv : CoreKind::kAic, config, out);
      }
    }
    return;
  }
  const DeviceFile file = files.open(kFftsFile, out.losses);
  if (family == ChipFamily::kStarsV6) {
    if (config.is_sampled) {
      load_samples<AiCoreSampleV6>(file, config, false, out);
    } else {
      load_counters_v6(file, config, out);
    }
  } else if (family == ChipFamily::kStars) {
    if (config.is_sampled) {
      load_samples<AiCoreSample>(file, config, false, out);
    } else {
      FftsCounters(config, stream_mode, frequencies, out).load(file, batches);
    }
  }
}

}  // namespace npuprof::load
