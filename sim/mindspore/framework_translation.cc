#include "sim/mindspore/framework_translation.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "format/framework/file_names.h"
#include "format/framework/memory_usage.h"
#include "format/framework/op_mark.h"
#include "format/framework/op_range.h"
#include "format/framework/python_tracer.h"
#include "format/mindspore/cpu_text.h"
#include "format/mindspore/file_names.h"
#include "format/mindspore/memory_usage.h"
#include "format/mindspore/op_range.h"
#include "format/mindspore/record_shapes.h"
#include "sim/mindspore/pipeline_stages.h"
#include "sim/workload/aten_table.h"

namespace npuprof::sim {
namespace {

namespace fs = std::filesystem;
namespace ms = format::mindspore;
namespace pt = format::framework;

constexpr std::string_view kCallPrefix = "aclnn";

struct Indices {
  std::uint16_t pynative = ms::module_index("PynativeFramework").value_or(0);
  std::uint16_t python = ms::module_index("Python").value_or(0);
  std::uint16_t run_op = ms::event_index("RunOp").value_or(0);
  std::uint16_t launch = ms::event_index("PyNativeLaunchTask").value_or(0);
  std::uint16_t backward = ms::event_index("PyNativeBpropTask").value_or(0);
  std::uint16_t observed = ms::event_index("PythonObserved").value_or(0);
};

// Maps a file of the FRAMEWORK folder; nothing if it is not there.
class SourceFile {
 public:
  SourceFile(const fs::path& directory, std::string_view name) {
    auto opened = MappedFile::open(directory / name);
    if (opened.ok()) file_ = std::move(opened).value();
  }
  Bytes bytes() const { return file_.bytes(); }

 private:
  MappedFile file_;
};

// What an operator of PyTorch is called in MindSpore.
std::string primitive_name(std::string_view name) {
  if (name.starts_with(pt::kEvaluateFunctionPrefix)) {
    name.remove_prefix(pt::kEvaluateFunctionPrefix.size());
  }
  const std::size_t space = name.rfind("::");
  return space == std::string_view::npos ? std::string(name) : camel_case(name);
}

std::string_view launch_name(std::string_view call) {
  return call.starts_with(kCallPrefix) ? call.substr(kCallPrefix.size()) : call;
}

// What MindSpore's tracer calls a frame: "train.py(3):main",
// "cell.py(1393):nn.Cell.Dense.__call__".
std::string frame_name(std::string_view value) {
  if (const auto module = pt::parse_python_module(value)) {
    return "mindspore/nn/cell.py(1393):nn.Cell." + std::string(module->class_name) + ".__call__";
  }
  const auto frame = pt::parse_python_frame(value);
  if (!frame) return std::string(value);
  if (frame->file.starts_with("torch/")) return "mindspore/nn/cell.py(1426):_complex_call";
  return std::string(frame->file) + '(' + std::to_string(frame->line) +
         "):" + std::string(frame->function);
}

class Translation {
 public:
  Translation(const fs::path& directory, const MindSporeOptions& options, const SimClock& clock)
      : directory_(directory / pt::kDirectoryName), options_(options), clock_(clock) {}

  Result<MindSporeCounts> run() {
    NPUPROF_RETURN_IF_ERROR(write_ranges());
    NPUPROF_RETURN_IF_ERROR(write_memory());
    if (options_.record_shapes) NPUPROF_RETURN_IF_ERROR(write_shapes());
    if (options_.data_process) {
      NPUPROF_RETURN_IF_ERROR(write_pipeline(directory_, options_.rank, steps_));
    }
    remove_sources();
    return counts_;
  }

 private:
  struct Operator {
    std::uint64_t thread = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::string name;
  };

