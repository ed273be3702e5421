// A chosen step and a chosen range reach everything that can follow them.

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/keep_steps.h"
#include "serve/collective_alignment.h"
#include "serve/heat_scale.h"
#include "serve/served_profiles.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/steps.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::serve {
namespace {

using nlohmann::json;

constexpr std::int64_t kFirstNs = 1'700'000'000'000'000'000;

template <typename Table>
std::size_t add_row(Table& table) {
  const std::size_t row = table.size();
  Table::columns(table, [&](const char*, auto& column) { column.resize(row + 1); });
  return row;
}

// Two steps; the device still works for the first one when the second one begins on the host.
//
//   step  host         device        kernels "Add" of 10, 20, ... ns
//   1     0 - 1000     200 - 1200    at 200, 400 and 1100
//   2     1000 - 2000  1050 - 2200   at 1300 and 1500
class TwoSteps : public query::ProfileSource {
 public:
  const std::vector<query::ProfileFacts>& profiles() const override { return facts_; }

  Result<query::OpenedProfile> open(std::size_t, const query::ProfilePart& part) override {
    struct Owner {
      trace::Trace trace;
      analyze::SharedResults results{trace};
    };
    auto owner = std::make_shared<Owner>();
    fill(owner->trace);
    NPUPROF_RETURN_IF_ERROR(query::keep_part(owner->trace, part));
    return query::OpenedProfile{.owner = owner,
                                .request = {.trace = owner->trace, .results = owner->results}};
  }

 private:
  static void fill(trace::Trace& trace) {
    trace.session.origin = trace::Origin::kResults;
    trace.devices.push_back({});
    add_step(trace, 1, 0, 1000, 200, 1200);
    add_step(trace, 2, 1000, 2000, 1050, 2200);
    add_op(trace, "ProfilerStep#1", 0, 1000);
    add_op(trace, "inner", 100, 300);
    add_op(trace, "ProfilerStep#2", 1000, 2000);
    add_op(trace, "inner", 1100, 1900);
    add_op(trace, "other", 1200, 1250);
    std::int64_t duration = 10;
    for (const std::int64_t start : {200, 400, 1100, 1300, 1500}) {
      add_kernel(trace, start, duration);
      add_interval(trace, trace::OverlapKind::kComputing, start, start + duration);
      duration += 10;
    }
    add_interval(trace, trace::OverlapKind::kFree, 210, 400);
    add_interval(trace, trace::OverlapKind::kFree, 1340, 1500);
  }

  static void add_step(trace::Trace& trace, std::int64_t id, std::int64_t host_start,
                       std::int64_t host_end, std::int64_t device_start, std::int64_t device_end) {
    auto& steps = trace.steps();
    const std::size_t row = add_row(steps);
    steps.id[row] = id;
    steps.host_start_ns[row] = kFirstNs + host_start;
    steps.host_end_ns[row] = kFirstNs + host_end;
    steps.device_start_ns[row] = kFirstNs + device_start;
    steps.device_end_ns[row] = kFirstNs + device_end;
    steps.has_kernels[row] = 1;
  }

  static void add_op(trace::Trace& trace, const char* name, std::int64_t start, std::int64_t end) {
    auto& ops = trace.framework_ops();
    const std::size_t row = add_row(ops);
    ops.start_ns[row] = kFirstNs + start;
    ops.end_ns[row] = kFirstNs + end;
    ops.tid[row] = 7;
    ops.pid[row] = 1;
    ops.name[row] = trace.strings.intern(name);
    ops.parent[row] = trace::kNone;
  }

  static void add_interval(trace::Trace& trace, trace::OverlapKind kind, std::int64_t start,
                           std::int64_t end) {
    auto& intervals = trace.overlap_intervals();
    const std::size_t row = add_row(intervals);
    intervals.start_ns[row] = kFirstNs + start;
    intervals.end_ns[row] = kFirstNs + end;
    intervals.kind[row] = static_cast<std::uint8_t>(kind);
  }

  static void add_kernel(trace::Trace& trace, std::int64_t start, std::int64_t duration) {
    auto& tasks = trace.tasks();
    const std::size_t task = add_row(tasks);
    tasks.start_ns[task] = kFirstNs + start;
    tasks.end_ns[task] = kFirstNs + start + duration;
    tasks.stream[task] = 3;
    tasks.launch[task] = trace::kNone;
    tasks.api[task] = trace::kNone;
    tasks.copy_direction[task] = trace::kNone;
    tasks.model_id[task] = trace::kNone;
    tasks.shown_type[task] = trace.strings.intern("AI_CORE");
    auto& kernels = trace.kernels();
    const std::size_t kernel = add_row(kernels);
    kernels.task[kernel] = static_cast<std::uint32_t>(task);
    kernels.name[kernel] = kernels.op_type[kernel] = trace.strings.intern("Add");
    kernels.task_type[kernel] = trace.strings.intern("AI_CORE");
    kernels.pmu[kernel] = kernels.slave_pmu[kernel] = trace::kNone;
    tasks.kernel[task] = static_cast<std::uint32_t>(kernel);
  }

