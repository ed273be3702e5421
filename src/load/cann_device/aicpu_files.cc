#include "load/cann_device/aicpu_files.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "format/device/aicpu.h"
#include "format/device/data_preprocess.h"
#include "format/device/file_names.h"
#include "load/cann_device/aicpu_collectives.h"
#include "trace/device/aicpu_nodes.h"
#include "trace/device/data_queue_events.h"
#include "trace/device/kernel_communication_turns.h"
#include "trace/device/step_marks.h"

namespace npuprof::load {
namespace {

using namespace format::device;  // NOLINT(google-build-using-namespace): record layouts.

class AicpuLoader {
 public:
  AicpuLoader(const DeviceConfig& config, StreamMode mode, DevicePart& out)
      : config_(config), mode_(mode), out_(out) {}

  void add_node(TaskIdentity identity, const AiCpuNodeTimes& times) {
    if (times.run_start_tick == 0 || times.run_end_tick == 0) return;  // It never ran to its end.
    trace::AicpuNodes& table = out_.tables.aicpu_nodes();
    const std::int64_t start = config_.clock.from_syscnt(times.run_start_tick);
    const std::int64_t end = config_.clock.from_syscnt(times.run_end_tick);
    const std::int64_t submitted = config_.clock.from_syscnt(times.submit_tick);
    const std::int64_t finished = config_.clock.from_syscnt(times.after_run_tick);
    table.start_ns.push_back(start);
    table.end_ns.push_back(end);
    table.device.push_back(config_.info.id);
    table.stream.push_back(identity.stream);
    table.task.push_back(identity.task);
    table.batch.push_back(0);
    table.compute_us.push_back(microseconds(times.compute_start_us, times.memcpy_start_us));
    table.copy_us.push_back(microseconds(times.memcpy_start_us, times.memcpy_end_us));
    table.task_us.push_back(static_cast<double>(end - start) / 1000);
    table.dispatch_us.push_back(times.dispatch_us);
    table.total_us.push_back(static_cast<double>(finished - submitted) / 1000);
    table.kernel.push_back(trace::kNone);
  }

  void add_node(const AiCpuTaskText& task, const AiCpuNodeText& node) {
    trace::AicpuNodes& table = out_.tables.aicpu_nodes();
    const std::int64_t start = config_.clock.from_syscnt(task.run_start_tick);
    const std::int64_t end = config_.clock.from_syscnt(task.run_end_tick);
    table.start_ns.push_back(start);
    table.end_ns.push_back(end);
    table.device.push_back(config_.info.id);
    table.stream.push_back(0);  // Neither is known.
    table.task.push_back(0);
    table.batch.push_back(0);
    table.compute_us.push_back(microseconds(node.compute_start_us, node.memcpy_start_us));
    table.copy_us.push_back(microseconds(node.memcpy_start_us, node.memcpy_end_us));
    table.task_us.push_back(static_cast<double>(end - start) / 1000);
    table.dispatch_us.push_back(static_cast<double>(task.dispatch_us));
    table.total_us.push_back(static_cast<double>(task.total_us));
    table.kernel.push_back(trace::kNone);
  }

  void add_queue_step(std::uint64_t time_ns, std::string_view action, std::string_view source,
                      std::uint64_t index, std::uint64_t size) {
    const std::int64_t time = config_.clock.from_host_monotonic(time_ns);
    add_queue_event(time, time, action, source, index, size, false);
  }

  void add_queue_wait(std::string_view node, std::uint64_t queue_size, std::uint64_t start_us,
                      std::uint64_t end_us) {
    add_queue_event(config_.clock.from_host_monotonic(start_us * 1000),
                    config_.clock.from_host_monotonic(end_us * 1000), node, "", 0, queue_size,
                    true);
  }

  // A mark of a model fed by a queue counts as one of stream 0.
  void add_model_mark(std::uint64_t syscnt, std::uint64_t index, std::uint32_t model,
                      std::uint16_t tag) {
    trace::StepMarks& table = out_.tables.step_marks();
    table.time_ns.push_back(config_.clock.from_syscnt(syscnt));
    table.device.push_back(config_.info.id);
    table.index.push_back(index);
    table.model_id.push_back(model);
    table.stream.push_back(0);
    table.task.push_back(0);
    table.tag.push_back(tag);
  }

