#include "serve/pipeline_chart.h"

#include <list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trace/framework/steps.h"
#include "trace/linked/collective_ops.h"

namespace npuprof::serve {
namespace {

using analyze::PassKind;

// Two stages, made by hand. The clock of the second one is 1000 ns ahead; on the first one's:
//
//   stage 0   F1 100-200   F2 200-300              B1 600-800
//   stage 1          F1 300-400     B1 400-500
//   sent             200-300 (0 to 1)        500-600 (1 to 0)
class TwoStages {
 public:
  static constexpr std::int64_t kAhead = 1000;

  TwoStages() {
    Rank& first = add_rank(4);
    pass(first, PassKind::kForward, 1, 100, 200);
    pass(first, PassKind::kForward, 2, 200, 300);
    pass(first, PassKind::kBackward, 1, 600, 800);
    message(first, 0, 1, true, 200, 301);
    message(first, 0, 1, false, 450, 599);
    Rank& second = add_rank(6);
    pass(second, PassKind::kForward, 1, kAhead + 300, kAhead + 400);
    pass(second, PassKind::kBackward, 1, kAhead + 400, kAhead + 500);
    message(second, 1, 0, false, kAhead + 50, kAhead + 300);
    message(second, 1, 0, true, kAhead + 500, kAhead + 600);
  }

  struct Rank {
    trace::Trace trace;
    PipelineOfRank found;
  };

  Rank& add_rank(std::int32_t number) {
    Rank& rank = ranks_.emplace_back();
    rank.trace.session.rank = number;
    auto& steps = rank.trace.steps();
    resize_rows(steps, 1);
    steps.id[0] = 5;
    steps.device_end_ns[0] = 10'000;
    steps.has_kernels[0] = 1;
    return rank;
  }
  static void pass(Rank& rank, PassKind kind, std::uint32_t number, std::int64_t start_ns,
                   std::int64_t end_ns) {
    rank.found.passes.passes.push_back(
        {.kind = kind, .step = 0, .number = number, .start_ns = start_ns, .end_ns = end_ns});
  }
  static void message(Rank& rank, std::uint32_t own, std::uint32_t peer, bool is_sent,
                      std::int64_t start_ns, std::int64_t end_ns) {
    auto& ops = rank.trace.collective_ops();
    const auto row = static_cast<std::uint32_t>(ops.size());
    resize_rows(ops, ops.size() + 1);
    ops.start_ns.back() = start_ns;
    ops.end_ns.back() = end_ns;
    ops.group.back() = rank.trace.strings.intern("77");
    rank.found.passes.transfers.push_back(row);
    rank.found.messages.push_back({.collective = row,
                                   .own = own,
                                   .peer = peer,
                                   .is_sent = is_sent,
                                   .bytes = is_sent ? 64U : 0U,
                                   .start_ns = start_ns,
                                   .end_ns = end_ns});
  }

  std::list<Rank>& ranks() { return ranks_; }
  std::vector<PipelineSource> sources() const {
    std::vector<PipelineSource> sources;
    for (const Rank& rank : ranks_) sources.push_back({&rank.trace, &rank.found});
    return sources;
  }
  PipelineChart chart(std::optional<std::int64_t> step = {}) const {
    const auto all = sources();
    return pipeline_chart(all, find_pipelines(all).front(), step);
  }

 private:
  std::list<Rank> ranks_;
};

TEST(PipelineChart, IsOnOneClock) {
  const PipelineChart chart = TwoStages().chart();
  ASSERT_EQ(chart.rows.size(), 2U);
  // One message says 999, the other 1001: of two the greater counts.
  EXPECT_EQ(chart.rows[1].offset_ns, -TwoStages::kAhead + 1);
  EXPECT_EQ(chart.rows[1].compared, 2U);
  EXPECT_EQ(chart.begin_ns, 100);
  EXPECT_EQ(chart.end_ns, 800);
  ASSERT_EQ(chart.messages.size(), 2U);
  EXPECT_EQ(chart.messages[0].from, 0U);
  EXPECT_EQ(chart.messages[0].to, 1U);
  EXPECT_EQ(chart.messages[0].sent_ns, 200);
  EXPECT_EQ(chart.messages[0].received_ns, 301);
  EXPECT_EQ(chart.messages[1].sent_ns, 501);
  EXPECT_EQ(chart.messages[1].received_ns, 599);
}

TEST(PipelineChart, SaysWhatTheTimeIsMadeOf) {
  const PipelineChart chart = TwoStages().chart();
  EXPECT_EQ(chart.rows[0].pass_ns[0], 200);
  EXPECT_EQ(chart.rows[0].pass_ns[1], 200);
  EXPECT_EQ(chart.rows[0].transfer_ns, 1 + 149);
  EXPECT_EQ(chart.rows[0].rest_ns, 700 - 400 - 150);
  // What is received before the first pass of all is none of the chart's time.
  EXPECT_EQ(chart.rows[1].transfer_ns, 201 + 100);
  EXPECT_DOUBLE_EQ(chart.bubble_share, (300.0 + 500.0) / 1400.0);
  EXPECT_DOUBLE_EQ(chart.least_share, 1.0 / 3.0);
}

TEST(PipelineChart, LeavesOutMessagesOfWhichOneSideIsMissing) {
  TwoStages job;
  job.ranks().back().found.messages.pop_back();
  const PipelineChart chart = job.chart();
  EXPECT_EQ(chart.messages.size(), 1U);
  EXPECT_EQ(chart.unmatched, 1U);
  EXPECT_EQ(chart.rows[1].offset_ns, -TwoStages::kAhead + 1);
}

TEST(PipelineChart, IsOfTheStepThatIsAskedFor) {
  EXPECT_EQ(TwoStages().chart().step, 5);
  EXPECT_EQ(TwoStages().chart().steps, (std::vector<std::int64_t>{5}));
  const PipelineChart other = TwoStages().chart(6);
  ASSERT_EQ(other.rows.size(), 2U);
  EXPECT_TRUE(other.rows[0].passes.empty());
  EXPECT_EQ(other.end_ns, other.begin_ns);
}

TEST(Pipelines, AreRanksOfOneGroupByStage) {
  TwoStages job;
  job.add_rank(9);
  const char* kMetadata = R"({"parallel_group_info": {"line": {"group_name": "pp",
                              "group_rank": %, "global_ranks": [4, 6]}}})";
  std::string stages = "10";  // The first of the list is the second stage.
  for (auto& rank : job.ranks()) {
    if (stages.empty()) break;
    std::string text = kMetadata;
    text.replace(text.find('%'), 1, 1, stages.front());
    stages.erase(0, 1);
    rank.trace.session.profiler_metadata = text;
  }
  const auto pipelines = find_pipelines(job.sources());
  ASSERT_EQ(pipelines.size(), 2U);
  EXPECT_EQ(pipelines[0].key, "line");
  EXPECT_EQ(pipelines[0].profiles, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(pipelines[1].profiles, (std::vector<std::size_t>{2}));
}

TEST(Pipelines, AreThoseWhoseTransfersShareAGroupWhereNothingIsNamed) {
  const auto pipelines = find_pipelines(TwoStages().sources());
  ASSERT_EQ(pipelines.size(), 1U);
  EXPECT_EQ(pipelines[0].key, "77");
  EXPECT_EQ(pipelines[0].profiles, (std::vector<std::size_t>{0, 1}));
}

}  // namespace
}  // namespace npuprof::serve
