#include "analyze/head_overhead.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/graph_events.h"
#include "analyze/graph_parts.h"
#include "format/framework/op_range.h"
#include "link/framework/op_tree.h"
#include "link/framework_trace.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"

namespace npuprof::analyze {
namespace {

constexpr std::string_view kInferenceRange = "npu_fx_compiler inference";
constexpr std::string_view kCacheRange = "cache_compiler inference";
constexpr std::string_view kRunRange = "TorchNpuGraphBase::Run";
constexpr std::string_view kLookupRange = "TorchDynamo Cache Lookup";

// Times in microseconds.
class HeadOverheadTest : public ::testing::Test {
 protected:
  static std::int64_t us(std::int64_t time) { return kOrigin + time * 1'000; }

  std::uint32_t op(std::int64_t start, std::int64_t end, std::string_view name,
                   std::uint32_t tid = 1) {
    return trace_.add_op(tid, us(start), us(end), name);
  }
  void scope(std::int64_t start, std::int64_t end, std::string_view name) {
    trace_->framework_ops().scope[op(start, end, name)] =
        static_cast<std::uint8_t>(format::framework::OpScope::kUserScope);
  }
  void step(std::int64_t id, std::int64_t start, std::int64_t end) {
    auto& steps = trace_->steps();
    trace::resize_rows(steps, steps.size() + 1);
    steps.id.back() = id;
    steps.host_start_ns.back() = us(start);
    steps.host_end_ns.back() = us(end);
  }
  // Inference [start, start + 100], Run [+20, +90], launch [+50, +70].
  void execution(std::int64_t start, std::uint32_t tid = 1) {
    op(start, start + 100, kInferenceRange, tid);
    op(start + 20, start + 90, kRunRange, tid);
    op(start + 50, start + 70, "ExecuteGraph", tid);
  }
  HeadOverhead analyzed() {
    link::link_op_tree(*trace_, link::ops_by_thread(trace_->framework_ops()));
    return head_overhead(*trace_);
  }
  std::string_view text(StringId id) { return trace_->strings.view(id); }

  static void expect_identities(const GraphExecution& row) {
    ASSERT_TRUE(row.head_ns && row.ge_ns && row.torchair_ns());
    EXPECT_EQ(*row.ge_ns, *row.ge_launch_ns + *row.post_cpp_ns + *row.post_py_ns);
    EXPECT_EQ(*row.head_ns, *row.front_end_ns + row.compile_ns + *row.torchair_py_ns + row.load_ns +
                                *row.torchair_cpp_ns + *row.ge_ns);
  }

  static constexpr std::int64_t kOrigin = 1'700'000'000'000'000'123;
  link::testing::FrameworkTrace trace_;
};

constexpr std::int64_t kHeadUs = 1'000;

TEST_F(HeadOverheadTest, TheWorkedExampleHasItsParts) {
  op(0, 180, kLookupRange);
  op(190, 1900, "Torch-Compiled Region: 0/0");
  op(210, 1880, kInferenceRange);
  op(230, 300, "aten::contiguous");
  op(240, 290, "aten::clone");
  op(1023, 1840, kRunRange);
  op(1030, 1100, "AssembleInputs");
  op(1120, 1160, "AssembleOutputs");
  op(1168, 1420, "ExecuteGraph");
  op(1425, 1535, "RefreshAtTensorFromGeTensor");
  trace_.add_task(1, us(1200), us(1556), us(1600));
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 1u);
  const GraphExecution& row = result.executions[0];
  expect_identities(row);
  EXPECT_EQ(row.front_end_begin_ns, us(0));
  EXPECT_EQ(row.rule, FrontEndRule::kRegion);
  EXPECT_EQ(row.group, "0/0");
  EXPECT_EQ(row.front_end_ns, 210 * kHeadUs);
  EXPECT_EQ(row.torchair_py_ns, 813 * kHeadUs);
  EXPECT_EQ(row.py_ops, 1u);
  EXPECT_EQ(row.py_ops_ns, 70 * kHeadUs);
  EXPECT_EQ(row.pure_python_ns(), 743 * kHeadUs);
  EXPECT_EQ(row.torchair_cpp_ns, 145 * kHeadUs);
  EXPECT_EQ(row.assemble_inputs_ns, 70 * kHeadUs);
  EXPECT_EQ(row.assemble_outputs_ns, 40 * kHeadUs);
  EXPECT_EQ(row.cpp_rest_ns(), 35 * kHeadUs);
  EXPECT_EQ(row.ge_ns, 712 * kHeadUs);
  EXPECT_EQ(row.ge_launch_ns, 252 * kHeadUs);
  EXPECT_EQ(row.post_cpp_ns, 420 * kHeadUs);
  EXPECT_EQ(row.post_py_ns, 40 * kHeadUs);
  EXPECT_EQ(row.first_kernel_ns, 388 * kHeadUs);
  EXPECT_FALSE(row.first_kernel_is_guess);
  EXPECT_EQ(row.head_ns, 1880 * kHeadUs);
  EXPECT_EQ(row.compile_ns, 0);
  EXPECT_EQ(row.load_ns, 0);
  const std::vector<GraphPart> parts = {
      {"Front end", us(0), us(210)},          {"TorchAir Python", us(210), us(1023)},
      {"TorchAir C++", us(1023), us(1168)},   {"GE launch", us(1168), us(1420)},
      {"Outputs in C++", us(1420), us(1840)}, {"Outputs in Python", us(1840), us(1880)}};
  EXPECT_EQ(graph_parts(row), parts);
  ASSERT_EQ(result.preparations.size(), 1u);
  EXPECT_EQ(text(result.preparations[0].name), "aten::contiguous");
  EXPECT_EQ(result.preparations[0].hint, InputPreparation::Hint::kNotContiguous);
}

TEST_F(HeadOverheadTest, NamesWithUnderscoresAreTheSameRanges) {
  EXPECT_EQ(graph_event_of("npu_fx_compiler_inference"), GraphEvent::kInference);
  EXPECT_EQ(graph_event_of("npu_fx_compiler inference"), GraphEvent::kInference);
  EXPECT_EQ(graph_event_of("cache_compiler_inference"), GraphEvent::kCacheInference);
  EXPECT_EQ(graph_event_of("TorchDynamo_Cache_Lookup"), GraphEvent::kLookup);
  EXPECT_EQ(graph_event_of("npu_fx_compiler inference 2"), GraphEvent::kOther);
  EXPECT_EQ(graph_event_of("TorchNpuGraphBase::Runner"), GraphEvent::kOther);
  EXPECT_EQ(region_id("Torch-Compiled Region: 12/3"), "12/3");
  EXPECT_EQ(region_id("Torch-Compiled Region"), "");
  EXPECT_EQ(region_id("CompiledFunction"), "");
}

TEST_F(HeadOverheadTest, WithoutARegionTheLastLookupIsTheBegin) {
  op(0, 5, kLookupRange);
  op(10, 30, kLookupRange);
  execution(50);
  const HeadOverhead result = analyzed();
  EXPECT_EQ(result.executions[0].rule, FrontEndRule::kLookup);
  EXPECT_EQ(result.executions[0].front_end_ns, 40 * kHeadUs);
}

TEST_F(HeadOverheadTest, ALookupOfTheExecutionBeforeIsNotTheNextOnes) {
  step(1, 0, 1000);
  op(10, 30, kLookupRange);
  execution(50);
  execution(200);
  const HeadOverhead result = analyzed();
  EXPECT_EQ(result.executions[1].rule, FrontEndRule::kUpperBound);
  EXPECT_EQ(result.executions[1].front_end_ns, 50 * kHeadUs);
  EXPECT_FALSE(result.executions[1].is_exact());
}

TEST_F(HeadOverheadTest, FramesOfTheCompiledCallableSayWhenItBegan) {
  execution(50);
  for (const auto& [start, end, name] : std::vector<std::tuple<int, int, const char*>>{
           {0, 300, "serve.py(7): loop"},
           {20, 200, "torch/_dynamo/eval_frame.py(433): _fn"},
           {30, 190, "torch/_dynamo/eval_frame.py(433): _fn"}}) {
    auto& calls = trace_->python_calls();
    trace::resize_rows(calls, calls.size() + 1);
    calls.start_ns.back() = us(start);
    calls.end_ns.back() = us(end);
    calls.tid.back() = 1;
    calls.pid.back() = link::testing::kPid;
    calls.name.back() = trace_->strings.intern(name);
  }
  const HeadOverhead result = analyzed();
  EXPECT_EQ(result.executions[0].rule, FrontEndRule::kPythonFrame);
  EXPECT_EQ(result.executions[0].front_end_ns, 30 * kHeadUs);
  EXPECT_TRUE(result.has_python_calls);
}

TEST_F(HeadOverheadTest, UpperBoundsAreNeverAveragedWithExactValues) {
  step(1, 0, 200);
  step(2, 200, 400);
  step(3, 400, 600);
  execution(50);
  execution(250);
  op(430, 440, kLookupRange);
  execution(450);
  const HeadOverhead result = analyzed();
  EXPECT_EQ(result.executions[1].front_end_ns, 50 * kHeadUs);  // From the begin of the step.
  EXPECT_EQ(result.executions[2].front_end_ns, 20 * kHeadUs);
  EXPECT_EQ(result.executions[2].front_end_outer_ns, 30 * kHeadUs);
  const auto rows = summarize_head_overhead(*trace_, result);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(!rows[0].is_cold && rows[0].is_exact && rows[0].calls == 1);
  EXPECT_TRUE(!rows[1].is_cold && !rows[1].is_exact && rows[1].calls == 1);
  EXPECT_TRUE(rows[2].is_cold);
  EXPECT_DOUBLE_EQ(*rows[0].front_end_ns, 20e3);
  EXPECT_DOUBLE_EQ(*rows[0].share_of_step, 0.6);
}

TEST_F(HeadOverheadTest, AScopeOfTheUserBoundsTheFrontEndWithoutSteps) {
  scope(10, 400, "serve");
  execution(50);
  EXPECT_EQ(analyzed().executions[0].front_end_ns, 40 * kHeadUs);
}

TEST_F(HeadOverheadTest, WithNothingBeforeItTheFrontEndIsUnknown) {
  execution(50);
  const HeadOverhead result = analyzed();
  EXPECT_EQ(result.executions[0].rule, FrontEndRule::kUnknown);
  EXPECT_FALSE(result.executions[0].front_end_ns);
  EXPECT_FALSE(result.executions[0].head_ns);
  EXPECT_EQ(result.executions[0].torchair_py_ns, 20 * kHeadUs);
}

TEST_F(HeadOverheadTest, SeveralGraphsOfAStepAreGroupsOfTheirOwn) {
  for (int i = 0; i < 3; ++i) {
    const std::int64_t begin = i * 1000;
    step(i, begin, begin + 900);
    execution(begin + 100);
    execution(begin + 400);
  }
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 6u);
  EXPECT_EQ(result.executions[0].group, "#1");
  EXPECT_EQ(result.executions[1].group, "#2");
  EXPECT_EQ(result.executions[4].group, "#1");
  EXPECT_EQ(result.executions[4].call, 3u);
  EXPECT_EQ(result.executions[4].step, 2);
}

TEST_F(HeadOverheadTest, GraphBreaksInsideARegionHaveTheIdOfTheInnermost) {
  op(0, 1000, "Torch-Compiled Region: 0/0");
  execution(100);
  op(300, 900, "Torch-Compiled Region: 1/0");
  execution(400);
  const HeadOverhead result = analyzed();
  EXPECT_EQ(result.executions[0].group, "0/0");
  EXPECT_EQ(result.executions[0].front_end_ns, 100 * kHeadUs);
  EXPECT_EQ(result.executions[1].group, "1/0");
  EXPECT_EQ(result.executions[1].front_end_ns, 100 * kHeadUs);  // From the inner region on.
}

TEST_F(HeadOverheadTest, FirstCallsAndRecompilationsAreCold) {
  for (int i = 0; i < 4; ++i) {
    const std::int64_t begin = i * 1000;
    op(begin, begin + 900, "Torch-Compiled Region: 0/0");
    op(begin + 10, begin + 800, kInferenceRange);
    if (i == 0 || i == 2) {
      op(begin + 20, begin + 30, "TorchNpuGraphBase::Load");
      op(begin + 40, begin + 240, "TorchNpuGraphBase::Compile");
    }
    op(begin + 300, begin + 700, kRunRange);
    if (i == 2) op(begin + 310, begin + 360, "LoadGraph");
    op(begin + 400, begin + 500, "RunGraph");
  }
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 4u);
  for (const GraphExecution& row : result.executions) expect_identities(row);
  EXPECT_EQ(result.executions[0].compile_ns, 210 * kHeadUs);
  EXPECT_EQ(result.executions[0].torchair_py_ns, 80 * kHeadUs);
  EXPECT_EQ(result.executions[2].load_ns, 50 * kHeadUs);
  EXPECT_EQ(result.executions[2].torchair_cpp_ns, 50 * kHeadUs);
  EXPECT_FALSE(result.executions[1].is_cold());
  EXPECT_TRUE(result.executions[2].is_cold());
  EXPECT_TRUE(result.preparations.empty());  // Compiling prepares no inputs.
  ASSERT_EQ(result.compilations.size(), 5u);
  EXPECT_EQ(result.compilations[0].when, GraphCompilation::When::kFirstCall);
  EXPECT_EQ(result.compilations[2].when, GraphCompilation::When::kRecompilation);
  EXPECT_EQ(result.compilations[2].start_ns, us(2020));
  const auto rows = summarize_head_overhead(*trace_, result);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].calls, 2u);
  EXPECT_DOUBLE_EQ(*rows[0].torchair_py_ns, 290e3);
}

