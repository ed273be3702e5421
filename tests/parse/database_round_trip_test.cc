// raw data -> Trace must be what raw data -> database -> Trace gives, in all that a database holds.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/kernel_metrics.h"
#include "analyze/samples.h"
#include "format/host/dictionary.h"
#include "generated_raw.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "report/sqlite/database.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"
#include "trace/device/device_memory.h"
#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/host/operator_memory.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"
#include "whole_tables.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::GeneratedRaw;
using npuprof::testing::TemporaryDirectory;
using trace::kNone;
using trace::Trace;

// The wanted columns of chosen rows as texts: one per row, equal if and only if the cells are.
template <typename Table>
std::vector<std::string> cells(const Trace& trace, const Table& table,
                               const std::vector<std::uint32_t>& rows,
                               const std::set<std::string>& columns) {
  std::vector<std::string> texts(rows.size());
  std::set<std::string> seen;
  Table::columns(table, [&](const char* name, const auto& column) {
    if (!columns.contains(name)) return;
    seen.insert(name);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& value = column[rows[i]];
      using Value = std::remove_cvref_t<decltype(value)>;
      texts[i] += std::string(name) + "=";
      if constexpr (std::is_same_v<Value, StringId>) {
        texts[i] += std::string(trace.strings.view(value));
      } else if constexpr (std::is_arithmetic_v<Value>) {
        texts[i] += std::to_string(value);
      }
      texts[i] += " ";
    }
  });
  EXPECT_EQ(seen, columns) << "a column does not exist";
  return texts;
}

