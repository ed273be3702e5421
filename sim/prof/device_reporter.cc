#include "sim/prof/device_reporter.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "format/device/file_names.h"
#include "format/device/stars_soc.h"

namespace npuprof::sim {
namespace {

using format::device::BlockPmu;
using format::device::ChipId;
using format::device::ContextPmu;
using format::device::CoreKind;
using format::device::CorePmuV6;
using format::device::FftsPlusLog;
using format::device::FftsType;
using format::device::kNoContext;
using format::device::RawTaskIdentity;
using format::device::SqeKind;
using format::device::StarsFunction;
using format::device::StarsHead;
using format::device::StepTrace;
using format::device::StepTraceV6;
using format::device::SubTaskType;
using format::device::TaskFlip;
using format::device::TaskLogV6;
using format::device::TrackHead;
using format::device::TrackType;

// About 30, 20 and 4 MB at most.
constexpr std::size_t kLogLimit = 1024 * 1024;
constexpr std::size_t kPmuLimit = 128 * 1024;
constexpr std::size_t kTrackLimit = 64 * 1024;

std::string file_base(std::string_view name, std::uint32_t device) {
  return fmt::format("{}.{}", name, device);
}

// How chips name kinds of tasks they do not have.
SqeKind known_kind(ChipId chip, SqeKind kind) {
  // A 910B does not tell vector kernels from others here.
  if (chip == ChipId::k910B && kind == SqeKind::kAiVector) return SqeKind::kAiCore;
  if (format::device::sqe_type_of(format::device::family_of(chip), kind)) return kind;
  switch (kind) {
    case SqeKind::kAiCpu:
      return SqeKind::kAiCpuDevice;
    case SqeKind::kEventRecord:
      return SqeKind::kNotifyRecord;
    case SqeKind::kEventWait:
      return SqeKind::kNotifyWait;
    case SqeKind::kPcieDma:
      return SqeKind::kAsyncDma;
    case SqeKind::kRocce:
      return SqeKind::kUbDma;
    default:
      return SqeKind::kPlaceHolder;
  }
}

struct PmuTypes {
  FftsType ffts;
  SubTaskType sub_task;
};

PmuTypes pmu_types(const KernelPmu& kernel) {
  const bool is_context = kernel.context != kNoContext;
  switch (kernel.kind) {
    case CoreKind::kAic:
      return {is_context ? FftsType::kFftsPlus : FftsType::kAicOnly, SubTaskType::kAic};
    case CoreKind::kAiv:
      return {is_context ? FftsType::kFftsPlus : FftsType::kAivOnly, SubTaskType::kAiv};
    case CoreKind::kMixAic:
      return {FftsType::kFftsPlus, SubTaskType::kMixAic};
    case CoreKind::kMixAiv:
      return {FftsType::kFftsPlus, SubTaskType::kMixAiv};
  }
  return {FftsType::kAicOnly, SubTaskType::kAic};
}

std::uint16_t context_id(const KernelPmu& kernel) {
  return kernel.context == kNoContext ? 0 : static_cast<std::uint16_t>(kernel.context);
}

template <std::size_t kCount>
void copy_counters(std::array<format::U64, kCount>& target,
                   std::span<const std::uint64_t> counters) {
  const std::size_t count = std::min(kCount, counters.size());
  for (std::size_t i = 0; i < count; ++i) target[i] = counters[i];
}

}  // namespace

Result<DeviceReporter> DeviceReporter::create(Options options) {
  if (!format::device::has_stars(format::device::family_of(options.chip))) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("profiles of a {} cannot be simulated",
                             format::device::chip_of(options.chip).product)};
  }
  return DeviceReporter(std::move(options));
}

DeviceReporter::DeviceReporter(Options options)
    : options_(std::move(options)),
      log_file_(options_.data_directory, file_base(format::device::kStarsFile, options_.device)),
      pmu_file_(options_.data_directory, file_base(format::device::kFftsFile, options_.device)),
      track_file_(options_.data_directory, file_base(format::device::kTrackFile, options_.device)),
      samples_(std::make_unique<DeviceSampleWriter>(options_.data_directory, options_.device,
                                                    options_.chip, options_.stream_mode)),
      logs_(kLogLimit),
      pmus_(kPmuLimit),
      tracks_(kTrackLimit) {}