// Wherever they are: inside Run, or a graph that is loaded while inputs are prepared.
TEST_F(HeadOverheadTest, CompilingAndLoadingAreOfNoLayer) {
  op(0, 900, "Torch-Compiled Region: 0/0");
  op(10, 800, kInferenceRange);
  op(20, 60, "LoadGraph");
  op(300, 700, kRunRange);
  op(310, 350, "TorchNpuGraphBase::AutoTune");
  op(315, 330, "LoadGraph");
  op(360, 380, "LoadGraph");
  op(400, 500, "ExecuteGraph");
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 1u);
  const GraphExecution& row = result.executions[0];
  expect_identities(row);
  EXPECT_EQ(row.torchair_py_ns, 250 * kHeadUs);
  EXPECT_EQ(row.compile_ns, 40 * kHeadUs);
  EXPECT_EQ(row.load_ns, 60 * kHeadUs);
  EXPECT_EQ(row.torchair_cpp_ns, 40 * kHeadUs);
  EXPECT_EQ(result.compilations.size(), 3u);
}

TEST_F(HeadOverheadTest, CompilingBeforeTheInferenceIsNoFrontEnd) {
  op(0, 900, "Torch-Compiled Region: 0/0");
  op(50, 450, "TorchNpuGraphBase::Compile");
  execution(500);
  op(2000, 2100, "TorchNpuGraphBase::AutoTune");
  const HeadOverhead result = analyzed();
  expect_identities(result.executions[0]);
  EXPECT_EQ(result.executions[0].front_end_ns, 100 * kHeadUs);
  EXPECT_EQ(result.executions[0].compile_ns, 400 * kHeadUs);
  EXPECT_EQ(result.compilations[1].when, GraphCompilation::When::kOutside);
}