template <typename Table>
std::vector<std::uint32_t> all_rows(const Table& table) {
  std::vector<std::uint32_t> rows(table.size());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

class RoundTrip {
 public:
  RoundTrip(const Trace& raw, const Trace& again) : raw_(raw), again_(again) {}

  void compare() {
    compare_host();
    compare_device();
    compare_collectives();
    compare_framework();
    compare_links();
    compare_memory();
  }

 private:
  template <typename Table>
  void expect_rows(const char* what, const Table& raw, const Table& again,
                   const std::set<std::string>& columns) {
    expect_rows(what, raw, all_rows(raw), again, all_rows(again), columns);
  }
  template <typename Table>
  void expect_rows(const char* what, const Table& raw, const std::vector<std::uint32_t>& raw_rows,
                   const Table& again, const std::vector<std::uint32_t>& again_rows,
                   const std::set<std::string>& columns) {
    expect_texts(what, cells(raw_, raw, raw_rows, columns),
                 cells(again_, again, again_rows, columns));
  }
  void expect_texts(const char* what, const std::vector<std::string>& raw,
                    const std::vector<std::string>& again) {
    SCOPED_TRACE(what);
    ASSERT_EQ(again.size(), raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) ASSERT_EQ(again[i], raw[i]) << "row " << i;
  }

  void compare_host() {
    expect_rows("api_calls", raw_.api_calls(), again_.api_calls(),
                {"start_ns", "end_ns", "level", "tid"});
    expect_rows("marks", raw_.marks(), again_.marks(),
                {"start_ns", "end_ns", "pid", "tid", "event_type", "is_mstx", "category", "message",
                 "domain"});
    for (std::size_t i = 0; i < raw_.api_calls().size(); ++i) {
      const bool by_item = raw_.api_calls().level[i] == 5500;
      const auto& raw = by_item ? raw_.api_calls().item_name : raw_.api_calls().name;
      const auto& again = by_item ? again_.api_calls().item_name : again_.api_calls().name;
      ASSERT_EQ(again_.strings.view(again[i]), raw_.strings.view(raw[i]));
    }
  }

  // Kernels inside a collective are not listed in databases.
  std::vector<std::uint32_t> listed_kernels(const Trace& trace) const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < trace.kernels().size(); ++i) {
      const auto kind = static_cast<trace::KernelKind>(trace.kernels().kind[i]);
      if (kind == trace::KernelKind::kCompute || kind == trace::KernelKind::kSchedule) {
        rows.push_back(i);
      }
    }
    return rows;
  }

  void compare_device() {
    expect_rows("tasks", raw_.tasks(), again_.tasks(),
                {"start_ns", "end_ns", "device", "stream", "task", "context", "api", "model_id",
                 "copy_direction", "copy_bytes", "shown_type"});
    expect_rows("kernels", raw_.kernels(), listed_kernels(raw_), again_.kernels(),
                listed_kernels(again_), {"task", "kind", "name", "op_type", "task_type"});
    expect_rows(
        "compute kernels", raw_.kernels(), compute_kernels(raw_), again_.kernels(),
        compute_kernels(again_),
        {"task", "op_state", "block_num", "mix_block_num", "hf32", "input_shapes", "input_dtypes",
         "input_formats", "output_shapes", "output_dtypes", "output_formats", "attributes"});
    compare_metrics();
    expect_rows("overlap", raw_.overlap_intervals(), again_.overlap_intervals(),
                {"start_ns", "end_ns", "device", "kind"});
    compare_samples();
    expect_rows("device_memory", raw_.device_memory(), again_.device_memory(),
                {"time_ns", "device", "event", "ddr_bytes", "hbm_bytes"});
    expect_rows("operator_memory", raw_.operator_memory(), again_.operator_memory(),
                {"time_ns", "tid", "address", "size_bytes", "op_name", "total_allocated_bytes",
                 "total_reserved_bytes", "device"});
    expect_rows("device_marks", raw_.device_marks(), again_.device_marks(),
                {"start_ns", "end_ns", "device", "stream", "task", "mark", "mark_id", "model_id"});
  }

  void compare_samples() {
    const auto raw = analyze::samples(raw_);
    const auto again = analyze::samples(again_);
    for (const analyze::Samples& theirs : raw) {
      // Shown in timelines only.
      if (theirs.kind == analyze::SampleKind::kVoltage ||
          theirs.kind == analyze::SampleKind::kCpuAverage) {
        continue;
      }
      SCOPED_TRACE(static_cast<int>(theirs.kind));
      const analyze::Samples* ours = analyze::find_samples(again, theirs.kind);
      ASSERT_NE(ours, nullptr);
      EXPECT_EQ(sample_texts(*ours), sample_texts(theirs));
    }
  }

  static std::vector<std::string> sample_texts(const analyze::Samples& samples) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      std::string text = std::to_string(samples.time_ns[i]) + " " +
                         std::to_string(samples.device[i]) + " " + samples.labels[samples.label[i]];
      // The first sample of a unit has no rate: databases have 0 there.
      for (const double value : samples.row(i)) {
        text += " " + std::to_string(std::isnan(value) ? 0 : value);
      }
      texts.push_back(std::move(text));
    }
    std::sort(texts.begin(), texts.end());
    return texts;
  }

  std::vector<std::uint32_t> compute_kernels(const Trace& trace) const {
    std::vector<std::uint32_t> rows = listed_kernels(trace);
    std::erase_if(rows, [&](std::uint32_t row) {
      return trace.kernels().kind[row] != static_cast<std::uint8_t>(trace::KernelKind::kCompute);
    });
    return rows;
  }

  void compare_metrics() {
    const analyze::KernelMetrics raw(raw_);
    const analyze::KernelMetrics again(again_);
    std::map<std::string, std::size_t> column_of;
    for (std::size_t c = 0; c < again.size(); ++c) column_of[again.columns()[c].name] = c;
    std::vector<double> raw_values(raw.size());
    std::vector<double> again_values(again.size());
    const auto raw_rows = compute_kernels(raw_);
    const auto again_rows = compute_kernels(again_);
    ASSERT_EQ(again_rows.size(), raw_rows.size());
    for (std::size_t i = 0; i < again_rows.size(); ++i) {
      ASSERT_EQ(again.has(again_rows[i]), raw.has(raw_rows[i])) << "kernel " << i;
      if (!again.has(again_rows[i])) continue;
      raw.compute(raw_rows[i], raw_values);
      again.compute(again_rows[i], again_values);
      for (std::size_t c = 0; c < raw.size(); ++c) {
        const analyze::PmuColumn& column = raw.columns()[c];
        if (!column.in_database) continue;
        ASSERT_TRUE(column_of.contains(column.name)) << column.name;
        const std::size_t place = column_of[column.name];
        ASSERT_EQ(again.columns()[place].header, column.header);
        ASSERT_EQ(again.columns()[place].in_text, column.in_text) << column.name;
        ASSERT_EQ(again.columns()[place].unit, column.unit) << column.name;
        ASSERT_NEAR(again_values[place], raw_values[c], 1e-9 * (1 + std::abs(raw_values[c])))
            << column.name << " of kernel " << i;
      }
    }
  }

  void compare_collectives() {
    expect_rows("collective_ops", raw_.collective_ops(), again_.collective_ops(),
                {"start_ns", "end_ns", "device", "name", "type", "api", "group_name", "relay",
                 "retry", "data_type", "algorithm", "count", "rank_size"});
    compare_groups();
    expect_rows("collective_tasks", raw_.collective_tasks(), again_.collective_tasks(),
                {"op", "task", "start_ns", "end_ns", "name", "is_master", "plane", "notify_id",
                 "rdma_type", "source_rank", "destination_rank", "transport_type", "size_bytes",
                 "data_type", "link_type"});
    for (std::size_t i = 0; i < raw_.collective_tasks().size(); ++i) {
      const double raw = raw_.collective_tasks().bandwidth_gb_s[i];
      ASSERT_NEAR(again_.collective_tasks().bandwidth_gb_s[i], raw, 1e-9 * (1 + raw));
    }
  }

  // A group of which the database has the name gets the id that the collector makes of names; the
  // generator of test data uses others.
  void compare_groups() {
    for (std::size_t i = 0; i < raw_.collective_ops().size(); ++i) {
      const std::string_view name = raw_.strings.view(raw_.collective_ops().group_name[i]);
      const std::string id = name.empty()
                                 ? std::string(raw_.strings.view(raw_.collective_ops().group[i]))
                                 : std::to_string(format::host::string_hash(name));
      ASSERT_EQ(again_.strings.view(again_.collective_ops().group[i]), id);
    }
    for (std::size_t i = 0; i < again_.collective_tasks().size(); ++i) {
      ASSERT_EQ(again_.collective_tasks().group[i],
                again_.collective_ops().group[again_.collective_tasks().op[i]]);
    }
  }

  void compare_framework() {
    // Databases list operators by their start.
    by_start_ = all_rows(raw_.framework_ops());
    std::stable_sort(by_start_.begin(), by_start_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return raw_.framework_ops().start_ns[a] < raw_.framework_ops().start_ns[b];
    });
    new_row_.resize(by_start_.size());
    for (std::uint32_t i = 0; i < by_start_.size(); ++i) new_row_[by_start_[i]] = i;
    expect_rows("framework_ops", raw_.framework_ops(), by_start_, again_.framework_ops(),
                all_rows(again_.framework_ops()),
                {"start_ns", "end_ns", "sequence", "pid", "tid", "forward_thread", "name",
                 "input_dtypes", "input_shapes", "stack"});
    ASSERT_EQ(again_.framework_ops().size(), raw_.framework_ops().size());
    for (std::uint32_t i = 0; i < by_start_.size(); ++i) {
      ASSERT_EQ(again_.framework_ops().parent[i], moved(raw_.framework_ops().parent[by_start_[i]]));
    }
    const auto compare_queue = [&](const auto& raw, const auto& again) {
      expect_rows("queue", raw, again,
                  {"start_ns", "end_ns", "correlation", "tid", "pid", "partner"});
      for (std::size_t i = 0; i < raw.size(); ++i) ASSERT_EQ(again.op[i], moved(raw.op[i]));
    };
    compare_queue(raw_.enqueues(), again_.enqueues());
    compare_queue(raw_.dequeues(), again_.dequeues());
    expect_rows("dequeues", raw_.dequeues(), again_.dequeues(), {"name"});
    expect_rows("python_calls", raw_.python_calls(), again_.python_calls(),
                {"start_ns", "end_ns", "tid", "pid", "name", "id", "parent_id", "module_id"});
    expect_rows("garbage", raw_.garbage_collections(), again_.garbage_collections(),
                {"start_ns", "end_ns", "pid"});
    expect_rows(
        "steps", raw_.steps(), again_.steps(),
        {"id", "host_start_ns", "host_end_ns", "device_start_ns", "device_end_ns", "has_kernels"});
  }

  std::uint32_t moved(std::uint32_t op) const { return op == kNone ? kNone : new_row_[op]; }

  void compare_links() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> raw;
    for (std::size_t i = 0; i < raw_.kernel_ops().size(); ++i) {
      // Databases connect operators and tasks through the launching call.
      const std::uint32_t task = raw_.kernel_ops().task[i];
      if (raw_.tasks().api[task] != kNone) raw.emplace_back(moved(raw_.kernel_ops().op[i]), task);
    }
    std::sort(raw.begin(), raw.end());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> again;
    for (std::size_t i = 0; i < again_.kernel_ops().size(); ++i) {
      again.emplace_back(again_.kernel_ops().op[i], again_.kernel_ops().task[i]);
    }
    EXPECT_EQ(again, raw);
    ASSERT_EQ(again_.forward_backward().size(), raw_.forward_backward().size());
    for (std::size_t i = 0; i < raw_.forward_backward().size(); ++i) {
      EXPECT_EQ(again_.forward_backward().sequence[i], raw_.forward_backward().sequence[i]);
      EXPECT_EQ(again_.forward_backward().forward[i], moved(raw_.forward_backward().forward[i]));
      EXPECT_EQ(again_.forward_backward().backward[i], moved(raw_.forward_backward().backward[i]));
    }
  }

  static std::string event_text(const Trace& trace, std::uint32_t event) {
    const auto& events = trace.memory_events();
    if (event == kNone) return "none";
    std::string text = std::to_string(events.time_ns[event]) + " " +
                       std::to_string(events.total_allocated_bytes[event]) + " " +
                       std::to_string(events.total_reserved_bytes[event]) + " " +
                       std::to_string(events.total_active_bytes[event]) + " " +
                       std::to_string(events.kind[event]) + " " +
                       std::to_string(events.size_bytes[event]) + " " +
                       std::to_string(events.stream[event]);
    if (events.owner[event] != kNone) {
      text += trace.strings.view(trace.framework_ops().name[events.owner[event]]);
    }
    return text;
  }

  void compare_memory() {
    ASSERT_EQ(again_.allocations().size(), raw_.allocations().size());
    for (std::size_t i = 0; i < raw_.allocations().size(); ++i) {
      EXPECT_EQ(event_text(again_, again_.allocations().malloc_event[i]),
                event_text(raw_, raw_.allocations().malloc_event[i]));
      EXPECT_EQ(event_text(again_, again_.allocations().free_event[i]),
                event_text(raw_, raw_.allocations().free_event[i]));
    }
  }

  const Trace& raw_;
  const Trace& again_;
  std::vector<std::uint32_t> by_start_;
  std::vector<std::uint32_t> new_row_;
};

