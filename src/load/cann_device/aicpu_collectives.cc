#include "load/cann_device/aicpu_collectives.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "trace/device/device_collectives.h"

namespace npuprof::load {

using namespace format::device;  // NOLINT(google-build-using-namespace): record layouts.

namespace {

// HCCL enumerations are stored in one byte here; 255 means none.
std::uint32_t widen(std::uint8_t value) { return value == 0xFF ? trace::kNone : value; }

// The flip both sides saw first tells by how much their counts differ.
int count_difference(std::span<const trace::BatchBegin> host_side,
                     std::span<const trace::BatchBegin> device_side) {
  const auto first_number = [](std::span<const trace::BatchBegin> flips) -> int {
    for (const trace::BatchBegin& flip : flips) {
      if (flip.number != trace::BatchBegin::kStreamDestroyed) return flip.number;
    }
    return -1;
  };
  const int ours = first_number(host_side);
  const int theirs = first_number(device_side);
  return ours < 0 || theirs < 0 ? 0 : ours - theirs;
}

}  // namespace

TaskIdentity AicpuCollectives::decode(std::uint16_t stream, std::uint16_t task) const {
  if (has_wide_task_ids(config_.chip)) return {stream, task};
  return decode_task_identity({stream, task}, mode_, 0);
}

StringId AicpuCollectives::text(std::uint64_t hash) {
  if (hash == 0) return kEmptyString;
  const std::string_view known = text_of_hash_ ? text_of_hash_(hash) : std::string_view();
  return known.empty() ? out_.tables.strings.intern(fmt::format("{}", hash))
                       : out_.tables.strings.intern(known);
}

void AicpuCollectives::append(std::uint8_t kind, std::uint64_t syscnt, std::uint16_t stream,
                              std::uint32_t task) {
  trace::DeviceCollectives& table = out_.tables.device_collectives();
  trace::resize_rows(table, table.size() + 1);
  table.time_ns.back() = config_.clock.from_syscnt(syscnt);
  table.device.back() = config_.info.id;
  table.kind.back() = kind;
  table.stream.back() = stream;
  table.task.back() = task;
}

void AicpuCollectives::add(const AiCpuRecord& record) {
  switch (record.type()) {
    case AiCpuType::kHcclOp:
      add_op(record.as<AiCpuHcclOp>());
      break;
    case AiCpuType::kMainStream:
      add_mark(record.as<AiCpuMainStreamMark>());
      break;
    case AiCpuType::kHcclTasks:
      for (const AiCpuHcclTask& task : record.as<AiCpuHcclTasks>().items) {
        if (!task.is_empty()) add_task(task);
      }
      break;
    case AiCpuType::kFlip: {
      const auto flip = record.as<AiCpuFlip>();
      const TaskIdentity identity = decode(flip.raw_stream, flip.raw_task);
      flips_.push_back({config_.clock.from_syscnt(flip.header.timestamp), identity.stream,
                        static_cast<std::uint16_t>(flip.flip_number), identity.task});
      break;
    }
    default:
      break;
  }
}

void AicpuCollectives::add_op(const AiCpuHcclOp& op) {
  TaskIdentity identity;
  if (!has_wide_task_ids(config_.chip)) {
    identity = decode(op.raw_stream, static_cast<std::uint16_t>(op.task_id));
  }
  const bool wide = has_wide_task_ids(config_.chip);
  append(static_cast<std::uint8_t>(AiCpuType::kHcclOp), op.header.timestamp,
         wide ? op.raw_stream.get() : identity.stream, wide ? op.task_id.get() : identity.task);
  trace::DeviceCollectives& table = out_.tables.device_collectives();
  table.relay.back() = op.is_relay() ? 1 : 0;
  table.retry.back() = op.is_retry() ? 1 : 0;
  table.data_type.back() = widen(op.data_type);
  table.algorithm.back() = text(op.algorithm_hash);
  table.count.back() = op.count;
  table.group_hash.back() = op.group_hash;
  table.group.back() = text(op.group_hash);
  table.rank_size.back() = op.rank_size;
}

void AicpuCollectives::add_mark(const AiCpuMainStreamMark& mark) {
  const TaskIdentity marked = decode(mark.raw_stream, mark.raw_task);
  const TaskIdentity kernel = decode(mark.raw_aicpu_stream, mark.raw_aicpu_task);
  append(static_cast<std::uint8_t>(AiCpuType::kMainStream), mark.header.timestamp, marked.stream,
         marked.task);
  trace::DeviceCollectives& table = out_.tables.device_collectives();
  table.other_stream.back() = kernel.stream;
  table.other_task.back() = kernel.task;
  table.mark.back() = mark.position;
}

void AicpuCollectives::add_task(const AiCpuHcclTask& task) {
  const bool wide = has_wide_task_ids(config_.chip);
  TaskIdentity identity;
  if (!wide) identity = decode(task.raw_stream, static_cast<std::uint16_t>(task.task_id));
  append(static_cast<std::uint8_t>(AiCpuType::kHcclTasks), task.syscnt,
         wide ? task.raw_stream.get() : identity.stream, wide ? task.task_id.get() : identity.task);
  trace::DeviceCollectives& table = out_.tables.device_collectives();
  table.name.back() = text(task.item_hash);
  table.group_hash.back() = task.group_hash;
  table.group.back() = text(task.group_hash);
  table.local_rank.back() = task.local_rank;
  table.remote_rank.back() = task.remote_rank;
  table.rank_size.back() = task.rank_size;
  table.plane.back() = task.plane_id;
  table.notify_id.back() = task.notify_id;
  table.estimated_us.back() = task.estimated_duration;
  table.size_bytes.back() = task.size_bytes;
  table.reduce_op.back() = widen(task.operation);
  table.data_type.back() = widen(task.data_type);
  table.link_type.back() = widen(task.link_type);
  table.transport_type.back() = widen(task.transport_type);
  table.rdma_type.back() = widen(task.rdma_type);
}

void AicpuCollectives::finish(const trace::TaskBatches& device_batches) {
  if (has_wide_task_ids(config_.chip)) return;  // Task ids do not repeat.
  const trace::TaskBatches batches(std::move(flips_));
  trace::DeviceCollectives& table = out_.tables.device_collectives();
  batches.assign(table.stream, table.task, table.time_ns,
                 [&](std::uint32_t row, std::uint16_t batch) {
                   const std::uint16_t stream = table.stream[row];
                   const int shift =
                       count_difference(batches.flips_of(stream), device_batches.flips_of(stream));
                   table.batch[row] = static_cast<std::uint16_t>(std::max(0, batch + shift));
                 });
}

}  // namespace npuprof::load
