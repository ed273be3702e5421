#include "link/device/kernel_rows.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sort_order.h"
#include "base/units.h"
#include "format/host/enumerations.h"
#include "link/device_rows.h"
#include "trace/device/block_numbers.h"
#include "trace/device/pmu_records.h"
#include "trace/host/captured_ops.h"
#include "trace/host/node_tensors.h"
#include "trace/launched/launched_ops.h"
#include "trace/launched/launches.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"
#include "trace/task_id.h"

namespace npuprof::link {
namespace {

using format::host::GeTaskType;
using trace::kNone;

trace::KernelKind kind_of(std::string_view name, std::uint32_t task_type, bool in_collective) {
  switch (static_cast<GeTaskType>(task_type)) {
    case GeTaskType::kWriteBack:
    case GeTaskType::kInvalid:
      return trace::KernelKind::kHidden;
    case GeTaskType::kHcclAiCpu:
      return trace::KernelKind::kSchedule;
    default:
      break;
  }
  const bool is_communication =
      in_collective || task_type == static_cast<std::uint32_t>(GeTaskType::kCommunication);
  if (is_communication && !name.ends_with("AivKernel")) return trace::KernelKind::kCommunication;
  return trace::KernelKind::kCompute;
}

// Block counts from the device by task. Mostly there are none.
class DeviceBlocks {
 public:
  struct Counts {
    std::uint32_t block_num;
    std::uint32_t mix_block_num;
  };

  explicit DeviceBlocks(const trace::BlockNumbers& table) {
    entries_.reserve(table.size());
    for (std::size_t row = 0; row < table.size(); ++row) {
      const std::uint32_t blocks = table.block_num[row];
      entries_.push_back({key_of(table, row), {blocks, blocks * table.mix_ratio[row]}});
    }
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.key < b.key; });
  }

  // The last record of a task counts.
  const Counts* find(const trace::Tasks& tasks, std::uint32_t row) const {
    if (entries_.empty()) return nullptr;
    const trace::DeviceTask key = key_of(tasks, row);
    const auto after = std::upper_bound(
        entries_.begin(), entries_.end(), key,
        [](const trace::DeviceTask& k, const Entry& entry) { return k < entry.key; });
    if (after == entries_.begin() || std::prev(after)->key != key) return nullptr;
    return &std::prev(after)->counts;
  }

 private:
  // Of the whole task.
  template <typename Table>
  static trace::DeviceTask key_of(const Table& table, std::size_t row) {
    const trace::TaskId id{table.stream[row], table.batch[row], table.task[row]};
    return {table.device[row], id.key()};
  }
  struct Entry {
    trace::DeviceTask key;
    Counts counts;
  };
  std::vector<Entry> entries_;
};

// Appends kernels one by one.
class KernelWriter {
 public:
  explicit KernelWriter(trace::Trace& trace)
      : trace_(trace), device_blocks_(trace.block_numbers()) {}

  void add(std::uint32_t task) {
    trace::Kernels& out = trace_.kernels();
    const trace::LaunchedOps& ops = trace_.launched_ops();
    const auto launch = trace_.tasks().launch[task];
    const auto op = trace_.launches().op[launch];
    trace_.tasks().kernel[task] = static_cast<std::uint32_t>(out.size());
    const trace::KernelKind kind = kind_of(trace_.strings.view(ops.name[op]), ops.task_type[op],
                                           trace_.launches().collective[launch] != kNone);
    out.task.push_back(task);
    out.kind.push_back(static_cast<std::uint8_t>(kind));
    out.name.push_back(ops.name[op]);
    out.op_type.push_back(ops.op_type[op]);
    out.task_type.push_back(task_type(ops.task_type[op]));
    out.op_state.push_back(ops.op_state[op]);
    const DeviceBlocks::Counts* blocks = device_blocks_.find(trace_.tasks(), task);
    out.block_num.push_back(blocks != nullptr ? blocks->block_num : ops.block_num[op]);
    out.mix_block_num.push_back(blocks != nullptr ? blocks->mix_block_num : ops.mix_block_num[op]);
    out.hf32.push_back(ops.hf32[op]);
    add_tensors(op);
    out.attributes.push_back(ops.attributes[op]);
    out.pmu.push_back(kNone);
    out.slave_pmu.push_back(kNone);
  }

 private:
  StringId task_type(std::uint32_t number) {
    if (number == kNone) return kEmptyString;
    if (number != last_type_) {
      last_type_ = number;
      last_type_name_ = trace_.strings.intern(format::host::ge_task_type_name(number));
    }
    return last_type_name_;
  }

  void add_tensors(std::uint32_t op) {
    const auto captured = trace_.launched_ops().captured_op[op];
    const auto tensors = trace_.launched_ops().tensors[op];
    if (captured != kNone) {
      copy_tensors(trace_.captured_ops(), captured);
    } else if (tensors != kNone) {
      copy_tensors(trace_.node_tensors(), tensors);
    } else {
      for (auto* column : {&trace_.kernels().input_shapes, &trace_.kernels().input_dtypes,
                           &trace_.kernels().input_formats, &trace_.kernels().output_shapes,
                           &trace_.kernels().output_dtypes, &trace_.kernels().output_formats}) {
        column->push_back(kEmptyString);
      }
    }
  }