TEST_F(HeadOverheadTest, TimeOfAWrapperIsFrontEndOfWhatIsInside) {
  op(0, 2000, "Torch-Compiled Region: 0/0");
  op(100, 1900, kInferenceRange);
  execution(300);
  execution(1000);
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 2u);  // The wrapper is none.
  EXPECT_EQ(result.executions[0].front_end_ns, 300 * kHeadUs);
  EXPECT_EQ(result.executions[0].rule, FrontEndRule::kRegion);
  EXPECT_EQ(result.executions[1].front_end_ns, 600 * kHeadUs);
  EXPECT_EQ(result.executions[1].rule, FrontEndRule::kWrapper);
  EXPECT_NE(result.executions[0].group, result.executions[1].group);
}

TEST_F(HeadOverheadTest, TwoRunsOfOneInferenceShareItsTime) {
  op(0, 700, "Torch-Compiled Region: 0/0");
  op(10, 600, kInferenceRange);
  op(100, 200, kRunRange);
  op(110, 120, "ExecuteGraph");
  op(300, 400, kRunRange);
  op(320, 330, "ExecuteGraph");
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 2u);
  std::int64_t heads = 0;
  for (const GraphExecution& row : result.executions) {
    expect_identities(row);
    heads += *row.head_ns;
  }
  EXPECT_EQ(heads, 600 * kHeadUs);
  EXPECT_EQ(result.executions[1].torchair_py_ns, 100 * kHeadUs);
}