  std::vector<query::ProfileFacts> facts_ = {{0, "/runs/a"}};
};

class ChosenPart : public ::testing::Test {
 protected:
  // The lane with this name.
  std::string lane(const std::string& name) const {
    const json lanes = served_.ask("/api/lanes");
    for (const json& group : lanes.at("groups")) {
      for (const json& lane : group.at("lanes")) {
        if (lane.at("name") == name) return lane.at("id").dump();
      }
    }
    ADD_FAILURE() << "no lane " << name;
    return "0";
  }
  static std::vector<std::int64_t> durations(const json& rows) {
    std::vector<std::int64_t> found;
    for (const json& row : rows) found.push_back(row.at("duration"));
    return found;
  }

  testing::ServedProfiles served_{std::make_unique<TwoSteps>()};
};

TEST_F(ChosenPart, HistogramsCountTheKernelsOfTheStepAsStatisticsDo) {
  for (const auto& [step, count] : {std::pair("1", 3), std::pair("2", 2)}) {
    const json histogram = served_.ask("/api/histogram", {{"type", "Add"}, {"step", step}});
    EXPECT_EQ(histogram.at("count"), count);
    const json answer = served_.ask("/api/answer", {{"mode", "kernels"}, {"step", step}});
    EXPECT_EQ(answer.at("tables").at(0).at("total_rows"), count);
  }
  EXPECT_EQ(served_.ask("/api/histogram", {{"type", "Add"}}).at("count"), 5);
  EXPECT_EQ(served_.reply("/api/histogram", {{"type", "Add"}, {"step", "7"}}).status, 404);
}

TEST_F(ChosenPart, TheOverviewIsToldInParts) {
  const json whole = served_.ask("/api/overview");
  for (const char* part : {"steps", "idle_causes", "overall", "memory_peaks", "losses"}) {
    const json alone = served_.ask("/api/overview", {{"only", part}});
    EXPECT_EQ(alone.size(), 2U) << part;
    EXPECT_EQ(alone.at(part), whole.at(part));
  }
}

TEST_F(ChosenPart, RowsOfAnAnswerAreThoseThatWereAskedForWhateverWasKept) {
  const auto names = [&](const char* from, const char* top, const char* step) {
    const json answer = served_.ask(
        "/api/answer", {{"mode", "kernels"}, {"from", from}, {"top", top}, {"step", step}});
    return answer.at("tables").at(0).at("rows").size();
  };
  EXPECT_EQ(names("0", "2", "1"), 2U);
  EXPECT_EQ(names("2", "5", "1"), 1U);
  EXPECT_EQ(names("0", "5", "2"), 2U);
  EXPECT_EQ(names("0", "5", "1"), 3U);
}

TEST_F(ChosenPart, AnAnswerHasWhatIsComparedBesideIt) {
  const auto ask = [&](testing::ServedProfiles::Parameters parameters) {
    parameters.insert({{"mode", "op_statistic"}, {"step", "1"}});
    return served_.ask("/api/answer", parameters).at("tables").at(0);
  };
  const auto cell = [](const json& table, const std::string& key) -> json {
    for (std::size_t i = 0; i < table.at("columns").size(); ++i) {
      if (table.at("columns").at(i).at("key") == key) return table.at("rows").at(0).at(i);
    }
    return nullptr;
  };
  EXPECT_EQ(cell(ask({}), "total_difference"), nullptr);
  const json both = ask({{"q", "0"}, {"other_step", "2"}});
  EXPECT_EQ(cell(both, "total"), 10 + 20 + 30);
  EXPECT_EQ(cell(both, "compared_total"), 40 + 50);
  EXPECT_EQ(cell(both, "total_difference"), 30);
  EXPECT_EQ(cell(both, "count_difference"), -1);
  // All kernels one by one have no names to compare them by.
  const json kernels =
      served_.ask("/api/answer", {{"mode", "kernels"}, {"q", "0"}, {"other_step", "2"}});
  EXPECT_EQ(cell(kernels.at("tables").at(0), "duration_difference"), nullptr);
}

TEST_F(ChosenPart, HistogramsListTheCallsOfTheDurationsThatWereAskedFor) {
  const json chosen =
      served_.ask("/api/histogram", {{"type", "Add"}, {"from", "20"}, {"to", "50"}});
  EXPECT_EQ(chosen.at("count"), 5);
  EXPECT_EQ(chosen.at("chosen"), 3);
  EXPECT_EQ(durations(chosen.at("slices")), (std::vector<std::int64_t>{40, 30, 20}));
}

TEST_F(ChosenPart, TablesOfALaneHoldWhatIsLookedForInAnyOrder) {
  const std::string thread = lane("Thread 7");
  const json found = served_.ask("/api/events", {{"lane", thread}, {"find", "INN"}});
  EXPECT_EQ(durations(found.at("rows")), (std::vector<std::int64_t>{200, 800}));
  const auto sorted = [&](const char* column, const char* falls) {
    return durations(
        served_.ask("/api/events", {{"lane", thread}, {"sort", column}, {"desc", falls}})
            .at("rows"));
  };
  EXPECT_EQ(sorted("duration", "0"), (std::vector<std::int64_t>{50, 200, 800, 1000, 1000}));
  EXPECT_EQ(sorted("self", "1"), (std::vector<std::int64_t>{1000, 800, 200, 1000, 50}));
  EXPECT_EQ(sorted("row", "0").back(), 50);
  EXPECT_EQ(sorted("name", "1").front(), 50);  // "other"
  EXPECT_EQ(sorted("start", "1").front(), 50);
}

TEST_F(ChosenPart, TablesOfALaneHoldTheSlicesOfTheStep) {
  const json host = served_.ask("/api/events", {{"lane", lane("Thread 7")}, {"step", "2"}});
  EXPECT_EQ(host.at("total_rows"), 3);
  const json device = served_.ask("/api/events", {{"lane", lane("Stream 3")}, {"step", "1"}});
  EXPECT_EQ(durations(device.at("rows")), (std::vector<std::int64_t>{10, 20, 30}));
}

TEST_F(ChosenPart, SearchesFindHitsOfTheStepAndTheRangeAlone) {
  EXPECT_EQ(served_.ask("/api/search", {{"q", "inner"}}).at("count"), 2);
  const json of_step = served_.ask("/api/search", {{"q", "inner"}, {"step", "1"}});
  EXPECT_EQ(of_step.at("count"), 1);
  EXPECT_EQ(of_step.at("names").at(0).at("count"), 1);
  const testing::ServedProfiles::Parameters in_range = {
      {"q", "Add"}, {"begin", "400"}, {"end", "1400"}};
  EXPECT_EQ(served_.ask("/api/search", in_range).at("count"), 3);
  const json hits = served_.ask("/api/hits", in_range);
  EXPECT_EQ(hits.at("total_rows"), 3);
  EXPECT_EQ(durations(hits.at("rows")), (std::vector<std::int64_t>{20, 30, 40}));
  EXPECT_EQ(hits.at("rows").at(0).at("lane_name"), "Stream 3");
}

TEST_F(ChosenPart, HitsComeInPagesInOrderOfTime) {
  const json page = served_.ask("/api/hits", {{"q", "add"}, {"from", "1"}, {"rows", "2"}});
  EXPECT_EQ(page.at("total_rows"), 5);
  EXPECT_EQ(durations(page.at("rows")), (std::vector<std::int64_t>{20, 30}));
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(served_.ask("/api/hit", {{"q", "add"}, {"k", std::to_string(k)}}).at("duration"),
              10 * (k + 1));
  }
}

