// Timelines of simulated profiles: what the Trace holds is in both forms once, at its time to the
// nanosecond, and every arrow joins the slices it is meant to join.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analyze/shown_tasks.h"
#include "base/file.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "report/chrome_trace/json_timeline.h"
#include "report/perfetto/perfetto_timeline.h"
#include "report/perfetto/trace_reader.h"
#include "report/timeline/write_timeline.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"
#include "trace/device/kernel_communication_turns.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/api_calls.h"
#include "trace/host/logical_streams.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof {
namespace {

using nlohmann::json;
using npuprof::testing::PerfettoTraceReader;
using npuprof::testing::ReadSlice;
using npuprof::testing::TemporaryDirectory;
using trace::Trace;

// Lane, start, end, name.
using TimelineSlice = std::tuple<std::string, std::int64_t, std::int64_t, std::string>;
using Slices = std::multiset<TimelineSlice>;

class Timelines : public ::testing::TestWithParam<sim::Workload> {
 protected:
  void SetUp() override {
    sim::JobOptions job{.workload = GetParam(),
                        .output = directory_ / "job",
                        .chip = *sim::find_chip("Ascend910B3"),
                        .ranks = 2,
                        .steps = 2};
    job.parallel.data = 2;
    job.transformer = {.layers = 2, .hidden = 256, .heads = 4, .sequence = 64, .vocabulary = 512};
    job.inference = {.requests = 2, .prompt = 64, .decode = 2};
    job.graph_mode = {.graphs = 2, .kernels_per_graph = 12, .recompile_every = 3};
    job.collection.mstx = true;
    job.framework.with_stack = true;
    job.faults.garbage = true;
    ASSERT_TRUE(sim::run_job(job).ok());
    ThreadPool pool(2);
    trace::Losses losses;
    trace_ = load::load_profile(load::discover(job.output)->profiles.at(1), pool, losses).value();
    link::link_all(trace_, &pool);

    auto text = report::JsonTimeline::create(directory_ / "t.json", pool).value();
    ASSERT_TRUE(report::write_timeline(trace_, {}, text).ok());
    auto native = report::PerfettoTimeline::create(directory_ / "t.perfetto-trace", 1,
                                                   trace_.session.begin_ns, pool)
                      .value();
    ASSERT_TRUE(report::write_timeline(trace_, {}, native).ok());
  }

  json json_events() const { return json::parse(read_file(directory_ / "t.json").value()); }
  PerfettoTraceReader perfetto() const {
    return PerfettoTraceReader(read_file(directory_ / "t.perfetto-trace").value());
  }
  std::string text(StringId id) const { return std::string(trace_.strings.view(id)); }

