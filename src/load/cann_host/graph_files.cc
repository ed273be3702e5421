#include "load/cann_host/graph_files.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "format/host/enumerations.h"
#include "format/host/graph_text.h"
#include "format/host/levels.h"
#include "load/cann_device/device_files.h"
#include "trace/device/device_tasks.h"
#include "trace/host/captured_ops.h"
#include "trace/host/task_tracks.h"

namespace npuprof::load {
namespace {

using namespace format::host;  // NOLINT(google-build-using-namespace): texts of one file format.
using trace::kNone;

// The device's number of the stream that a task of the graph ran on.
class StreamNumbers {
 public:
  StreamNumbers(const trace::DeviceTasks& tasks, std::uint16_t device) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (tasks.device[i] == device) streams_[tasks.task[i]].insert(tasks.stream[i]);
    }
  }

  // The two differ by a constant, which tasks that ran on one stream only tell.
  void learn(const std::vector<GraphTask>& tasks) {
    std::map<std::int64_t, std::size_t> votes;
    for (const GraphTask& task : tasks) {
      const auto found = streams_.find(task.task);
      if (found == streams_.end() || found->second.size() != 1) continue;
      ++votes[std::int64_t{*found->second.begin()} - std::int64_t{task.stream}];
    }
    const auto most =
        std::max_element(votes.begin(), votes.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != votes.end()) difference_ = most->first;
  }

  // Nothing if the task did not run.
  std::optional<std::uint16_t> find(const GraphTask& task) const {
    const auto found = streams_.find(task.task);
    if (found == streams_.end()) return std::nullopt;
    const std::int64_t expected = std::int64_t{task.stream} + difference_;
    for (const std::uint16_t stream : found->second) {
      if (stream == expected) return stream;
    }
    if (found->second.size() != 1) return std::nullopt;
    return *found->second.begin();
  }

 private:
  std::map<std::uint32_t, std::set<std::uint16_t>> streams_;  // By task.
  std::int64_t difference_ = 0;
};

// Texts of tensors, as kernels have them.
struct GraphTensorTexts {
  std::string shapes;
  std::string types;
  std::string formats;

  GraphTensorTexts(const std::vector<GraphTensor>& tensors, GraphTypeNumbers numbers) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const char* separator = i == 0 ? "" : ";";
      const std::string_view type = graph_data_type_name(tensors[i].data_type, numbers);
      shapes.append(separator).append(tensors[i].shape);
      types.append(separator);
      types += type.empty() ? std::to_string(tensors[i].data_type) : std::string(type);
      formats.append(separator).append(tensors[i].format);
    }
    if (!tensors.empty()) shapes = '"' + shapes + '"';
  }
};

class GraphReader {
 public:
  GraphReader(const DeviceFiles& files, std::uint16_t device, trace::Trace& trace,
              trace::Losses& losses)
      : files_(files), device_(device), trace_(trace), losses_(losses) {}

  void read() {
    const std::string tasks_text = read_text("task_desc_info");
    const std::string nodes_text = read_text("graph_desc_info");
    const std::vector<GraphTask> tasks = parse_tasks(tasks_text);
    const auto nodes = parse_nodes(nodes_text);
    StreamNumbers streams(trace_.device_tasks(), device_);
    streams.learn(tasks);
    std::size_t unseen = 0;
    for (const GraphTask& task : tasks) {
      const auto stream = streams.find(task);
      if (!stream) {
        ++unseen;
        continue;
      }
      const auto node = nodes.find(task.op_name);
      add_track(task, *stream);
      add_op(task, *stream, node == nodes.end() ? nullptr : &node->second);
    }
    if (unseen > 0 && trace_.device_tasks().size() > 0) {
      losses_.note(file_, unseen, fmt::format("{} operators of the graph did not run.", unseen));
    }
    if (const std::string points = read_text("point"); !points.empty()) {
      const auto lines = static_cast<std::size_t>(std::count(points.begin(), points.end(), '\n'));
      losses_.note(file_, lines, "The names of points in the training trace are not read.");
    }
  }

 private:
  // Releases put other words before the kind.
  std::string read_text(std::string_view kind) {
    std::string text;
    for (const std::string& name : files_.names_with_prefix("Framework.")) {
      const bool is_kind = name.ends_with(kind) && name.size() > kind.size() &&
                           (name[name.size() - kind.size() - 1] == '.' ||
                            name[name.size() - kind.size() - 1] == '_');
      if (!is_kind) continue;
      const DeviceFile file = files_.open(name, losses_);
      file_ = file.name();
      if (file.first_byte() == 'Z') {
        losses_.note(file_, 0, "Descriptions of operators in binary form are not read.");
      } else {
        text += file.text();
      }
    }
    return text;
  }

