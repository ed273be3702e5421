// Modes that explain why something is as it is say the same of a step whether it is asked about
// alone or with all others: the reason may lie in the steps before and after.

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/advisor/checks.h"
#include "analyze/keep_steps.h"
#include "answers/advisor_answer.h"
#include "answers/head_overhead_answer.h"
#include "answers/host_lead_answer.h"
#include "answers/idle_answer.h"
#include "parse/simulated_run.h"
#include "trace/framework/steps.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"
#include "trace/table_list.h"
#include "whole_tables.h"

namespace npuprof {
namespace {

using answers::Answer;
using answers::Mode;
using answers::Table;
using npuprof::testing::run_and_load;
using npuprof::testing::small_training_job;
using trace::Trace;

Answer ask(const Mode& mode, const Trace& trace, std::vector<analyze::StepRange> steps = {}) {
  const analyze::SharedResults results(trace);
  auto answer = mode.answer({.trace = trace, .results = results, .steps = std::move(steps)});
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  return answer.ok() ? std::move(*answer) : Answer();
}

const Table& table_of(const Answer& answer, std::string_view name) {
  for (const Table& table : answer.tables) {
    if (table.name() == name) return table;
  }
  static const Table kNone("none", "None");
  return kNone;
}

std::string row_text(const Table& table, std::size_t row) {
  std::string text;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const answers::Column& column = table.column(i);
    if (column.kind == answers::Kind::kText) {
      text += std::string(table.text_at(i, row)) + "|";
    } else if (answers::is_real(column.kind)) {
      text += std::to_string(column.reals[row]) + "|";
    } else {
      text += std::to_string(column.numbers[row]) + "|";
    }
  }
  return text;
}

// Rows of a table, by the number in its column "step".
std::map<std::int64_t, std::vector<std::string>> rows_by_step(const Table& table) {
  std::map<std::int64_t, std::vector<std::string>> rows;
  const auto step = table.find("step");
  for (std::size_t row = 0; step && row < table.size(); ++row) {
    rows[table.column(*step).numbers[row]].push_back(row_text(table, row));
  }
  return rows;
}

// Of every step; returns how many rows there were.
std::size_t expect_same_alone(const Mode& mode, std::string_view table, const Trace& trace) {
  const Answer whole = ask(mode, trace);
  auto expected = rows_by_step(table_of(whole, table));
  for (const std::int64_t step : trace.steps().id) {
    SCOPED_TRACE(std::string(table) + ", step " + std::to_string(step));
    const Answer alone = ask(mode, trace, {{step, step}});
    auto rows = rows_by_step(table_of(alone, table));
    EXPECT_EQ(rows[step], expected[step]);
    EXPECT_EQ(rows.size(), 1u) << "rows of other steps";
  }
  return table_of(whole, table).size();
}

std::vector<sim::JobOptions> training_jobs() {
  std::vector<sim::JobOptions> jobs(4, small_training_job(3));
  jobs[0].framework.gc_detect_threshold_ms = 1;
  jobs[0].faults.garbage = true;
  jobs[1].faults.slow_loader_ms = 10;
  jobs[2].faults.host_bound = true;
  jobs[3].ranks = 2;
  jobs[3].parallel.data = 2;
  for (sim::JobOptions& job : jobs) job.steps = 4;
  return jobs;
}

TEST(ChosenSteps, CausesOfIdleAreThoseOfTheStepInTheWholeProfile) {
  for (const sim::JobOptions& job : training_jobs()) {
    const Trace trace = run_and_load(job);
    ASSERT_EQ(trace.steps().size(), 4u);
    EXPECT_GT(expect_same_alone(answers::kIdleMode, "idle", trace), 10u);
    EXPECT_EQ(expect_same_alone(answers::kIdleMode, "idle_steps", trace), 4u);
  }
}

TEST(ChosenSteps, AnExecutionOfAGraphIsTheFirstOfTheProfileNotOfTheStep) {
  sim::JobOptions job{
      .workload = sim::Workload::kGraphMode, .chip = *sim::find_chip("Ascend910B3"), .steps = 6};
  job.graph_mode = {.graphs = 2, .kernels_per_graph = 12, .recompile_every = 4};
  const Trace trace = run_and_load(job);
  EXPECT_EQ(expect_same_alone(answers::kHeadOverheadMode, "head_overhead", trace), 12u);
  EXPECT_GT(expect_same_alone(answers::kHeadOverheadMode, "head_overhead_compilations", trace), 0u);
}

TEST(ChosenSteps, ALeadIsLostWhereItWasLostInTheWholeProfile) {
  std::size_t rows = 0;
  for (const sim::JobOptions& job : training_jobs()) {
    const Trace trace = run_and_load(job);
    rows += expect_same_alone(answers::kHostLeadMode, "lost_leads", trace);
  }
  EXPECT_GT(rows, 4u);
}

TEST(ChosenSteps, KernelsAndOperatorsOfAllStepsAreThoseOfTheWholeProfile) {
  const Trace trace = run_and_load(training_jobs()[1]);
  std::map<std::string_view, std::int64_t> sums;
  const auto add = [&](const Answer& answer, std::int64_t sign) {
    for (const auto& [name, column] : std::map<std::string_view, std::string_view>{
             {"host_lead", "kernels"}, {"dispatch_cost", "calls"}, {"synchronizations", "calls"}}) {
      const Table& table = table_of(answer, name);
      const auto place = table.find(column);
      for (std::size_t row = 0; place && row < table.size(); ++row) {
        sums[name] += sign * table.column(*place).numbers[row];
      }
    }
  };
  add(ask(answers::kHostLeadMode, trace, {{trace.steps().id.front(), trace.steps().id.back()}}), 1);
  ASSERT_GT(sums["host_lead"], 0);
  ASSERT_GT(sums["dispatch_cost"], 0);
  for (const std::int64_t step : trace.steps().id) {
    add(ask(answers::kHostLeadMode, trace, {{step, step}}), -1);
  }
  EXPECT_EQ(sums["host_lead"], 0);
  EXPECT_EQ(sums["dispatch_cost"], 0);
  EXPECT_LE(sums["synchronizations"], 0) << "a call that costs two steps their lead is in both";
}

// The gain of a finding, or nothing.
std::optional<std::int64_t> gain_of(const Answer& answer, std::string_view check) {
  const Table& table = table_of(answer, "advisor");
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.text_at(*table.find("check"), row) != check) continue;
    const std::size_t gain = *table.find("gain");
    return table.is_absent(gain, row) ? 0 : table.column(gain).numbers[row];
  }
  return std::nullopt;
}