  TemporaryDirectory directory_;
  Trace trace_;
};

INSTANTIATE_TEST_SUITE_P(Workload, Timelines,
                         ::testing::Values(sim::Workload::kToy, sim::Workload::kTransformer,
                                           sim::Workload::kGraphMode, sim::Workload::kInference));

// "1736408883004219.526" is 1736408883004219526 ns: nothing but the point is removed.
std::int64_t exact_ns(std::string text) {
  const std::size_t point = text.find('.');
  EXPECT_EQ(point + 4, text.size());
  text.erase(point, 1);
  return std::stoll(text);
}

std::string plain_name(const std::string& process) {
  return process.substr(8, process.find(" (NPU") - 8);  // Without "Rank 1: ".
}

Slices slices_of(const PerfettoTraceReader& trace) {
  Slices slices;
  for (const ReadSlice& slice : trace.slices) {
    const auto& lane = trace.tracks.at(slice.track);
    slices.emplace(plain_name(trace.tracks.at(lane.parent).name) + "/" + lane.name, slice.start_ns,
                   slice.end_ns, slice.name);
  }
  return slices;
}

Slices slices_of(const json& events) {
  std::map<std::uint64_t, std::string> processes;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> threads;
  Slices slices;
  for (const json& event : events) {
    const auto pid = event["pid"].get<std::uint64_t>();
    const auto tid = event["tid"].get<std::uint64_t>();
    if (event["name"] == "process_name") processes[pid] = event["args"]["name"];
    if (event["name"] == "thread_name") threads[{pid, tid}] = event["args"]["name"];
    if (event["ph"] != "X") continue;
    const std::int64_t start = exact_ns(event["ts"]);
    const std::int64_t end = start + std::llround(event["dur"].get<double>() * 1000);
    slices.emplace(processes.at(pid) + "/" + threads.at({pid, tid}), start, end, event["name"]);
  }
  return slices;
}

TEST_P(Timelines, BothFormsHoldTheSameSlices) {
  const Slices text = slices_of(json_events());
  const Slices native = slices_of(perfetto());
  EXPECT_GT(text.size(), 100u);
  EXPECT_EQ(text, native);
}

// Viewers drop a slice that overlaps another one of its lane in part.
TEST_P(Timelines, NothingOverlapsInPart) {
  std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> lanes;
  for (const auto& [lane, start, end, name] : slices_of(json_events())) {
    lanes[lane].emplace_back(start, -end);  // The longest of those that start together first.
  }
  for (auto& [lane, slices] : lanes) {
    std::sort(slices.begin(), slices.end());
    std::vector<std::int64_t> open;
    for (const auto& [start, negative_end] : slices) {
      while (!open.empty() && open.back() <= start) open.pop_back();
      const bool fits = open.empty() || -negative_end <= open.back();
      ASSERT_TRUE(fits) << lane << " at " << start;
      open.push_back(-negative_end);
    }
  }
}

// JavaScript reads numbers as doubles, Perfetto texts as hexadecimal numbers of 64 bits; both take
// what is too long for another one.
TEST_P(Timelines, ReadersTellArrowsApart) {
  std::map<std::uint64_t, std::string> seen;
  std::set<std::tuple<std::string, std::string, std::uint64_t>> by_perfetto;
  for (const json& event : json_events()) {
    if (event["ph"] != "s") continue;
    const json& id = event["id"];
    std::uint64_t number = 0;
    if (id.is_number()) {
      number = id;
      EXPECT_LT(number, std::uint64_t{1} << 53);
    } else {
      number = std::stoull(id.get<std::string>());
    }
    EXPECT_TRUE(seen.emplace(number, event["cat"]).second) << event;
    const std::uint64_t read =
        id.is_number() ? number : std::strtoull(id.get<std::string>().c_str(), nullptr, 16);
    EXPECT_TRUE(by_perfetto.emplace(event["cat"], event["name"], read).second) << event;
  }
  EXPECT_FALSE(seen.empty());
}

TEST_P(Timelines, EveryRowOfTheTraceIsThereOnce) {
  const Slices slices = slices_of(perfetto());
  std::map<std::string, std::size_t> sizes;
  for (const TimelineSlice& slice : slices) {
    const std::string& lane = std::get<0>(slice);
    const bool is_step_trace = lane.starts_with("Ascend Hardware/Step Trace(");
    ++sizes[is_step_trace ? "Step Trace" : lane.substr(0, lane.find('/'))];
  }
  const auto thread = [](std::uint32_t tid) { return "Thread " + std::to_string(tid); };
  const auto count = [&](const std::string& lane, std::int64_t start, std::int64_t end,
                         const std::string& name) {
    return slices.count({lane, start, end, name});
  };
  const auto& ops = trace_.framework_ops();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    ASSERT_GE(
        count("Python/" + thread(ops.tid[i]), ops.start_ns[i], ops.end_ns[i], text(ops.name[i])),
        1u);
  }
  EXPECT_EQ(sizes["Python"], ops.size() + trace_.enqueues().size() + trace_.dequeues().size() +
                                 trace_.python_calls().size());
  EXPECT_EQ(sizes["Python GC"], trace_.garbage_collections().size());
  EXPECT_EQ(sizes["CANN"], trace_.api_calls().size());

  const std::vector<std::uint32_t> shown = analyze::shown_tasks(trace_);
  EXPECT_EQ(sizes["Ascend Hardware"], shown.size() + trace_.device_marks().size() +
                                          trace_.kernel_communication_turns().size());
  EXPECT_GE(sizes["Step Trace"], trace_.iterations().size() + trace_.iteration_ranges().size());
  const auto& tasks = trace_.tasks();
  std::map<std::uint32_t, std::uint32_t> logical;
  for (std::size_t i = 0; i < trace_.logical_streams().size(); ++i) {
    logical[trace_.logical_streams().physical[i]] = trace_.logical_streams().logical[i];
  }
  for (const std::uint32_t task : trace_.kernels().task) {
    const std::uint32_t stream =
        logical.contains(tasks.stream[task]) ? logical[tasks.stream[task]] : tasks.stream[task];
    const std::string lane = "Ascend Hardware/Stream " + std::to_string(stream);
    const std::string name = text(trace_.kernels().name[tasks.kernel[task]]);
    std::size_t found = count(lane, tasks.start_ns[task], tasks.end_ns[task], name);
    for (int track = 1; found == 0 && track < 9; ++track) {
      found = count(lane + " (overlapping " + std::to_string(track) + ")", tasks.start_ns[task],
                    tasks.end_ns[task], name);
    }
    ASSERT_EQ(found, 1u) << lane << " " << name;
  }
}