  Status write_ranges() {
    NPUPROF_ASSIGN_OR_RETURN(FileWriter file, FileWriter::create(directory_ / ms::kOpRangeFile));
    out_ = &file;
    const SourceFile marks(directory_, pt::kOpMarkFile);
    has_queue_ = !marks.bytes().empty();
    const SourceFile ops(directory_, pt::kOpRangeFile);
    (void)pt::for_each_tlv_record<pt::OpRange>(ops.bytes(),
                                               [&](const pt::OpRange& op) { put_operator(op); });
    (void)pt::for_each_tlv_record<pt::OpMark>(marks.bytes(),
                                              [&](const pt::OpMark& mark) { put_mark(mark); });
    put_frames();
    if (options_.data_process) put_datasets();
    std::sort(operators_.begin(), operators_.end(), [](const Operator& a, const Operator& b) {
      return std::tie(a.thread, a.start, b.end) < std::tie(b.thread, b.start, a.end);
    });
    return file.close();
  }

  void put(const ms::OpRange& record) {
    scratch_.clear();
    pt::append(record, scratch_);
    out_->write(Bytes(scratch_));
    ++counts_.ranges;
  }
  // A record of a thread; MindSpore writes the thread's number for that of the process too.
  static ms::OpRange range_of(std::uint64_t thread, std::uint64_t start, std::uint64_t end) {
    ms::OpRange record;
    record.fixed.thread_id = thread;
    record.fixed.process_id = static_cast<std::int32_t>(thread);
    record.fixed.start = start;
    record.fixed.end = end;
    return record;
  }

  void put_operator(const pt::OpRange& op) {
    const auto start = static_cast<std::uint64_t>(op.fixed.start.get());
    const auto end = static_cast<std::uint64_t>(op.fixed.end.get());
    const std::uint64_t thread = op.fixed.start_thread_id;
    ms::OpRange record = range_of(thread, start, end);
    const bool is_user_scope = op.fixed.op_scope() == pt::OpScope::kUserScope;
    const bool is_backward = is_backward_node(op.name);
    const std::string name = is_user_scope ? std::string(op.name) : primitive_name(op.name);
    record.name = name;
    record.full_name = name;
    record.fixed.module = is_user_scope ? indices_.python : indices_.pynative;
    record.fixed.event = is_user_scope ? indices_.observed
                         : is_backward ? indices_.backward
                                       : indices_.run_op;
    // Records come in order of their ends: nothing has ended inside a leaf.
    std::uint64_t& last_start = last_start_[thread];
    const bool is_leaf = last_start < start;
    last_start = start;
    if (is_user_scope) {
      if (op.name.starts_with(pt::kProfilerStepPrefix)) steps_.push_back({start, end, thread});
    } else {
      operators_.push_back({thread, start, end, name});
      note_shapes(op, name, is_leaf);
    }
    if (!is_user_scope && !is_backward && !has_queue_ && is_leaf) {
      record.fixed.event = indices_.launch;
      ++counts_.launches;
    }
    put(record);
    counts_.steps = steps_.size();
  }

  // The node itself follows what wraps it.
  bool is_backward_node(std::string_view name) {
    if (!name.starts_with(pt::kEvaluateFunctionPrefix)) return name == wrapped_node_;
    wrapped_node_ = name.substr(pt::kEvaluateFunctionPrefix.size());
    return true;
  }

  void note_shapes(const pt::OpRange& op, const std::string& name, bool is_leaf) {
    if (!is_leaf || !op.input_shapes || !options_.record_shapes) return;
    std::string types;
    for (const std::string_view type : split(op.input_dtypes.value_or(""), ';')) {
      if (!types.empty()) types += ';';
      const std::size_t space = type.rfind(':');
      types += "Tensor[" + std::string(type.substr(space == type.npos ? 0 : space + 1)) + "]";
    }
    shapes_.push_back({name, std::string(*op.input_shapes), std::move(types)});
  }