  void add_turn(const AiCpuCommTurn& turn) {
    const TaskIdentity identity = decode({turn.raw_stream, turn.raw_task});
    const std::uint8_t number = turn.current_turn;
    add_phase("StartServer", turn.server_start, turn.wait_message, identity, number);
    add_phase("TaskWaitRequest", turn.wait_message, turn.algorithm_start, identity, number);
    add_phase("TaskOrchestration", turn.algorithm_start, turn.send_task, identity, number);
    add_phase("TaskLaunch", turn.send_task, turn.send_sqe_done, identity, number);
    add_phase("TaskExecute", turn.send_sqe_done, turn.queue_end, identity, number);
    add_phase("Finalize", turn.queue_end, turn.server_end, identity, number);
  }

  void add_turn(const AiCpuComputeTurn& turn) {
    const TaskIdentity identity = decode({turn.raw_stream, turn.raw_task});
    const std::uint8_t number = turn.current_turn;
    add_phase("WaitCompute", turn.wait_compute, turn.compute_start, identity, number);
    add_phase("Compute", turn.compute_start, turn.compute_end, identity, number);
  }

  TaskIdentity decode(RawTaskIdentity raw) const {
    if (has_wide_task_ids(config_.chip)) return {raw.stream, raw.task};
    return decode_task_identity(raw, mode_, 0);
  }

  void set_batches(const trace::TaskBatches& batches) {
    trace::AicpuNodes& table = out_.tables.aicpu_nodes();
    batches.assign(table, table.start_ns);
  }

 private:
  static double microseconds(std::uint64_t begin, std::uint64_t end) {
    return static_cast<double>(static_cast<std::int64_t>(end - begin));
  }

  void add_queue_event(std::int64_t start, std::int64_t end, std::string_view name,
                       std::string_view source, std::uint64_t index, std::uint64_t size,
                       bool is_wait) {
    trace::DataQueueEvents& table = out_.tables.data_queue_events();
    table.start_ns.push_back(start);
    table.end_ns.push_back(end);
    table.device.push_back(config_.info.id);
    table.name.push_back(out_.tables.strings.intern(name));
    table.source.push_back(out_.tables.strings.intern(source));
    table.index.push_back(index);
    table.queue_size.push_back(size);
    table.is_wait.push_back(is_wait ? 1 : 0);
  }

  void add_phase(std::string_view phase, std::uint64_t start, std::uint64_t end,
                 TaskIdentity identity, std::uint8_t turn) {
    if (start == 0 || end < start) return;  // The server stopped before.
    trace::KernelCommunicationTurns& table = out_.tables.kernel_communication_turns();
    table.start_ns.push_back(config_.clock.from_syscnt(start));
    table.end_ns.push_back(config_.clock.from_syscnt(end));
    table.device.push_back(config_.info.id);
    table.stream.push_back(identity.stream);
    table.task.push_back(identity.task);
    table.phase.push_back(out_.tables.strings.intern(phase));
    table.turn.push_back(turn);
  }