TEST_P(Timelines, ArrowsJoinOperatorsAndTheirKernels) {
  const PerfettoTraceReader trace = perfetto();
  std::map<std::uint64_t, std::vector<const ReadSlice*>> ends;
  for (const ReadSlice& slice : trace.slices) {
    for (const std::uint64_t flow : slice.flows) ends[flow].push_back(&slice);
  }
  EXPECT_GT(ends.size(), 20u);
  // Operators and tasks that belong together, by their times and names.
  using End = std::tuple<std::int64_t, std::int64_t, std::string>;
  std::set<std::pair<End, End>> pairs;
  const auto& tasks = trace_.tasks();
  for (std::size_t i = 0; i < trace_.kernel_ops().size(); ++i) {
    const std::uint32_t op = trace_.kernel_ops().op[i];
    const std::uint32_t task = trace_.kernel_ops().task[i];
    const std::uint32_t kernel = tasks.kernel[task];
    pairs.insert(
        {{trace_.framework_ops().start_ns[op], trace_.framework_ops().end_ns[op],
          text(trace_.framework_ops().name[op])},
         {tasks.start_ns[task], tasks.end_ns[task],
          text(kernel == trace::kNone ? tasks.shown_type[task] : trace_.kernels().name[kernel])}});
  }
  std::set<End> reached;
  for (const auto& [flow, slices] : ends) {
    ASSERT_EQ(slices.size(), 2u);
    const ReadSlice& from = *slices[0];
    const ReadSlice& to = *slices[1];
    const auto layer = [&](const ReadSlice& slice) {
      return plain_name(trace.tracks.at(trace.tracks.at(slice.track).parent).name);
    };
    if (layer(from) != "Python" || layer(to) != "Ascend Hardware") continue;
    const End target{to.start_ns, to.end_ns, to.name};
    EXPECT_TRUE(pairs.contains({{from.start_ns, from.end_ns, from.name}, target}));
    reached.insert(target);
  }
  // One arrow stands for all tasks of a call, such as the run of a graph.
  const auto is_reached = [&](std::uint32_t task) {
    const std::uint32_t kernel = tasks.kernel[task];
    return reached.contains(
        {tasks.start_ns[task], tasks.end_ns[task],
         text(kernel == trace::kNone ? tasks.shown_type[task] : trace_.kernels().name[kernel])});
  };
  std::set<std::uint32_t> calls;
  for (std::uint32_t task = 0; task < tasks.size(); ++task) {
    if (is_reached(task)) calls.insert(tasks.api[task]);
  }
  for (std::size_t i = 0; i < trace_.kernel_ops().size(); ++i) {
    const std::uint32_t task = trace_.kernel_ops().task[i];
    const std::uint32_t kernel = tasks.kernel[task];
    if (kernel == trace::kNone || tasks.context[task] != trace::kNone) continue;
    const auto kind = static_cast<trace::KernelKind>(trace_.kernels().kind[kernel]);
    if (kind != trace::KernelKind::kCompute) continue;
    EXPECT_TRUE(calls.contains(tasks.api[task])) << text(trace_.kernels().name[kernel]);
  }
}

TEST_P(Timelines, ArrowsOfTheJsonFormHaveTwoEndsInsideSlices) {
  std::map<std::pair<std::string, std::string>, std::string> phases;  // By category and id.
  std::set<std::string> ids;
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::string>> starts;
  const json events = json_events();
  for (const json& event : events) {
    if (event["ph"] == "X") starts.emplace(event["pid"], event["tid"], event["ts"]);
  }
  for (const json& event : events) {
    const std::string phase = event["ph"];
    if (phase != "s" && phase != "f") continue;
    phases[{event["cat"], event["id"].dump()}] += phase;
    EXPECT_TRUE(starts.contains({event["pid"], event["tid"], event["ts"]}));
    // Readers that know ids as numbers must be able to tell them apart.
    if (!event["id"].is_number()) continue;
    EXPECT_LT(event["id"].get<std::uint64_t>(), std::uint64_t{1} << 53);
  }
  for (const auto& [arrow, both] : phases) {
    EXPECT_TRUE(both == "sf" || both == "fs") << arrow.first << " " << arrow.second << " " << both;
    EXPECT_TRUE(ids.insert(arrow.second).second) << "an id of two kinds: " << arrow.second;
  }
}

}  // namespace
}  // namespace npuprof