TEST_F(HeadOverheadTest, CachedGraphsCountDynamoInsideAsFrontEnd) {
  op(0, 500, kCacheRange);
  op(10, 200, kLookupRange);
  op(220, 480, "Torch-Compiled Region: 0/0");
  op(250, 460, kRunRange);
  op(300, 400, "ExecuteGraph");
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 1u);
  const GraphExecution& row = result.executions[0];
  expect_identities(row);
  EXPECT_EQ(row.rule, FrontEndRule::kCacheCompiler);
  EXPECT_EQ(row.front_end_ns, 220 * kHeadUs);
  EXPECT_EQ(row.torchair_py_ns, 30 * kHeadUs);
  EXPECT_EQ(row.head_ns, 500 * kHeadUs);
}

TEST_F(HeadOverheadTest, RunWithoutARangeAroundItIsPartial) {
  op(100, 200, kRunRange);
  op(120, 150, "ExecuteGraph");
  op(1000, 1200, kCacheRange);  // With nothing of Dynamo inside it.
  op(1050, 1100, kRunRange);
  op(1060, 1090, "ExecuteGraph");
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 2u);
  for (const GraphExecution& row : result.executions) {
    EXPECT_TRUE(row.is_partial);
    EXPECT_FALSE(row.is_whole());
    EXPECT_FALSE(row.torchair_py_ns);
    EXPECT_TRUE(row.torchair_cpp_ns);
  }
  EXPECT_FALSE(result.executions[0].ge_ns);
  EXPECT_EQ(result.executions[0].ge_launch_ns, 30 * kHeadUs);
  EXPECT_TRUE(summarize_head_overhead(*trace_, result).empty());
}