  const DeviceConfig& config_;
  StreamMode mode_;
  DevicePart& out_;
};

void load_aicpu(const DeviceFile& file, AicpuLoader& loader, AicpuCollectives& collectives,
                trace::Losses& losses) {
  const auto has_magic = [](const AiCpuRecord& record) { return record.has_magic(); };
  file.for_each_record<AiCpuRecord>(losses, has_magic, [&](const AiCpuRecord& record) {
    if (!record.has_magic()) return false;
    switch (record.type()) {
      case AiCpuType::kNode: {
        const auto node = record.as<AiCpuNode>();
        loader.add_node(loader.decode({node.raw_stream, node.raw_task}), node.times);
        break;
      }
      case AiCpuType::kDataPreprocess: {
        const auto step = record.as<AiCpuDataPreprocess>();
        loader.add_queue_step(step.header.timestamp, step.action.view(), step.source.view(),
                              step.index, step.size);
        break;
      }
      case AiCpuType::kModelWithQueue: {
        const auto mark = record.as<AiCpuModelMark>();
        loader.add_model_mark(mark.header.timestamp, mark.index_id, mark.model_id, mark.tag);
        break;
      }
      case AiCpuType::kMindSporeQueue: {
        const auto wait = record.as<AiCpuQueueWait>();
        const bool is_known = wait.node_tag == AiCpuQueueWait::kGetNextDequeueWait;
        loader.add_queue_wait(is_known ? "GetNext_dequeue_wait" : "", wait.queue_size,
                              wait.start_us, wait.end_us);
        break;
      }
      case AiCpuType::kCommTurn:
        loader.add_turn(record.as<AiCpuCommTurn>());
        break;
      case AiCpuType::kComputeTurn:
        loader.add_turn(record.as<AiCpuComputeTurn>());
        break;
      default:
        collectives.add(record);  // Ignores types that are not known yet.
        break;
    }
    return true;
  });
}

// Calls `visit` with the texts between NULs.
template <typename Visit>
void for_each_item(std::string_view text, Visit&& visit) {
  for (const std::string_view item : split(text, '\0')) {
    if (!trim(item).empty()) visit(trim(item));
  }
}

void report_items(const DeviceFile& file, std::size_t damaged, trace::Losses& losses) {
  if (damaged == 0) return;
  losses.add(file.name(), 0, damaged,
             fmt::format("{} item(s) cannot be read and were skipped.", damaged));
}

void load_queue_steps(const DeviceFile& file, std::uint64_t ns_per_stamp, AicpuLoader& loader,
                      trace::Losses& losses) {
  if (file.empty()) return;
  const std::string text = file.text();
  if (text.front() == '[') {  // Older collectors write text.
    std::size_t damaged = 0;
    for_each_item(text, [&](std::string_view item) {
      if (const auto step = parse_preprocess_step(item)) {
        loader.add_queue_step(step->time_ns * ns_per_stamp, step->action, step->source, step->index,
                              step->size);
      } else {
        ++damaged;
      }
    });
    return report_items(file, damaged, losses);
  }
  const auto is_valid = [](const PreprocessStep& step) { return step.is_valid(); };
  file.for_each_record<PreprocessStep>(losses, is_valid, [&](const PreprocessStep& step) {
    if (!step.is_valid()) return false;
    loader.add_queue_step(step.time_ns, step.action.view(), step.source.view(), step.index,
                          step.size);
    return true;
  });
}

void load_queue_waits(const DeviceFile& file, AicpuLoader& loader, trace::Losses& losses) {
  std::size_t damaged = 0;
  for_each_item(file.text(), [&](std::string_view item) {
    if (const auto wait = parse_queue_wait(item)) {
      loader.add_queue_wait(wait->node, wait->queue_size, wait->start_us, wait->end_us);
    } else {
      ++damaged;
    }
  });
  report_items(file, damaged, losses);
}

// Items about nodes stand before those about the tasks that ran them; some files have none.
void load_aicpu_text(const DeviceFile& file, AicpuLoader& loader, trace::Losses& losses) {
  std::size_t damaged = 0;
  std::size_t named = 0;
  AiCpuNodeText node;
  const std::string text = file.text();
  for_each_item(text, [&](std::string_view item) {
    if (const auto known = parse_aicpu_node(item)) {
      node = *known;
      ++named;
    } else if (const auto task = parse_aicpu_task(item)) {
      loader.add_node(*task, node);
      node = {};
    } else {
      ++damaged;
    }
  });
  report_items(file, damaged, losses);
  if (named == 0) return;
  losses.note(file.name(), named,
              fmt::format("The names of {} kernels on AI CPUs are not read.", named));
}

void load_preprocess(const DeviceFiles& files, AicpuLoader& loader, trace::Losses& losses) {
  const auto valid = [](const auto& record) { return record.is_valid(); };
  const DeviceFile nodes = files.open(kPreprocessNodesFile, losses);
  if (nodes.first_byte() == '[' || nodes.first_byte() == 'T') {
    load_aicpu_text(nodes, loader, losses);
  } else {
    nodes.for_each_record<PreprocessNode>(losses, valid, [&](const PreprocessNode& node) {
      if (!node.is_valid()) return false;
      loader.add_node(loader.decode({node.raw_stream, node.raw_task}), node.times);
      return true;
    });
  }
  files.open(kPreprocessMarksFile, losses)
      .for_each_record<PreprocessModelMark>(losses, valid, [&](const PreprocessModelMark& mark) {
        if (!mark.is_valid()) return false;
        loader.add_model_mark(mark.syscnt, mark.index_id, mark.model_id, mark.step_tag);
        return true;
      });
  load_queue_steps(files.open(kPreprocessStepsFile, losses), 1, loader, losses);
  constexpr std::uint64_t kNsPerUs = 1000;  // The older name of the file comes with the older unit.
  load_queue_steps(files.open(kPreprocessQueueFile, losses), kNsPerUs, loader, losses);
  load_queue_waits(files.open(kPreprocessWaitsFile, losses), loader, losses);
}

}  // namespace

void load_aicpu_files(const DeviceFiles& files, const DeviceConfig& config, StreamMode stream_mode,
                      const trace::TaskBatches& batches, const TextOfHash& text_of_hash,
                      DevicePart& out) {
  AicpuLoader loader(config, stream_mode, out);
  AicpuCollectives collectives(config, stream_mode, text_of_hash, out);
  load_aicpu(files.open(kAicpuFile, out.losses), loader, collectives, out.losses);
  load_preprocess(files, loader, out.losses);
  loader.set_batches(batches);
  collectives.finish(batches);
}

}  // namespace npuprof::load
