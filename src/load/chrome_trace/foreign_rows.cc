// Timelines that PyTorch's profiler wrote on GPUs: kernels, copies and the calls that launched them
// become tasks, kernels and host calls like those of an NPU, so that the same analyses run on them.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "format/host/enumerations.h"
#include "format/host/levels.h"
#include "load/chrome_trace/event_rows.h"
#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

using format::host::MemcpyDirection;
using format::host::TaskType;
using trace::kNone;

// The function of a kernel: `void at::native::add<float>(...)` is of type `at::native::add`.
std::string_view function_of(std::string_view name) {
  constexpr std::string_view kVoid = "void ";
  if (name.starts_with(kVoid)) name.remove_prefix(kVoid.size());
  // Names in anonymous namespaces begin with a parenthesis of their own.
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  const std::size_t skipped = name.find(kAnonymous);
  const std::size_t from = skipped == std::string_view::npos ? 0 : skipped + kAnonymous.size();
  return name.substr(0, name.find_first_of("<(", from));
}

// Product of `[120, 1, 1]`.
std::uint32_t block_count(std::string_view grid) {
  std::uint64_t product = 1;
  std::uint64_t number = 0;
  bool has_number = false;
  for (const char c : grid) {
    if (c >= '0' && c <= '9') {
      number = std::min<std::uint64_t>(number * 10 + static_cast<std::uint64_t>(c - '0'), kNone);
      has_number = true;
      continue;
    }
    if (std::exchange(has_number, false))
      product = std::min<std::uint64_t>(product * number, kNone);
    number = 0;
  }
  return grid.empty() ? 0 : static_cast<std::uint32_t>(product);
}

std::uint32_t gpu_copy_direction(std::string_view name) {
  constexpr std::pair<std::string_view, MemcpyDirection> kDirections[] = {
      {"HtoD", MemcpyDirection::kHostToDevice},
      {"DtoH", MemcpyDirection::kDeviceToHost},
      {"DtoD", MemcpyDirection::kDeviceToDevice},
      {"HtoH", MemcpyDirection::kHostToHost},
      {"PtoP", MemcpyDirection::kDeviceToDevice}};
  for (const auto& [word, direction] : kDirections) {
    if (name.find(word) != std::string_view::npos) return static_cast<std::uint32_t>(direction);
  }
  return format::host::kMemcpyOther;
}

// Categories had other names until 2021.
bool is_kernel_category(std::string_view name) { return name == "kernel" || name == "Kernel"; }
bool is_copy_category(std::string_view name) { return name == "gpu_memcpy" || name == "Memcpy"; }

bool is_collective(std::string_view name) {
  return name.starts_with("nccl") || name.starts_with("rccl");
}

void add_host_call(const Event& event, const EventPlace& place, TimelineRows& rows) {
  trace::ApiCalls& calls = rows.tables.api_calls();
  calls.start_ns.push_back(place.start_ns);
  calls.end_ns.push_back(place.end_ns);
  calls.level.push_back(format::host::kLevelRuntime);
  calls.type.push_back(0);
  calls.tid.push_back(static_cast<std::uint32_t>(place.tid));
  calls.request_id.push_back(kNone);
  calls.item.push_back(0);
  calls.name.push_back(rows.tables.strings.intern(event.name));
  calls.item_name.push_back(kEmptyString);
  rows.call_ids.connection.push_back(event.integer("correlation").value_or(-1));
}

void add_collective(const Event& event, const EventPlace& place, std::uint16_t device,
                    TimelineRows& rows) {
  trace::CollectiveOps& ops = rows.tables.collective_ops();
  const std::string_view group = event.text("Process Group Name");
  const std::string_view type = event.text("Collective name");
  const std::size_t row = ops.size();
  resize_rows(ops, row + 1);
  ops.start_ns[row] = place.start_ns;
  ops.end_ns[row] = place.end_ns;
  ops.device[row] = device;
  ops.name[row] = rows.tables.strings.intern(function_of(event.name));
  ops.type[row] = rows.tables.strings.intern(type.empty() ? function_of(event.name) : type);
  ops.api[row] = kNone;
  ops.group[row] = rows.tables.strings.intern(group);
  ops.group_name[row] = ops.group[row];
  ops.data_type[row] = kNone;
  ops.count[row] = static_cast<std::uint64_t>(event.integer("In msg nelems").value_or(0));
  ops.rank_size[row] = static_cast<std::uint32_t>(event.integer("Group size").value_or(0));
  ops.model_id[row] = kNone;
  rows.collective_ids.connection.push_back(event.integer("correlation").value_or(-1));
  rows.collective_ids.pid.push_back(place.pid);
  rows.collective_ids.tid.push_back(place.tid);
}