TEST_F(ChosenPart, OverviewAndStatementsAreOfTheStep) {
  const json overview = served_.ask("/api/overview", {{"step", "2"}});
  EXPECT_EQ(overview.at("steps").size(), 1U);
  EXPECT_EQ(overview.at("top_kernels").at(0).at("count"), 2);
  const json rows =
      served_.ask("/api/sql", {{"sql", "select count(*) from kernel"}, {"step", "2"}});
  EXPECT_EQ(rows.at("tables").at(0).at("rows"), json({{2}}));
}

TEST_F(ChosenPart, RangesOfOneProfileAreComparedAsStepsAre) {
  const auto counts = [&](testing::ServedProfiles::Parameters parameters) {
    const json answer = served_.ask("/api/compare", std::move(parameters));
    for (const json& table : answer.at("tables")) {
      if (table.at("name") != "kernels") continue;
      std::map<std::string, json> row;
      for (std::size_t i = 0; i < table.at("columns").size(); ++i) {
        row[table.at("columns").at(i).at("key")] = table.at("rows").at(0).at(i);
      }
      return json{row.at("base_count"), row.at("count"), row.at("base_total"), row.at("total")};
    }
    return json();
  };
  // From the first kernel to the last of step 1, and the last kernel alone.
  EXPECT_EQ(counts({{"t0", "200"}, {"t1", "1101"}, {"other_t0", "1500"}, {"other_t1", "1501"}}),
            (json{3, 1, 60, 50}));
  // A range and a step; what of a step is in a range.
  EXPECT_EQ(counts({{"t0", "400"}, {"t1", "500"}, {"other_step", "2"}}), (json{1, 2, 20, 90}));
  EXPECT_EQ(counts({{"step", "1"}, {"t0", "1000"}, {"t1", "2000"}, {"other_t0", "0"}}),
            (json{1, 5, 30, 150}));
  EXPECT_EQ(served_.reply("/api/compare", {{"t0", "500"}, {"t1", "400"}}).status, 400);
}