void DeviceReporter::task_start(LoggedTask task, SqeKind kind, std::uint64_t ticks) {
  add_log(ticks, {.task = task.task,
                  .stream = task.stream,
                  .function = StarsFunction::kTaskStart,
                  .sqe_type = sqe_type(kind)});
}

void DeviceReporter::task_end(LoggedTask task, SqeKind kind, std::uint64_t ticks) {
  add_log(ticks, {.task = task.task,
                  .stream = task.stream,
                  .function = StarsFunction::kTaskEnd,
                  .sqe_type = sqe_type(kind)});
}

void DeviceReporter::ffts_context(LoggedTask task, std::uint16_t context, SubTaskType type,
                                  std::uint64_t start, std::uint64_t end) {
  if (is_v6()) return;
  PendingLog log{.task = task.task,
                 .stream = task.stream,
                 .context = context,
                 .function = StarsFunction::kFftsPlusStart,
                 .sqe_type = sqe_type(SqeKind::kAiCore),
                 .sub_task_type = static_cast<std::uint8_t>(type)};
  add_log(start, log);
  log.function = StarsFunction::kFftsPlusEnd;
  add_log(end, log);
}

void DeviceReporter::context_pmu(const KernelPmu& kernel) {
  if (is_v6()) {
    add_core_pmu_v6(kernel, StarsFunction::kContextPmuV6, true,
                    {.vector_core = format::device::leads_with_vector(kernel.kind)}, kernel.main,
                    kernel.start, kernel.end);
    return;
  }
  const RawTaskIdentity raw = raw_identity(kernel.task, 0);
  const PmuTypes types = pmu_types(kernel);
  ContextPmu record{
      .head = StarsHead::make(StarsFunction::kContextPmu, 0, 0),
      .raw_stream = raw.stream,
      .raw_task = raw.task,
      .sub_task = ContextPmu::pack_sub_task(static_cast<unsigned>(types.sub_task), kernel.overflow),
      .context_id = context_id(kernel),
      .ffts = ContextPmu::pack_ffts(static_cast<unsigned>(types.ffts)),
      .total_cycles = kernel.main.total_cycles,
      .overflow_cycles = ~std::uint64_t{0},
      .start_syscnt = kernel.start,
      .end_syscnt = kernel.end};
  copy_counters(record.counters, kernel.main.counters);
  PendingPmu pending;
  format::store(pending.record.data(), record);
  add_pmu(kernel.end, pending);
}

void DeviceReporter::slave_pmu(const KernelPmu& kernel, const CoreCounters& block,
                               std::uint32_t block_count, std::uint32_t core_count,
                               std::uint64_t start, std::uint64_t end) {
  const bool vector_core = !format::device::leads_with_vector(kernel.kind);
  if (is_v6()) {
    std::array<std::uint64_t, 10> sums{};
    const std::size_t count = std::min(sums.size(), block.counters.size());
    for (std::size_t i = 0; i < count; ++i) sums[i] = block.counters[i] * block_count;
    add_core_pmu_v6(kernel, StarsFunction::kContextPmuV6, false, {.vector_core = vector_core},
                    {block.total_cycles * block_count, std::span(sums).first(count)}, start, end);
    return;
  }
  for (std::uint32_t number = 0; number < block_count; ++number) {
    // Slave blocks come in pairs for each block of the main cores, as cores do.
    const BlockPlace place{
        .vector_core = vector_core,
        .core_id = static_cast<std::uint8_t>(core_count == 0 ? 0 : number % core_count),
        .block = static_cast<std::uint16_t>(number / 2),
        .sub_block = static_cast<std::uint16_t>(number % 2)};
    block_pmu(kernel, place, block, start, end);
  }
}