  void put_mark(const pt::OpMark& mark) {
    const auto time = static_cast<std::uint64_t>(mark.fixed.time.get());
    const std::uint64_t thread = mark.fixed.thread_id;
    const std::uint64_t flow = mark.fixed.correlation_id + 1;
    switch (mark.fixed.mark_category().value_or(pt::OpMarkCategory::kEnqueueStart)) {
      case pt::OpMarkCategory::kEnqueueStart:
      case pt::OpMarkCategory::kDequeueStart:
        begin_[thread] = time;
        return;
      case pt::OpMarkCategory::kEnqueueEnd: {
        ms::OpRange record = range_of(thread, begin_[thread], time);
        record.fixed.flow_id = flow;
        record.name = ms::kFlowName;
        record.full_name = ms::kFlowName;
        put(record);
        ++counts_.flows;
        return;
      }
      case pt::OpMarkCategory::kDequeueEnd: {
        ms::OpRange record = range_of(thread, begin_[thread], time);
        record.fixed.flow_id = flow;
        record.fixed.module = indices_.pynative;
        record.fixed.event = indices_.launch;
        record.name = launch_name(mark.name);
        record.full_name = record.name;
        put(record);
        ++counts_.launches;
        operators_.push_back({thread, record.fixed.start, time, std::string(record.name)});
        return;
      }
    }
  }

  // One tracer thread: that of the first call.
  void put_frames() {
    const SourceFile names(directory_, pt::kPythonTracerHashFile);
    std::unordered_map<std::uint64_t, std::string> values;
    (void)pt::for_each_tlv_record<pt::PythonHash>(names.bytes(), [&](const pt::PythonHash& hash) {
      values[hash.fixed.key] = frame_name(hash.value);
    });
    const SourceFile calls(directory_, pt::kPythonTracerCallFile);
    const Bytes bytes = calls.bytes();
    std::vector<std::pair<std::uint64_t, std::uint64_t>> open;  // Key and begin.
    std::uint64_t tracer = 0;
    for (std::size_t at = 0; at + sizeof(pt::PythonCall) <= bytes.size();
         at += sizeof(pt::PythonCall)) {
      const auto call = format::load<pt::PythonCall>(bytes.data() + at);
      if (tracer == 0) tracer = call.thread_id;
      if (call.thread_id != tracer) continue;
      if (!call.is_return()) {
        open.emplace_back(call.key.get(), call.time.get());
      } else if (!open.empty()) {
        const auto [key, start] = open.back();
        open.pop_back();
        ms::OpRange record = range_of(tracer, start, call.time);
        record.fixed.flow_id = 0;
        record.fixed.process_id = 0;
        record.fixed.is_stack = 1;
        record.name = values[key];
        record.full_name = values[key];
        put(record);
        ++counts_.frames;
      }
    }
  }

  void put_datasets() {
    for (const PipelineRecord& dataset : pipeline_records(steps_)) {
      ms::OpRange record = range_of(dataset.thread, dataset.start, dataset.end);
      record.fixed.level = 1;
      record.fixed.is_graph = 1;
      record.name = dataset.name;
      record.custom_info = dataset.custom_info;
      record.module_text = ms::kDatasetModule;
      record.event_text = dataset.event;
      put(record);
      ++counts_.datasets;
    }
  }

  // The innermost operator of the thread at that time.
  std::string_view operator_at(std::uint64_t thread, std::uint64_t time) const {
    auto after = std::upper_bound(operators_.begin(), operators_.end(), std::pair(thread, time),
                                  [](const auto& wanted, const Operator& op) {
                                    return wanted < std::pair(op.thread, op.start);
                                  });
    constexpr int kDeepest = 16;
    for (int i = 0; i < kDeepest && after != operators_.begin(); ++i) {
      --after;
      if (after->thread != thread) break;
      if (after->end >= time) return after->name;
    }
    return {};
  }