TEST_F(HeadOverheadTest, ReplayedGraphsHaveNoColumnsOfGe) {
  op(0, 20, kLookupRange);
  op(30, 530, kInferenceRange);
  op(50, 150, "acl_graph_warm_up");
  op(150, 250, "acl_graph_capture");
  op(300, 500, "acl_graph_replay");
  op(600, 620, kLookupRange);
  op(630, 830, kInferenceRange);
  op(700, 800, "acl_graph_replay");
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 2u);
  EXPECT_EQ(result.executions[0].mode, GraphMode::kAclGraph);
  EXPECT_EQ(result.executions[0].compile_ns, 200 * kHeadUs);
  EXPECT_EQ(result.executions[0].torchair_py_ns, 70 * kHeadUs);
  const GraphExecution& warm = result.executions[1];
  EXPECT_EQ(warm.torchair_py_ns, 70 * kHeadUs);
  EXPECT_EQ(warm.replay_ns, 100 * kHeadUs);
  EXPECT_EQ(warm.post_py_ns, 30 * kHeadUs);
  EXPECT_FALSE(warm.ge_ns || warm.ge_launch_ns || warm.torchair_cpp_ns || warm.post_cpp_ns);
  const std::vector<GraphPart> parts = {{"Front end", us(600), us(630)},
                                        {"TorchAir Python", us(630), us(700)},
                                        {"Replay", us(700), us(800)},
                                        {"Outputs in Python", us(800), us(830)}};
  EXPECT_EQ(graph_parts(warm), parts);
  EXPECT_EQ(*warm.head_ns,
            *warm.front_end_ns + *warm.torchair_py_ns + *warm.replay_ns + *warm.post_py_ns);
}

TEST_F(HeadOverheadTest, WhatRunsEagerlyIsCountedAndNotSplit) {
  op(0, 100, kInferenceRange);
  op(10, 90, "fx_run_eagerly");
  op(200, 300, kInferenceRange);
  op(210, 250, "aten::mm");
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 2u);
  for (const GraphExecution& row : result.executions) {
    EXPECT_EQ(row.mode, GraphMode::kEager);
    EXPECT_FALSE(row.head_ns || row.torchair_py_ns);
    EXPECT_FALSE(row.is_whole());
  }
}

TEST_F(HeadOverheadTest, RunWithoutALaunchKeepsWhatWasBefore) {
  op(0, 20, kLookupRange);
  op(30, 200, kInferenceRange);
  op(80, 150, kRunRange);
  const HeadOverhead result = analyzed();
  const GraphExecution& row = result.executions[0];
  EXPECT_TRUE(row.is_unfinished);
  EXPECT_EQ(row.front_end_ns, 30 * kHeadUs);
  EXPECT_EQ(row.torchair_py_ns, 50 * kHeadUs);
  EXPECT_FALSE(row.torchair_cpp_ns || row.ge_ns);
}

TEST_F(HeadOverheadTest, SeveralLaunchesOfOneRunAreAddedUp) {
  op(0, 5, kLookupRange);
  op(10, 200, kInferenceRange);
  op(20, 180, kRunRange);
  op(50, 70, "ExecuteGraph");
  op(90, 120, "RunGraph");
  const HeadOverhead result = analyzed();
  const GraphExecution& row = result.executions[0];
  expect_identities(row);
  EXPECT_TRUE(row.has_many_launches);
  EXPECT_EQ(row.torchair_cpp_ns, 30 * kHeadUs);
  EXPECT_EQ(row.ge_launch_ns, 50 * kHeadUs);
  EXPECT_EQ(row.ge_ns, 150 * kHeadUs);
}

