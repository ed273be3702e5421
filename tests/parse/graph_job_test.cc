// Graphs of simulated TensorFlow programs, loaded and linked: iterations are those that ran.

#include "sim/tensorflow/graph_job.h"

#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "temporary_directory.h"
#include "trace/device/data_queue_events.h"
#include "trace/device/step_marks.h"
#include "trace/host/fusion_ops.h"
#include "trace/host/graph_names.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::sim::tensorflow {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Ne;

class GraphJob : public ::testing::Test {
 protected:
  GraphJob() {
    job_.chip = *find_chip("Ascend910B3");
    job_.output = directory_ / "job";
    job_.steps = 3;
    job_.collection.training_trace = true;
    job_.collection.with_aicpu = true;
  }

  trace::Trace run() {
    const auto summary = run_graph_job(job_, options_);
    EXPECT_TRUE(summary.ok());
    const auto found = load::discover(job_.output);
    EXPECT_TRUE(found.ok());
    EXPECT_EQ(found->profiles.size(), job_.ranks);
    ThreadPool pool(1);
    trace::Losses losses;
    auto trace = load::load_profile(found->profiles.front(), pool, losses);
    EXPECT_TRUE(trace.ok());
    EXPECT_TRUE(losses.empty());
    link::link_all(*trace, &pool);
    return std::move(*trace);
  }

  // Times of the marks with this tag, of rank 0.
  std::vector<std::int64_t> marks(int tag) const {
    const auto manifest = nlohmann::json::parse(read_file(job_.output / "manifest.json").value());
    std::vector<std::int64_t> times;
    for (const auto& mark : manifest["ranks"][0]["truth"]["graph_marks"]) {
      if (mark["tag"] == tag) times.push_back(mark["wall_ns"]);
    }
    return times;
  }

  npuprof::testing::TemporaryDirectory directory_;
  JobOptions job_;
  GraphJobOptions options_;
};

TEST_F(GraphJob, IterationsHaveTheirPartsWhereTheGraphHadThem) {
  const trace::Trace trace = run();
  const trace::Iterations& table = trace.iterations();
  EXPECT_THAT(table.index, ElementsAre(1, 2, 3));
  EXPECT_THAT(table.model_id, Each(1));
  EXPECT_EQ(table.start_ns, marks(0));
  EXPECT_EQ(table.forward_start_ns, marks(2));
  EXPECT_EQ(table.backward_end_ns, marks(3));
  EXPECT_EQ(table.end_ns, marks(4));
  const trace::IterationRanges& ranges = trace.iteration_ranges();
  EXPECT_THAT(ranges.is_get_next, ElementsAre(1, 1, 1));
  EXPECT_EQ(ranges.start_ns, marks(20000));
  EXPECT_EQ(ranges.end_ns, marks(20001));
}

TEST_F(GraphJob, ALoopOnTheDeviceHasOneStartAndManyIterations) {
  options_.loops = 4;
  job_.steps = 2;
  const trace::Trace trace = run();
  EXPECT_EQ(marks(0).size(), 2u);
  EXPECT_EQ(trace.iterations().end_ns, marks(4));
  EXPECT_EQ(trace.iterations().size(), 8u);
}

TEST_F(GraphJob, AGraphBuiltBeforeHasTimesOnly) {
  options_.built_before_start = true;
  const trace::Trace trace = run();
  const trace::Iterations& table = trace.iterations();
  EXPECT_EQ(table.start_ns, marks(0));
  EXPECT_EQ(table.end_ns, marks(1));
  EXPECT_THAT(table.forward_start_ns, Each(0));
  EXPECT_THAT(marks(4), IsEmpty());
  // Its operators are known all the same.
  EXPECT_GT(trace.kernels().size(), 0u);
}

TEST_F(GraphJob, AllReducesOnTheSameStreamAreShown) {
  options_.graph.sums_gradients = true;
  const trace::Trace trace = run();
  EXPECT_THAT(trace.iterations().backward_end_ns, Each(Ne(0)));
  std::size_t reduces = 0;
  for (const auto is_get_next : trace.iteration_ranges().is_get_next) reduces += is_get_next == 0;
  EXPECT_EQ(reduces, 3u * options_.graph.layers);
}

TEST_F(GraphJob, AllReducesOnTheirOwnStreamHideTheEndOfTheBackwardPass) {
  options_.graph.sums_gradients = true;
  options_.graph.reduces_on_own_stream = true;
  const trace::Trace trace = run();
  EXPECT_THAT(trace.iterations().backward_end_ns, Each(0));
  EXPECT_THAT(trace.iterations().forward_start_ns, Each(0));
  EXPECT_THAT(trace.iteration_ranges().start_ns, IsEmpty());
  EXPECT_THAT(marks(10000), IsEmpty());
  EXPECT_THAT(marks(10001).size(), job_.steps);
}

TEST_F(GraphJob, TheUserCanNameThePoints) {
  options_.graph.sums_gradients = true;
  options_.graph.reduces_on_own_stream = true;
  options_.points = {.forward = "dense_1/MatMul", .backward = "gradients/dense_0/MatMul_1"};
  const trace::Trace trace = run();
  EXPECT_EQ(trace.iterations().forward_start_ns, marks(2));
  EXPECT_EQ(trace.iterations().backward_end_ns, marks(3));
  EXPECT_EQ(marks(3).size(), job_.steps);
}

TEST_F(GraphJob, TheNextBatchMayBeTakenLast) {
  options_.graph.sums_gradients = true;
  options_.graph.gets_next_last = true;
  const trace::Trace trace = run();
  EXPECT_EQ(trace.iterations().forward_start_ns, marks(2));
  EXPECT_EQ(marks(2).size(), job_.steps);
  EXPECT_GT(marks(20000).front(), marks(10000).front());
}

TEST_F(GraphJob, InferenceHasNoPartsIfTrainingIsNotTraced) {
  options_.graph.inference = true;
  job_.collection.training_trace = false;
  const trace::Trace trace = run();
  EXPECT_EQ(trace.iterations().end_ns, marks(4));
  EXPECT_THAT(trace.iterations().forward_start_ns, Each(0));
}

TEST_F(GraphJob, FusedOperatorsQueueAndNamesAreThere) {
  const trace::Trace trace = run();
  const trace::FusionOps& fused = trace.fusion_ops();
  ASSERT_EQ(fused.size(), options_.graph.layers);
  EXPECT_EQ(trace.strings.view(fused.original_ops[0]), "dense_0/MatMul;dense_0/BiasAdd");
  EXPECT_THAT(fused.model_id, Each(1));
  EXPECT_EQ(trace.data_queue_events().size(), job_.steps);
  EXPECT_GT(trace.graph_names().size(), 0u);
}

TEST_F(GraphJob, EveryExecutionOfATaskBelongsToTheModel) {
  const trace::Trace trace = run();
  const trace::Kernels& kernels = trace.kernels();
  const trace::Tasks& tasks = trace.tasks();
  std::map<std::string_view, int> runs;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    EXPECT_EQ(tasks.model_id[kernels.task[i]], 1u);
    ++runs[trace.strings.view(kernels.name[i])];
  }
  for (const auto& [name, count] : runs) EXPECT_EQ(count, 3) << name;
}

TEST_F(GraphJob, RanksSumGradientsTogether) {
  job_.ranks = 2;
  options_.graph.sums_gradients = true;
  const trace::Trace trace = run();
  EXPECT_EQ(trace.collective_ops().size(), 3u * options_.graph.layers);
  EXPECT_EQ(trace.iterations().end_ns, marks(4));
}

}  // namespace
}  // namespace npuprof::sim::tensorflow