TEST(ChosenSteps, TheAdvisorFindsWhatKeptAStepWaitingWhereverItHappened) {
  const auto jobs = training_jobs();
  const std::vector<std::string_view> checks = {"garbage_collection", "dataloader"};
  for (std::size_t i = 0; i < checks.size(); ++i) {
    SCOPED_TRACE(checks[i]);
    const Trace trace = run_and_load(jobs[i]);
    const auto whole = gain_of(ask(answers::kAdvisorMode, trace), checks[i]);
    ASSERT_TRUE(whole);
    std::int64_t sum = 0;
    for (const std::int64_t step : trace.steps().id) {
      sum += gain_of(ask(answers::kAdvisorMode, trace, {{step, step}}), checks[i]).value_or(0);
    }
    EXPECT_GT(sum, 0);
    EXPECT_LE(sum, *whole);
    EXPECT_GE(sum, *whole * 9 / 10) << "all but what lies outside of steps";
  }
}

TEST(ChosenSteps, StepsThatAreNotThereAreAnError) {
  const Trace trace = run_and_load(training_jobs()[0]);
  const analyze::SharedResults results(trace);
  for (const Mode* mode : {&answers::kIdleMode, &answers::kHostLeadMode, &answers::kAdvisorMode}) {
    EXPECT_TRUE(mode->looks_around);
    const auto answer = mode->answer({.trace = trace, .results = results, .steps = {{1000, 2000}}});
    ASSERT_FALSE(answer.ok()) << mode->name;
    EXPECT_NE(answer.error().message.find("none of the chosen steps"), std::string::npos);
  }
}

void expect_equal_rows(const Trace& a, const Trace& b) {
  const auto left = trace::tables_of(a);
  const auto right = trace::tables_of(b);
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSERT_EQ(left[i].size(), right[i].size()) << trace::table_facts(i).name;
    for (const trace::ColumnFacts& facts : left[i].columns()) {
      for (std::size_t row = 0; row < left[i].size(); ++row) {
        for (std::size_t cell = 0; cell < facts.values->cell_count; ++cell) {
          ASSERT_EQ(facts.values->integer(left[i].column(facts), row, cell),
                    facts.values->integer(right[i].column(facts), row, cell))
              << trace::table_facts(i).name << "." << facts.name << ", row " << row;
        }
      }
    }
  }
}

TEST(ChosenSteps, ACopyOfAStepIsWhatCuttingLeaves) {
  Trace trace = run_and_load(training_jobs()[3]);
  const std::size_t kernels = trace.kernels().size();
  const std::vector<analyze::StepRange> steps = {{trace.steps().id[1], trace.steps().id[2]}};
  const auto chosen = analyze::ChosenTimes::of_steps(trace.steps(), steps);
  ASSERT_TRUE(chosen.ok());
  const Trace copy = analyze::copy_of_steps(trace, *chosen);
  npuprof::testing::expect_whole_tables(copy);
  EXPECT_EQ(trace.kernels().size(), kernels) << "the trace stays as it is";
  ASSERT_TRUE(analyze::keep_steps(trace, steps).ok());
  EXPECT_LT(trace.kernels().size(), kernels);
  expect_equal_rows(copy, trace);
  EXPECT_EQ(copy.session.begin_ns, trace.session.begin_ns);
  EXPECT_EQ(copy.session.end_ns, trace.session.end_ns);
  ASSERT_EQ(copy.strings.size(), trace.strings.size());
  for (std::uint32_t id = 0; id < copy.strings.size(); ++id) {
    ASSERT_EQ(copy.strings.view(StringId{id}), trace.strings.view(StringId{id}));
  }
}

}  // namespace
}  // namespace npuprof