  std::vector<GraphTask> parse_tasks(std::string_view text) {
    std::vector<GraphTask> tasks;
    std::size_t damaged = 0;
    for (const std::string_view line : split(text, '\n')) {
      if (trim(line).empty()) continue;
      if (const auto task = parse_graph_task(line)) {
        tasks.push_back(*task);
      } else {
        ++damaged;
      }
    }
    report(damaged);
    return tasks;
  }

  std::map<std::string_view, GraphNode> parse_nodes(std::string_view text) {
    std::map<std::string_view, GraphNode> nodes;
    std::size_t damaged = 0;
    GraphNode node;
    for (const std::string_view line : split(text, '\n')) {
      if (trim(line).empty()) continue;
      if (!parse_graph_node(line, node)) {
        ++damaged;
        continue;
      }
      for (const auto* tensors : {&node.inputs, &node.outputs}) {
        for (const GraphTensor& tensor : *tensors) {
          if (is_later_data_type(tensor.data_type)) numbers_ = GraphTypeNumbers::kSince1_0;
        }
      }
      nodes[node.op_name] = node;
    }
    report(damaged);
    return nodes;
  }

  void report(std::size_t damaged) {
    if (damaged == 0) return;
    losses_.add(file_, 0, damaged,
                fmt::format("{} line(s) cannot be read and were skipped.", damaged));
  }

  void add_track(const GraphTask& task, std::uint16_t stream) {
    constexpr auto kType = static_cast<std::uint16_t>(TaskType::kKernelAicore);
    trace::TaskTracks& tracks = trace_.task_tracks();
    const std::size_t row = tracks.size();
    resize_rows(tracks, row + 1);
    tracks.time_ns[row] = trace_.session.begin_ns;
    tracks.device[row] = device_;
    tracks.stream[row] = stream;
    tracks.task[row] = task.task;
    tracks.type[row] = kType;
    tracks.type_name[row] = trace_.strings.intern(task_type_name(kType));
    tracks.has_blocks[row] = 1;
    tracks.block_num[row] = static_cast<std::uint16_t>(task.block_num);
    tracks.model_id[row] = kNone;
    tracks.is_static[row] = 1;
  }

  void add_op(const GraphTask& task, std::uint16_t stream, const GraphNode* node) {
    const GraphNode unknown;
    const GraphNode& known = node == nullptr ? unknown : *node;
    const GraphTensorTexts inputs(known.inputs, numbers_);
    const GraphTensorTexts outputs(known.outputs, numbers_);
    const auto intern = [&](std::string_view text) { return trace_.strings.intern(text); };
    trace::CapturedOps& ops = trace_.captured_ops();
    const std::size_t row = ops.size();
    resize_rows(ops, row + 1);
    ops.model_id[row] = kNone;
    ops.device[row] = device_;
    ops.stream[row] = stream;
    ops.task[row] = task.task;
    ops.task_type[row] = static_cast<std::uint32_t>(GeTaskType::kAiCore);
    ops.block_num[row] = static_cast<std::uint16_t>(task.block_num);
    ops.op_name[row] = intern(task.op_name);
    ops.op_type[row] = intern(known.op_type);
    ops.input_shapes[row] = intern(inputs.shapes);
    ops.input_dtypes[row] = intern(inputs.types);
    ops.input_formats[row] = intern(inputs.formats);
    ops.output_shapes[row] = intern(outputs.shapes);
    ops.output_dtypes[row] = intern(outputs.types);
    ops.output_formats[row] = intern(outputs.formats);
  }

  const DeviceFiles& files_;
  std::uint16_t device_;
  trace::Trace& trace_;
  trace::Losses& losses_;
  std::string file_;  // The last one that was opened.
  GraphTypeNumbers numbers_ = GraphTypeNumbers::kBefore1_0;
};

}  // namespace

void load_graph_files(const CannDirectory& job, trace::Trace& trace, trace::Losses& losses) {
  for (const DeviceDirectory& device : job.devices) {
    trace::Losses ignored;  // Listing the files was reported before.
    const DeviceFiles files = DeviceFiles::of_job(device.path, device.id, ignored);
    GraphReader(files, device.id, trace, losses).read();
  }
}

}  // namespace npuprof::load