Trace load_and_link(const load::Profile& profile) {
  ThreadPool pool(2);
  trace::Losses losses;
  auto trace = load::load_profile(profile, pool, losses);
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  for (const trace::Loss& loss : losses.items()) ADD_FAILURE() << loss.file << ": " << loss.what;
  npuprof::testing::expect_whole_tables(*trace);
  link::link_all(*trace, &pool);
  return std::move(trace).value();
}

void expect_round_trips(const fs::path& directory) {
  const auto found = load::discover(directory);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_FALSE(found->profiles.empty());
  for (const load::Profile& profile : found->profiles) {
    SCOPED_TRACE(profile.path);
    const Trace raw = load_and_link(profile);
    const TemporaryDirectory results;
    const fs::path database =
        results / ("ascend_pytorch_profiler_" + std::to_string(raw.session.rank) + ".db");
    ThreadPool pool(2);
    ASSERT_TRUE(report::sqlite::write_database(raw, database, pool).ok());
    const Trace again = load_and_link(load::discover(database)->profiles.front());
    EXPECT_EQ(again.session.rank, raw.session.rank);
    EXPECT_EQ(again.session.pid, raw.session.pid);
    EXPECT_EQ(again.session.framework, raw.session.framework);
    EXPECT_EQ(again.session.simulated, raw.session.simulated);
    EXPECT_EQ(again.session.begin_ns, raw.session.begin_ns);
    EXPECT_EQ(again.devices.size(), raw.devices.size());
    RoundTrip(raw, again).compare();
  }
}