void DeviceReporter::block_pmu(const KernelPmu& kernel, const BlockPlace& place,
                               const CoreCounters& counters, std::uint64_t start,
                               std::uint64_t end) {
  if (is_v6()) {
    const bool main_core = place.vector_core == format::device::leads_with_vector(kernel.kind);
    add_core_pmu_v6(kernel, StarsFunction::kBlockPmu, main_core, place, counters, start, end);
    return;
  }
  const RawTaskIdentity raw = raw_identity(kernel.task, 0);
  const PmuTypes types = pmu_types(kernel);
  BlockPmu record{.head = StarsHead::make(StarsFunction::kBlockPmu, 0, 0),
                  .raw_stream = raw.stream,
                  .raw_task = raw.task,
                  .sub_task = static_cast<std::uint16_t>(types.sub_task),
                  .context_id = context_id(kernel),
                  .core = BlockPmu::pack_core(place.vector_core, place.core_id),
                  .ffts = BlockPmu::pack_ffts(static_cast<unsigned>(types.ffts)),
                  .sub_block_id = place.sub_block,
                  .block_id = place.block,
                  .total_cycles = counters.total_cycles,
                  .overflow_cycles = ~std::uint64_t{0},
                  .start_syscnt = start,
                  .end_syscnt = end};
  copy_counters(record.counters, counters.counters);
  PendingPmu pending;
  format::store(pending.record.data(), record);
  add_pmu(end, pending);
}

void DeviceReporter::add_core_pmu_v6(const KernelPmu& kernel, StarsFunction function,
                                     bool main_core, const BlockPlace& place,
                                     const CoreCounters& counters, std::uint64_t start,
                                     std::uint64_t end) {
  CorePmuV6 record{.head = StarsHead::make(function, 0, 0),
                   .task_id = kernel.task.task,
                   .total_cycles = counters.total_cycles,
                   .flags = CorePmuV6::pack_flags(main_core, format::device::is_mixed(kernel.kind),
                                                  kernel.overflow),
                   .core_type = static_cast<std::uint8_t>(place.vector_core ? 1 : 0),
                   .core_id = place.core_id,
                   .sub_block_id = place.sub_block,
                   .block_id = place.block,
                   .start_syscnt = start,
                   .end_syscnt = end};
  copy_counters(record.counters, counters.counters);
  PendingPmu pending;
  format::store(pending.record.data(), record);
  add_pmu(end, pending);
}

void DeviceReporter::flip(std::uint16_t stream, std::uint16_t flip_number, std::uint16_t task,
                          std::uint64_t ticks) {
  if (is_v6()) return;
  add_track(TaskFlip{.head = TrackHead::make(TrackType::kFlip, ticks),
                     .stream_id = track_stream(stream),
                     .flip_number = flip_number,
                     .task_id = task});
}

void DeviceReporter::step_trace(std::uint64_t index, std::uint64_t model, LoggedTask task,
                                std::uint16_t tag, std::uint64_t ticks) {
  const TrackHead head = TrackHead::make(TrackType::kStepTrace, ticks);
  if (is_v6()) {
    add_track(StepTraceV6{.head = head,
                          .index_id = index,
                          .model_id = model,
                          .tag = tag,
                          .stream_id = task.stream,
                          .task_id = task.task});
    return;
  }
  add_track(StepTrace{.head = head,
                      .index_id = index,
                      .model_id = model,
                      .stream_id = track_stream(task.stream),
                      .task_id = static_cast<std::uint16_t>(task.task),
                      .tag = tag});
}

void DeviceReporter::flush_until(std::uint64_t ticks) {
  settle(logs_, ticks, false,
         [this](std::uint64_t at, const PendingLog& log) { write_log(at, log); });
  settle(pmus_, ticks, false, [this](std::uint64_t, const PendingPmu& pmu) { write_pmu(pmu); });
  settle(tracks_, ticks, false,
         [this](std::uint64_t, const PendingTrack& track) { write_track(track); });
}

void DeviceReporter::flush(std::uint64_t ticks) {
  settle(logs_, ticks, true,
         [this](std::uint64_t at, const PendingLog& log) { write_log(at, log); });
  settle(pmus_, ticks, true, [this](std::uint64_t, const PendingPmu& pmu) { write_pmu(pmu); });
  settle(tracks_, ticks, true,
         [this](std::uint64_t, const PendingTrack& track) { write_track(track); });
  log_file_.flush();
  pmu_file_.flush();
  track_file_.flush();
  samples_->flush();
}

Status DeviceReporter::close() {
  logs_.release_all([this](std::uint64_t at, const PendingLog& log) { write_log(at, log); });
  pmus_.release_all([this](std::uint64_t, const PendingPmu& pmu) { write_pmu(pmu); });
  tracks_.release_all([this](std::uint64_t, const PendingTrack& track) { write_track(track); });
  error_.keep(log_file_.close());
  error_.keep(pmu_file_.close());
  error_.keep(track_file_.close());
  error_.keep(samples_->close());
  return error_.status();
}