  Status write_memory() {
    const SourceFile source(directory_, pt::kMemoryUsageFile);
    if (source.bytes().empty()) return ok_status();
    NPUPROF_ASSIGN_OR_RETURN(FileWriter file,
                             FileWriter::create(directory_ / ms::kMemoryUsageFile));
    std::uint64_t peak = 0;
    std::set<std::int64_t> open;  // Addresses.
    std::string totals(ms::CpuMemory::kHeader);
    const auto put_usage = [&](const pt::MemoryUsage& usage) {
      const bool is_release = usage.fixed.memory_event() == pt::MemoryEvent::kFree;
      if (!is_release && usage.fixed.memory_event() != pt::MemoryEvent::kMalloc) return;
      // PyTorch tells of a workspace twice, as of what it is and as of what is reserved for it.
      const bool is_told = is_release ? open.erase(usage.fixed.address) == 0
                                      : !open.insert(usage.fixed.address).second;
      if (is_told) return;
      const bool is_workspace =
          usage.fixed.memory_component() == pt::MemoryComponent::kWorkspaceAllocator;
      ms::MemoryUsage record;
      record.fixed.device = static_cast<std::int32_t>(usage.fixed.device_index.get());
      record.fixed.thread_id = usage.fixed.thread_id;
      record.fixed.process_id = options_.process_id;
      const auto ticks = static_cast<std::uint64_t>(usage.fixed.time.get());
      record.fixed.time = static_cast<std::uint64_t>(clock_.wall_ns_of_host_ticks(ticks));
      record.fixed.address = static_cast<std::uint64_t>(usage.fixed.address.get());
      record.fixed.size =
          is_release ? ms::kReleased : static_cast<std::uint64_t>(usage.fixed.size.get());
      record.fixed.used = static_cast<std::uint64_t>(usage.fixed.total_allocated.get());
      peak = std::max(peak, record.fixed.used.get());
      record.fixed.peak = peak;
      record.fixed.reserved = static_cast<std::uint64_t>(usage.fixed.total_reserved.get());
      record.fixed.stream_pointer = static_cast<std::uint64_t>(usage.fixed.stream.get());
      record.fixed.type = static_cast<std::uint8_t>(is_workspace ? ms::MemoryType::kWorkspace
                                                                 : ms::MemoryType::kPyNativeOutput);
      record.owner = operator_at(usage.fixed.thread_id, ticks);
      scratch_.clear();
      pt::append(record, scratch_);
      file.write(Bytes(scratch_));
      ++counts_.memory;
      if (is_workspace) return;
      ms::append_cpu_memory(totals, {.time_ns = static_cast<std::int64_t>(record.fixed.time.get()),
                                     .allocated_bytes = usage.fixed.total_allocated,
                                     .reserved_bytes = usage.fixed.total_reserved,
                                     .active_bytes = usage.fixed.total_active});
    };
    (void)pt::for_each_tlv_record<pt::MemoryUsage>(source.bytes(), put_usage);
    // Totals of the pool have a file of their own, whatever the device.
    NPUPROF_RETURN_IF_ERROR(write_file(
        directory_ / ms::ranked_file(ms::kCpuMemoryStem, options_.rank, ".txt"), totals));
    return file.close();
  }

  Status write_shapes() {
    if (shapes_.empty()) return ok_status();
    NPUPROF_ASSIGN_OR_RETURN(FileWriter file,
                             FileWriter::create(directory_ / ms::kRecordShapesFile));
    for (const auto& [name, shapes, types] : shapes_) {
      ms::RecordShapes record;
      record.name = name;
      record.shapes = shapes;
      record.types = types;
      scratch_.clear();
      pt::append(record, scratch_);
      file.write(Bytes(scratch_));
      ++counts_.shapes;
    }
    return file.close();
  }

  void remove_sources() const {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(directory_, ignored)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("torch.")) fs::remove(entry.path(), ignored);
    }
  }

  fs::path directory_;
  const MindSporeOptions& options_;
  const SimClock& clock_;
  Indices indices_;
  MindSporeCounts counts_;
  FileWriter* out_ = nullptr;
  bool has_queue_ = false;
  std::vector<std::byte> scratch_;
  std::vector<Operator> operators_;
  std::vector<StepTicks> steps_;
  std::string wrapped_node_;
  std::vector<std::tuple<std::string, std::string, std::string>> shapes_;
  std::unordered_map<std::uint64_t, std::uint64_t> last_start_;  // By thread, as the next one.
  std::unordered_map<std::uint64_t, std::uint64_t> begin_;
};

}  // namespace

Result<MindSporeCounts> translate_framework(const fs::path& directory,
                                            const MindSporeOptions& options,
                                            const SimClock& clock) {
  return Translation(directory, options, clock).run();
}

}  // namespace npuprof::sim