class GeneratedRoundTrip : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Levels, GeneratedRoundTrip,
                         ::testing::Values("--level 0", "--level 1 --python-trace --with-stack",
                                           "--level 2"));

TEST_P(GeneratedRoundTrip, KeepsAllThatADatabaseHolds) {
  if (!GeneratedRaw::is_available()) GTEST_SKIP() << "no generator of raw profiles";
  const GeneratedRaw raw("--steps 2 --ops-per-step 40 --kernels-per-op 2 --hccl-per-step 3 " +
                         GetParam());
  expect_round_trips(raw.path());
}

class SimulatedRoundTrip : public ::testing::TestWithParam<sim::Workload> {};
INSTANTIATE_TEST_SUITE_P(Workloads, SimulatedRoundTrip,
                         ::testing::Values(sim::Workload::kToy, sim::Workload::kTransformer,
                                           sim::Workload::kGraphMode, sim::Workload::kInference));

TEST_P(SimulatedRoundTrip, KeepsAllThatADatabaseHolds) {
  const TemporaryDirectory directory;
  sim::JobOptions job{.workload = GetParam(),
                      .output = directory / "job",
                      .chip = *sim::find_chip("Ascend910B3"),
                      .steps = 4};
  job.transformer = {.layers = 2, .hidden = 512, .heads = 8, .sequence = 256, .vocabulary = 2048};
  job.inference = {.requests = 2, .prompt = 64, .decode = 2};
  job.graph_mode = {.graphs = 2, .kernels_per_graph = 12, .recompile_every = 2};
  job.collection.memory = true;
  job.collection.mstx = true;
  job.framework.profile_memory = true;
  job.ranks = 2;
  job.parallel.data = 2;
  ASSERT_TRUE(sim::run_job(job).ok());
  expect_round_trips(job.output);
}

}  // namespace
}  // namespace npuprof