std::uint64_t DeviceReporter::late_count() const {
  return logs_.late_count() + pmus_.late_count() + tracks_.late_count();
}

void DeviceReporter::add_log(std::uint64_t ticks, const PendingLog& log) {
  logs_.add(ticks, log, [this](std::uint64_t at, const PendingLog& old) { write_log(at, old); });
}

void DeviceReporter::add_pmu(std::uint64_t ticks, const PendingPmu& pmu) {
  pmus_.add(ticks, pmu, [this](std::uint64_t, const PendingPmu& old) { write_pmu(old); });
}

template <typename Layout>
void DeviceReporter::add_track(const Layout& layout) {
  static_assert(sizeof(Layout) == sizeof(PendingTrack));
  PendingTrack pending;
  format::store(pending.record.data(), layout);
  tracks_.add(layout.head.syscnt, pending,
              [this](std::uint64_t, const PendingTrack& old) { write_track(old); });
}

void DeviceReporter::write_log(std::uint64_t ticks, const PendingLog& log) {
  const StarsHead head = StarsHead::make(log.function, log_sequence_++, log.sqe_type);
  if (is_v6()) {
    log_file_.append(TaskLogV6{.head = head, .task_id = log.task, .syscnt = ticks});
    return;
  }
  const RawTaskIdentity raw = raw_identity({log.stream, log.task}, log.sqe_type);
  const bool is_task =
      log.function == StarsFunction::kTaskStart || log.function == StarsFunction::kTaskEnd;
  const auto ffts = static_cast<unsigned>(FftsType::kFftsPlus);
  // A task log is a context log with zeros where a context has its numbers.
  log_file_.append(FftsPlusLog{.head = head,
                               .raw_stream = raw.stream,
                               .raw_task = raw.task,
                               .syscnt = ticks,
                               .sub_task = log.sub_task_type,
                               .context_id = log.context,
                               .ffts = is_task ? std::uint16_t{0} : FftsPlusLog::pack_ffts(ffts)});
}

void DeviceReporter::write_pmu(const PendingPmu& pmu) {
  std::byte* target = pmu_file_.reserve(pmu.record.size());
  std::copy(pmu.record.begin(), pmu.record.end(), target);
  auto head = format::load<StarsHead>(target);
  head.set_sequence(pmu_sequence_++);
  format::store(target, head);
  pmu_file_.commit(pmu.record.size());
}

void DeviceReporter::write_track(const PendingTrack& track) {
  std::byte* target = track_file_.reserve(track.record.size());
  std::copy(track.record.begin(), track.record.end(), target);
  track_file_.commit(track.record.size());
}

template <typename Buffer, typename Write>
void DeviceReporter::settle(Buffer& buffer, std::uint64_t ticks, bool all, Write&& write) {
  if (all) {
    buffer.release_before(ticks, write);
  } else {
    buffer.settle(ticks, write);
  }
}

RawTaskIdentity DeviceReporter::raw_identity(LoggedTask task, std::uint8_t sqe_type) {
  const auto task_id = static_cast<std::uint16_t>(task.task);
  const auto raw =
      format::device::encode_task_identity({task.stream, task_id}, options_.stream_mode, sqe_type);
  if (raw && task.task == task_id) return *raw;
  error_.keep(Error{ErrorCode::kInvalidArgument,
                    fmt::format("stream {} task {} does not fit a record of device {}", task.stream,
                                task.task, options_.device)});
  return {};
}

std::uint16_t DeviceReporter::track_stream(std::uint16_t stream) {
  if (stream >= format::device::kStreamLimit && !is_v6()) {
    error_.keep(Error{ErrorCode::kInvalidArgument,
                      fmt::format("stream {} does not fit a track record of device {}", stream,
                                  options_.device)});
  }
  return stream;
}

std::uint8_t DeviceReporter::sqe_type(SqeKind kind) const {
  const SqeKind known = known_kind(options_.chip, kind);
  return format::device::sqe_type_of(format::device::family_of(options_.chip), known).value_or(0);
}

}  // namespace npuprof::sim