TEST(KeepRange, CutsTheTimesOfTheDeviceAtItsEnds) {
  trace::Trace trace;
  auto& intervals = trace.overlap_intervals();
  for (const std::int64_t start : {0, 100, 200, 300}) {
    const std::size_t row = add_row(intervals);
    intervals.start_ns[row] = kFirstNs + start;
    intervals.end_ns[row] = kFirstNs + start + 100;
  }
  ASSERT_TRUE(analyze::keep_range(trace, {kFirstNs + 150, kFirstNs + 210}).ok());
  ASSERT_EQ(intervals.size(), 2U);
  EXPECT_EQ(intervals.start_ns[0], kFirstNs + 150);
  EXPECT_EQ(intervals.end_ns[0], kFirstNs + 200);
  EXPECT_EQ(intervals.end_ns[1], kFirstNs + 210);
}

TEST_F(ChosenPart, ModulesAndMetricsAreColumnsWhereTheProfileHasThem) {
  const auto kernels = [&](const char* with) {
    return served_.reply("/api/answer", {{"mode", "kernels"}, {"with", with}});
  };
  const json table = json::parse(kernels("module,pmu").body).at("tables").at(0);
  for (const json& column : table.at("columns")) EXPECT_NE(column.at("key"), "module");
  EXPECT_EQ(table.at("total_rows"), 5);
  EXPECT_EQ(kernels("nonsense").status, 400);
  EXPECT_EQ(served_.reply("/api/answer", {{"mode", "op_statistic"}, {"by", "module"}}).status, 404);
}

TEST_F(ChosenPart, GapsAreShownInStreamsThatRunTasks) {
  const json lanes = served_.ask("/api/lanes");
  int with_gaps = 0;
  for (const json& group : lanes.at("groups")) {
    for (const json& lane : group.at("lanes")) {
      if (!lane.contains("idle_lane")) continue;
      ++with_gaps;
      EXPECT_EQ(lane.at("name"), "Stream 3");
    }
  }
  EXPECT_EQ(with_gaps, 1);
}

TEST_F(ChosenPart, CausesOfIdleTimeHaveTheirColoursInOneList) {
  const json causes = served_.ask("/api/session").at("idle_causes");
  EXPECT_EQ(causes.size(), analyze::kIdleCauseCount);
  const json names = served_.ask("/api/names").at("names");
  for (const json& cause : causes) {
    for (const json& name : names) {
      if (name.at("name") == cause.at("name")) {
        EXPECT_EQ(name.at("category"), cause.at("category"));
      }
    }
  }
}

// Flags of the slices of a lane in the binary reply, which has one lane: after its header of 32
// bytes come arrays, each padded to 8 bytes.
std::vector<int> flags_of(const std::string& bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 24, sizeof count);
  const auto padded = [](std::size_t size) { return (size + 7) / 8 * 8; };
  std::size_t at = 32 + 2 * padded(count * 8) + 3 * padded(count * 4) + padded(count * 2);
  at += padded(count);
  std::vector<int> flags;
  for (std::uint32_t i = 0; i < count; ++i) flags.push_back(bytes[at + i]);
  return flags;
}

// Frames of Python: `train` calls `step`, in which the recording ends; `load` returned before.
class CutFrames : public query::ProfileSource {
 public:
  CutFrames() {
    trace_.session.origin = trace::Origin::kResults;
    add("load", 100, 200);
    add("run", 400, 900);
    add("step", 300, 900);
    add("train", 0, 900);
    auto& ops = trace_.framework_ops();
    const std::size_t row = add_row(ops);
    ops.start_ns[row] = kFirstNs;
    ops.end_ns[row] = kFirstNs + 10;
    ops.tid[row] = 7;
    ops.name[row] = trace_.strings.intern("op");
    ops.parent[row] = trace::kNone;
  }
  const std::vector<query::ProfileFacts>& profiles() const override { return facts_; }
  Result<query::OpenedProfile> open(std::size_t, const query::ProfilePart&) override {
    return query::OpenedProfile{
        .owner = nullptr,
        .request = {.trace = trace_, .results = results_},
        .losses = {"host times are counted from the first call, and may not fit device times"}};
  }