// A collective is one kernel, which is also its only part.
void add_only_part(const EventPlace& place, TimelineRows& rows) {
  trace::CollectiveTasks& parts = rows.tables.collective_tasks();
  const std::size_t row = parts.size();
  resize_rows(parts, row + 1);
  parts.start_ns[row] = place.start_ns;
  parts.end_ns[row] = place.end_ns;
  parts.name[row] = rows.tables.collective_ops().name.back();
  parts.group[row] = rows.tables.collective_ops().group.back();
  parts.is_master[row] = 1;
  parts.notify_id[row] = ~std::uint64_t{0};
  for (auto* column : {&parts.rdma_type, &parts.source_rank, &parts.destination_rank,
                       &parts.transport_type, &parts.data_type, &parts.link_type}) {
    (*column)[row] = kNone;
  }
  parts.op[row] = kNone;
  parts.task[row] = kNone;
  PartIds& ids = rows.part_ids;
  ids.device.push_back(rows.tables.tasks().device.back());
  ids.stream.push_back(rows.tables.tasks().stream.back());
  ids.task.push_back(rows.tables.tasks().task.back());
  ids.context.push_back(kNone);
  ids.model_id.push_back(kNone);
}

void add_task(const Event& event, const EventPlace& place, TimelineRows& rows) {
  const auto device = static_cast<std::uint16_t>(
      event.integer("device").value_or(static_cast<std::int64_t>(place.pid)));
  const auto stream = static_cast<std::uint32_t>(
      event.integer("stream").value_or(static_cast<std::int64_t>(place.tid)));
  trace::Tasks& tasks = rows.tables.tasks();
  TaskIds& ids = rows.task_ids;
  append_task(tasks, place, device, stream);
  const std::int64_t correlation = event.integer("correlation").value_or(-1);
  tasks.task.back() = static_cast<std::uint32_t>(correlation);
  const bool is_kernel = is_kernel_category(event.category);
  std::string_view type = "GPU";
  if (!is_kernel) {
    const bool is_copy = is_copy_category(event.category);
    type = format::host::task_type_name(
        static_cast<std::uint64_t>(is_copy ? TaskType::kMemcpyAsync : TaskType::kMemsetAsync));
    tasks.copy_bytes.back() = static_cast<std::uint64_t>(event.integer("bytes").value_or(0));
    if (is_copy) tasks.copy_direction.back() = gpu_copy_direction(event.name);
  }
  tasks.shown_type.back() = rows.tables.strings.intern(type);
  ids.connection.push_back(correlation);
  // Copies go by their type, like those of an NPU.
  ids.name.push_back(rows.tables.strings.intern(is_kernel ? event.name : type));
  ids.op_type.push_back(is_kernel ? rows.tables.strings.intern(function_of(event.name))
                                  : kEmptyString);
  ids.blocks.push_back(block_count(event.argument("grid").text));
  ids.is_foreign.push_back(1);
  ids.tensors.push_back(kEmptyString);
  if (is_kernel && is_collective(event.name)) {
    add_collective(event, place, device, rows);
    add_only_part(place, rows);
  }
}

}  // namespace

bool add_foreign_slice(const Event& event, const EventPlace& place, TimelineRows& rows) {
  const std::string_view category = event.category;
  if (is_kernel_category(category) || is_copy_category(category) || category == "gpu_memset" ||
      category == "Memset") {
    add_task(event, place, rows);
    return true;
  }
  if (category == "cuda_runtime" || category == "cuda_driver" || category == "hip_runtime" ||
      category == "privateuse1_runtime" || category == "Runtime") {
    add_host_call(event, place, rows);
    return true;
  }
  return false;
}

}  // namespace npuprof::load