  template <typename Table>
  void copy_tensors(const Table& table, std::uint32_t row) {
    trace::Kernels& out = trace_.kernels();
    out.input_shapes.push_back(table.input_shapes[row]);
    out.input_dtypes.push_back(table.input_dtypes[row]);
    out.input_formats.push_back(table.input_formats[row]);
    out.output_shapes.push_back(table.output_shapes[row]);
    out.output_dtypes.push_back(table.output_dtypes[row]);
    out.output_formats.push_back(table.output_formats[row]);
  }

  trace::Trace& trace_;
  DeviceBlocks device_blocks_;
  std::uint32_t last_type_ = kNone;
  StringId last_type_name_ = kEmptyString;
};

// Counters of one device to its kernels.
class CounterJoin {
 public:
  CounterJoin(trace::Trace& trace, std::uint16_t device)
      : tasks_(trace.tasks()),
        pmu_(trace.pmu_records()),
        kernels_(trace.kernels()),
        device_(device) {}

  void run() {
    collect();
    const std::vector<std::uint32_t> kernel_order = stable_order(kernel_keys_);
    const std::vector<std::uint32_t> pmu_order = stable_order(pmu_keys_);
    std::size_t kernel = 0;
    for (const std::uint32_t position : pmu_order) {
      const std::uint64_t key = pmu_keys_[position];
      const std::uint32_t pmu_row = pmu_rows_[position];
      // Kernels that come before, or ended before, can have no more counters.
      while (kernel < kernel_order.size() &&
             (kernel_keys_[kernel_order[kernel]] < key ||
              (kernel_keys_[kernel_order[kernel]] == key &&
               end_of(kernel_order[kernel]) < pmu_.end_ns[pmu_row]))) {
        ++kernel;
      }
      if (kernel == kernel_order.size()) break;
      const std::uint32_t candidate = kernel_order[kernel];
      if (kernel_keys_[candidate] != key) continue;
      const std::uint32_t kernel_row = kernel_rows_[candidate];
      if (tasks_.start_ns[kernels_.task[kernel_row]] > pmu_.end_ns[pmu_row]) continue;
      (pmu_.is_slave[pmu_row] != 0 ? kernels_.slave_pmu : kernels_.pmu)[kernel_row] = pmu_row;
    }
  }

 private:
  void collect() {
    for (std::uint32_t row = 0; row < kernels_.size(); ++row) {
      const std::uint32_t task = kernels_.task[row];
      if (tasks_.device[task] != device_) continue;
      kernel_rows_.push_back(row);
      kernel_keys_.push_back(task_id(tasks_, task).key());
    }
    for (std::uint32_t row = 0; row < pmu_.size(); ++row) {
      if (pmu_.device[row] != device_) continue;
      pmu_rows_.push_back(row);
      pmu_keys_.push_back(task_id(pmu_, row).key());
    }
    // By end within a key, whatever the order in the file.
    std::vector<std::int64_t> ends;
    ends.reserve(pmu_rows_.size());
    for (const std::uint32_t row : pmu_rows_) ends.push_back(pmu_.end_ns[row]);
    const std::vector<std::uint32_t> order = stable_order(ends);
    if (is_identity(order)) return;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint64_t> keys;
    for (const std::uint32_t position : order) {
      rows.push_back(pmu_rows_[position]);
      keys.push_back(pmu_keys_[position]);
    }
    pmu_rows_ = std::move(rows);
    pmu_keys_ = std::move(keys);
  }

  std::int64_t end_of(std::uint32_t position) const {
    return tasks_.end_ns[kernels_.task[kernel_rows_[position]]];
  }

  const trace::Tasks& tasks_;
  const trace::PmuRecords& pmu_;
  trace::Kernels& kernels_;
  std::uint16_t device_;
  std::vector<std::uint32_t> kernel_rows_;
  std::vector<std::uint64_t> kernel_keys_;
  std::vector<std::uint32_t> pmu_rows_;
  std::vector<std::uint64_t> pmu_keys_;
};

}  // namespace

void fill_kernels(trace::Trace& trace, std::span<const std::uint32_t> tasks) {
  trace::clear_rows(trace.kernels());
  trace::reserve_rows(trace.kernels(), tasks.size());
  KernelWriter writer(trace);
  for (const std::uint32_t task : tasks) writer.add(task);
}

void join_counters(trace::Trace& trace) {
  if (trace.pmu_records().size() == 0) return;
  for (const std::uint16_t device : distinct_devices(trace.tasks().device)) {
    CounterJoin(trace, device).run();
  }
}

}  // namespace npuprof::link