 private:
  void add(const char* name, std::int64_t start, std::int64_t end) {
    auto& calls = trace_.python_calls();
    const std::size_t row = add_row(calls);
    calls.start_ns[row] = kFirstNs + start;
    calls.end_ns[row] = kFirstNs + end;
    calls.tid[row] = 7;
    calls.name[row] = trace_.strings.intern(name);
    calls.module_id[row] = trace::kNone;
  }

  trace::Trace trace_;
  analyze::SharedResults results_{trace_};
  std::vector<query::ProfileFacts> facts_ = {{0, "/runs/a"}};
};

TEST(SliceMarks, TellWhatTheEndOfTheRecordingCutOff) {
  const testing::ServedProfiles served{std::make_unique<CutFrames>()};
  constexpr int kUnfinished = 1;
  // Row by row: train; load and step; run, which the last event of the thread ended.
  const HttpReply reply = served.reply("/api/slices", {{"lanes", "1"}, {"px", "100"}});
  EXPECT_EQ(flags_of(reply.body), (std::vector<int>{kUnfinished, 0, kUnfinished, 0}));
  const auto is_unfinished = [&](const char* event) {
    return served.ask("/api/slice", {{"lane", "1"}, {"event", event}}).contains("unfinished");
  };
  EXPECT_TRUE(is_unfinished("0"));
  EXPECT_FALSE(is_unfinished("1"));
}

TEST(SliceMarks, TellOfClocksThatWereGuessed) {
  EXPECT_EQ(guessed_clock({"a record", "its times may be off by a constant"}),
            "its times may be off by a constant");
  EXPECT_EQ(guessed_clock({"a record"}), "");
}

// A collective of `ranks` on which they begin so much after the first.
AlignedCollective meeting(const char* type, std::vector<std::int64_t> starts) {
  AlignedCollective one{.group = "g", .type = type};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    one.ranks.push_back(
        {.profile = i, .start_ns = kFirstNs + starts[i], .end_ns = kFirstNs + 9000});
  }
  return one;
}

TEST(Latecomers, AreToldByCollectivesAndNotByTheSendsOfAPipeline) {
  CollectiveAlignment aligned{
      .collectives = {meeting("hcom_send_", {900, 0}), meeting("hcom_allReduce_", {0, 40}),
                      meeting("hcom_allReduce_", {0, 60}), meeting("hcom_receive_", {900, 0})},
      .clocks = {{.offset_ns = 0}, {.offset_ns = 0}}};
  const auto late = latecomers(aligned);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].profile, 1U);
  EXPECT_EQ(late[0].times, 2U);
  EXPECT_EQ(late[0].waited_ns, 100);
  EXPECT_EQ(late[0].longest, 2U);
}

TEST(Latecomers, AreToldBySendsWhereThereIsNothingElseOnOneClock) {
  CollectiveAlignment aligned{
      .collectives = {meeting("hcom_send_", {0, 500}), meeting("hcom_receive_", {0, 1030})},
      .clocks = {{.offset_ns = 0}, {.offset_ns = -1000}}};
  const auto late = latecomers(aligned);
  ASSERT_EQ(late.size(), 2U);
  EXPECT_EQ(late[0].profile, 0U);  // 500 ns after the other one, whose clock is 1000 ns ahead.
  EXPECT_EQ(late[0].waited_ns, 500);
  EXPECT_EQ(late[1].waited_ns, 30);
}

TEST(HeatScale, TellsNoiseFromDifferences) {
  const HeatScale even = heat_scale({{100, 101, 99}, {100, 101, 99}}, 0);
  EXPECT_DOUBLE_EQ(even.usual, 100);
  EXPECT_DOUBLE_EQ(even.noise, 5);
  const HeatScale noisy = heat_scale({{80, 100, 120}, {80, 100, 120}}, 0);
  EXPECT_DOUBLE_EQ(noisy.noise, 60);
  EXPECT_DOUBLE_EQ(heat_scale({{1}, {2}}, 50).noise, 50);
  EXPECT_DOUBLE_EQ(heat_scale({}, 0).noise, 0);
}

}  // namespace
}  // namespace npuprof::serve