TEST_F(HeadOverheadTest, ExecutionsCutByTheProfileAreTruncated) {
  trace_->session.begin_ns = us(50);
  trace_->session.end_ns = us(1050);
  execution(0);
  execution(500);
  execution(1000);
  op(1110, 1150, kRunRange);  // Its inference had not ended.
  op(1160, 1170, "ExecuteGraph");
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 4u);
  EXPECT_TRUE(result.executions[0].is_truncated);
  EXPECT_FALSE(result.executions[1].is_truncated);
  EXPECT_TRUE(result.executions[2].is_truncated);
  EXPECT_TRUE(result.executions[3].is_truncated);
  EXPECT_EQ(result.lone_launches, 1u);
  const auto rows = summarize_head_overhead(*trace_, result);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].calls, 1u);
}

TEST_F(HeadOverheadTest, RangesThatEndBeforeTheyBeginAreTruncated) {
  op(0, 5, kLookupRange);
  op(100, 20, kInferenceRange);
  execution(300);
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 2u);
  EXPECT_TRUE(result.executions[0].is_truncated);
  EXPECT_FALSE(result.executions[1].is_truncated);
}

TEST_F(HeadOverheadTest, ThreadsAndProcessesAreNotMixed) {
  step(1, 0, 1000);
  op(0, 5, kLookupRange, 2);
  execution(100, 1);
  execution(110, 2);
  const std::uint32_t row = op(120, 160, kRunRange, 1);
  trace_->framework_ops().pid[row] = link::testing::kPid + 1;
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 3u);
  EXPECT_EQ(result.executions[0].tid, 1u);
  EXPECT_EQ(result.executions[0].rule, FrontEndRule::kUpperBound);
  EXPECT_EQ(result.executions[1].tid, 2u);
  EXPECT_EQ(result.executions[1].rule, FrontEndRule::kLookup);
  EXPECT_EQ(result.executions[1].group, "#1");  // Each thread counts for itself.
  EXPECT_TRUE(result.executions[2].is_partial);
  EXPECT_NE(result.executions[2].pid, result.executions[1].pid);
}

// Rows in the order of their ends, as they are recorded, and in the opposite order.
TEST_F(HeadOverheadTest, EqualTimesAreNestedByLayer) {
  op(0, 100, "ExecuteGraph");
  op(0, 100, kRunRange);
  op(0, 100, kInferenceRange);
  op(0, 100, "Torch-Compiled Region: 0/0");
  op(200, 300, "Torch-Compiled Region: 0/0");
  op(200, 300, kInferenceRange);
  op(200, 300, kRunRange);
  op(200, 300, "ExecuteGraph");
  const HeadOverhead result = analyzed();
  ASSERT_EQ(result.executions.size(), 2u);
  for (const GraphExecution& row : result.executions) {
    expect_identities(row);
    EXPECT_EQ(row.ge_launch_ns, 100 * kHeadUs);
    EXPECT_EQ(row.head_ns, 100 * kHeadUs);
    EXPECT_EQ(row.group, "0/0");
  }
}

TEST_F(HeadOverheadTest, TheFirstTaskOfAModelIsAGuessWithoutALaunch) {
  execution(50);
  const std::uint32_t other = trace_.add_task(9, us(10), us(105), us(106));
  trace_->tasks().model_id[other] = trace::kNone;
  const std::uint32_t task = trace_.add_task(9, us(10), us(130), us(140));
  trace_->tasks().model_id[task] = 4;
  trace_->tasks().kernel[task] = 0;
  const HeadOverhead result = analyzed();
  EXPECT_EQ(result.executions[0].first_kernel_ns, 30 * kHeadUs);
  EXPECT_TRUE(result.executions[0].first_kernel_is_guess);
}

TEST_F(HeadOverheadTest, WithoutDeviceDataTheFirstKernelIsUnknown) {
  execution(50);
  EXPECT_FALSE(analyzed().executions[0].first_kernel_ns);
}

TEST_F(HeadOverheadTest, AProfileWithoutGraphsHasNoExecutions) {
  op(0, 100, "aten::mm");
  op(200, 300, "ExecuteGraph");
  const HeadOverhead result = analyzed();
  EXPECT_TRUE(result.executions.empty());
  EXPECT_TRUE(summarize_head_overhead(*trace_, result).empty());
}

}  // namespace
}  // namespace npuprof::analyze
