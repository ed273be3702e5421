#include "analyze/idle_causes.h"

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/idle_sums.h"
#include "analyze/idle_trace.h"
#include "analyze/step_time.h"
#include "trace/host/host_usage.h"
#include "trace/linked/overlap_intervals.h"

namespace npuprof::analyze {
namespace {

using format::host::TaskType;
using testing::IdleTrace;
using trace::kNone;

constexpr std::uint32_t kAsking = IdleTrace::kAsking;
constexpr std::uint32_t kLaunching = IdleTrace::kLaunching;

// "cause detail begin..end" for each row, times in us.
std::vector<std::string> idle_texts(IdleTrace& trace) {
  trace.link();
  std::vector<std::string> texts;
  for (const IdleRow& row : idle_causes(*trace)) {
    std::string text(idle_cause_name(row.cause));
    const std::string_view detail = trace->strings.view(row.detail);
    if (!detail.empty()) text.append(" ").append(detail);
    text += " " + std::to_string(row.start_ns / 1'000) + ".." + std::to_string(row.end_ns / 1'000);
    texts.push_back(text);
  }
  return texts;
}
using Texts = std::vector<std::string>;

void expect_tiles(const trace::Trace& trace) {
  std::map<std::pair<std::uint16_t, std::optional<std::int64_t>>, std::int64_t> sums;
  const std::vector<IdleRow> rows = idle_causes(trace);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_LT(rows[i].start_ns, rows[i].end_ns);
    if (i > 0 && rows[i].device == rows[i - 1].device) {
      ASSERT_GE(rows[i].start_ns, rows[i - 1].end_ns) << "row " << i;
    }
    const auto& intervals = trace.overlap_intervals();
    ASSERT_GE(rows[i].start_ns, intervals.start_ns[rows[i].gap]);
    ASSERT_LE(rows[i].end_ns, intervals.end_ns[rows[i].gap]);
  }
  for (const IdleStepSum& sum : idle_by_step(trace, rows)) {
    sums[{sum.device, sum.step}] = sum.total_ns;
  }
  for (const StepTime& step : step_times(trace)) {
    const std::int64_t sum = sums[{step.device, step.step}];
    EXPECT_EQ(sum, step.free_ns) << "step " << step.step.value_or(-1);
  }
}

// The worked example: kernel A until `a_end`, B from 160 on.
IdleTrace worked_example(double a_end) {
  IdleTrace trace;
  const std::uint32_t launch = trace.call(kLaunching, 142, 150, "launch");
  const std::uint32_t op = trace.op(kAsking, 90, 140, "aten::mm");
  trace.queue(140, 142, 151, op);
  trace.collection(70, 88);
  trace.frame(kAsking, 0, 170, "train.py(12): step");
  trace.kernel(0, a_end);
  trace.kernel(160, 200, launch);
  return trace;
}

TEST(IdleCauses, AWorkedExampleIsTiledByItsCauses) {
  IdleTrace trace = worked_example(100);
  EXPECT_EQ(idle_texts(trace),
            (Texts{"operator self time aten::mm 100..140", "queue hand-over aclnnMm 140..142",
                   "launch cost launch 142..150", "device start latency MatMul 150..160"}));
  expect_tiles(*trace);
}

TEST(IdleCauses, WhatBeginsFarTooLateIsNotExplained) {
  IdleTrace trace;
  const std::uint32_t launch = trace.call(kLaunching, 142, 150, "launch");
  const std::uint32_t next = trace.call(kLaunching, 1300, 1310, "launch");
  trace.kernel(0, 142);
  trace.kernel(1151, 1200, launch);
  trace.kernel(2310, 2400, next);
  EXPECT_EQ(idle_texts(trace),
            (Texts{"launch cost launch 142..150", "device, not explained MatMul 150..1151",
                   "host, not recorded 1200..1300", "launch cost launch 1300..1310",
                   "device start latency MatMul 1310..2310"}));
  expect_tiles(*trace);
  EXPECT_FALSE(is_of_host(IdleCause::kUnexplained));
  EXPECT_TRUE(is_of_host(IdleCause::kNotRecorded));
}

TEST(IdleCauses, AWorkedExampleWithALongerGapShowsWhatCameBefore) {
  IdleTrace trace = worked_example(60);
  EXPECT_EQ(idle_texts(trace),
            (Texts{"Python frame train.py(12): step 60..70", "garbage collection 70..88",
                   "Python frame train.py(12): step 88..90", "operator self time aten::mm 90..140",
                   "queue hand-over aclnnMm 140..142", "launch cost launch 142..150",
                   "device start latency MatMul 150..160"}));
  expect_tiles(*trace);
}

TEST(IdleCauses, RowsNameThreadEvidenceAndTask) {
  IdleTrace trace = worked_example(60);
  trace.link();
  const std::vector<IdleRow> rows = idle_causes(*trace);
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0].evidence, IdleEvidence::kPythonCall);
  EXPECT_EQ(rows[1].evidence, IdleEvidence::kGarbageCollection);
  EXPECT_EQ(rows[3].evidence, IdleEvidence::kOperator);
  EXPECT_EQ(rows[3].evidence_row, 0u);
  EXPECT_EQ(rows[3].thread, kAsking);
  EXPECT_EQ(rows[4].evidence, IdleEvidence::kEnqueue);
  EXPECT_EQ(rows[5].thread, kLaunching);
  EXPECT_EQ(rows[5].evidence, IdleEvidence::kApiCall);
  EXPECT_EQ(rows[5].op, 0u) << "what the launch was for";
  EXPECT_EQ(rows[6].evidence, IdleEvidence::kTask);
  for (const IdleRow& row : rows) {
    EXPECT_EQ(row.task, 1u);
    EXPECT_FALSE(row.is_guess);
  }
}

TEST(IdleCauses, OfSeveralTasksTheOneLaunchedLastIsAsked) {
  IdleTrace trace;
  const std::uint32_t early = trace.call(kLaunching, 10, 20, "launch");
  const std::uint32_t late = trace.call(kLaunching, 30, 45, "launch");
  trace.kernel(0, 5);
  trace.kernel(50, 60, late, 6);
  trace.kernel(50, 70, early, 7);
  EXPECT_EQ(idle_texts(trace), (Texts{"host, not recorded 5..10", "launch cost launch 10..20",
                                      "host, not recorded 20..30", "launch cost launch 30..45",
                                      "device start latency MatMul 45..50"}));
}

TEST(IdleCauses, AWaitForAnotherStreamIsTheDevices) {
  IdleTrace trace;
  const std::uint32_t launch = trace.call(kLaunching, 1, 2, "launch");
  trace.kernel(0, 10);
  trace.kernel(0, 20, launch, 7);
  trace.task(9, 40, TaskType::kEventWait, launch);
  trace.task(38, 39, TaskType::kEventRecord, launch, 7);
  trace.kernel(44, 50, launch);
  EXPECT_EQ(idle_texts(trace), (Texts{"wait for another stream kernel1 20..40",
                                      "device start latency MatMul 40..44"}));
  const std::vector<IdleRow> rows = idle_causes(*trace);
  EXPECT_EQ(rows[0].evidence_row, 2u) << "the wait";
  EXPECT_EQ(rows[0].waited_for, 1u) << "the last work before the record";
}

TEST(IdleCauses, AWaitOfACollectiveIsForOtherRanks) {
  IdleTrace trace;
  const std::uint32_t launch = trace.call(kLaunching, 1, 2, "launch");
  trace.kernel(0, 10, launch);
  const std::uint32_t wait = trace.task(12, 40, TaskType::kNotifyWait, launch);
  trace.kernel(40, 50, launch);
  trace.collective_part(trace.collective(50, 60), wait);
  EXPECT_EQ(idle_texts(trace), (Texts{"device start latency MatMul 10..12",
                                      "wait for other ranks hcom_allReduce__1_0_1 12..40"}));
}

TEST(IdleCauses, ACopyIsACauseOfItsOwn) {
  IdleTrace trace;
  const std::uint32_t copy_call = trace.call(kAsking, 12, 18, "aclrtMemcpyAsync");
  const std::uint32_t launch = trace.call(kAsking, 40, 44, "launch");
  trace.op(kAsking, 9, 30, "aten::copy_");
  trace.op(kAsking, 35, 45, "aten::mm");
  trace.kernel(0, 10);
  const std::uint32_t copy = trace.task(20, 32, TaskType::kMemcpyAsync, copy_call);
  trace->tasks().shown_type[copy] = trace.text("MEMCPY_ASYNC");
  trace.kernel(45, 50, launch);
  EXPECT_EQ(idle_texts(trace),
            (Texts{"operator self time aten::copy_ 10..12", "launch cost aclrtMemcpyAsync 12..18",
                   "device start latency MEMCPY_ASYNC 18..20", "copy MEMCPY_ASYNC 20..32",
                   "host, not recorded 32..35", "operator self time aten::mm 35..40",
                   "launch cost launch 40..44", "device start latency MatMul 44..45"}));
}

TEST(IdleCauses, ASynchronisationNamesTheCallAndWhoAskedForIt) {
  IdleTrace trace;
  trace.call(kAsking, 5, 30, "aclrtSynchronizeStream", format::host::kLevelAcl);
  trace.call(kAsking, 6, 29, "StreamSync", format::host::kLevelRuntime);
  const std::uint32_t launch = trace.call(kAsking, 40, 44, "launch");
  const std::uint32_t op = trace.op(kAsking, 4, 32, "aten::item");
  const std::uint32_t frame = trace.frame(kAsking, 3, 100, "train.py(40): log");
  trace.kernel(0, 10);
  trace.kernel(44, 50, launch);
  EXPECT_EQ(idle_texts(trace),
            (Texts{"synchronisation aclrtSynchronizeStream 10..30",
                   "operator self time aten::item 30..32", "Python frame train.py(40): log 32..40",
                   "launch cost launch 40..44"}));
  const std::vector<IdleRow> rows = idle_causes(*trace);
  EXPECT_EQ(rows[0].op, op);
  EXPECT_EQ(rows[0].python_call, frame);
}

// What the launching thread does before the task is asked for does not delay the task.
TEST(IdleCauses, BeforeTheEnqueueTheAskingThreadIsToBlame) {
  IdleTrace trace;
  trace.call(kLaunching, 10, 25, "EventRecord");
  const std::uint32_t launch = trace.call(kLaunching, 42, 48, "launch");
  const std::uint32_t op = trace.op(kAsking, 5, 40, "aten::mm");
  trace.queue(40, 42, 50, op);
  trace.kernel(0, 8);
  trace.kernel(48, 60, launch);
  EXPECT_EQ(idle_texts(trace),
            (Texts{"operator self time aten::mm 8..40", "queue hand-over aclnnMm 40..42",
                   "launch cost launch 42..48"}));
}

TEST(IdleCauses, AfterTheEnqueueOtherCallsOfTheLaunchingThreadAreInTheWay) {
  IdleTrace trace;
  trace.call(kLaunching, 10, 40, "MemAlloc");
  const std::uint32_t launch = trace.call(kLaunching, 42, 48, "launch");
  trace.queue(9, 41, 50);
  trace.kernel(0, 8);
  trace.kernel(48, 60, launch);
  EXPECT_EQ(idle_texts(trace),
            (Texts{"host, not recorded 8..9", "queue hand-over aclnnMm 9..10",
                   "launch cost MemAlloc 10..40", "queue hand-over aclnnMm 40..42",
                   "launch cost launch 42..48"}));
}

TEST(IdleCauses, ADataLoaderTakesAllThatIsInsideOfIt) {
  IdleTrace trace;
  trace.op(kAsking, 10, 30, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  trace.op(kAsking, 12, 28, "aten::stack");
  trace.mark(kAsking, 32, 40, "dataloader");
  trace.mark(kAsking, 42, 50, "fetch", "dataloader");
  trace.frame(kAsking, 52, 60, "torch/utils/data/dataloader.py(628): __next__");
  trace.frame(kAsking, 53, 55, "random.py(3): shuffle");
  trace.frame(kAsking, 62, 64, "my_dataloader_training.py(9): train");
  const std::uint32_t launch = trace.call(kAsking, 64, 66, "launch");
  trace.kernel(0, 10);
  trace.kernel(66, 70, launch);
  EXPECT_EQ(
      idle_texts(trace),
      (Texts{"data loader enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 10..30",
             "host, not recorded 30..32", "data loader dataloader 32..40",
             "host, not recorded 40..42", "data loader fetch 42..50", "host, not recorded 50..52",
             "data loader torch/utils/data/dataloader.py(628): __next__ 52..60",
             "host, not recorded 60..62", "Python frame my_dataloader_training.py(9): train 62..64",
             "launch cost launch 64..66"}));
}

TEST(IdleCauses, ACheckpointTakesAllAndOtherMarksWhatNothingElseExplains) {
  IdleTrace trace;
  trace.mark(kAsking, 10, 30, "save_checkpoint");
  trace.op(kAsking, 12, 20, "aten::to");
  trace.mark(kAsking, 30, 50, "evaluate");
  trace.op(kAsking, 35, 40, "aten::mm");
  const std::uint32_t launch = trace.call(kAsking, 50, 52, "launch");
  trace.kernel(0, 10);
  trace.kernel(52, 70, launch);
  EXPECT_EQ(idle_texts(trace), (Texts{"mark save_checkpoint 10..30", "mark evaluate 30..35",
                                      "operator self time aten::mm 35..40", "mark evaluate 40..50",
                                      "launch cost launch 50..52"}));
}

TEST(IdleCauses, AMarkThatWentThroughTheQueueIsFoundOnTheLaunchingThread) {
  IdleTrace trace;
  trace.mark(kLaunching, 10, 30, "dataloader");
  const std::uint32_t launch = trace.call(kLaunching, 36, 38, "launch");
  trace.queue(35, 36, 40, trace.op(kAsking, 30, 35, "aten::mm"));
  trace.kernel(0, 10);
  trace.kernel(38, 70, launch);
  EXPECT_EQ(idle_texts(trace),
            (Texts{"data loader dataloader 10..30", "operator self time aten::mm 30..35",
                   "queue hand-over aclnnMm 35..36", "launch cost launch 36..38"}));
}

TEST(IdleCauses, TheInnermostOfOperatorAndFrameIsNamed) {
  IdleTrace trace;
  trace.op(kAsking, 5, 40, "Optimizer.step#Adam.step");
  trace.frame(kAsking, 1, 50, "train.py(1): main");
  trace.frame(kAsking, 20, 30, "adam.py(7): step");
  const std::uint32_t launch = trace.call(kAsking, 40, 42, "launch");
  trace.kernel(0, 10);
  trace.kernel(42, 70, launch);
  EXPECT_EQ(idle_texts(trace), (Texts{"operator self time Optimizer.step#Adam.step 10..20",
                                      "Python frame adam.py(7): step 20..30",
                                      "operator self time Optimizer.step#Adam.step 30..40",
                                      "launch cost launch 40..42"}));
}

TEST(IdleCauses, TheBackwardThreadHandsOverToTheOneItWaitsFor) {
  IdleTrace trace;
  const std::uint32_t forward = trace.op(kAsking, 0, 5, "aten::mm");
  trace.op(kAsking, 12, 20, "aten::sum");
  const std::uint32_t backward = trace.op(IdleTrace::kBackward, 22, 30, "MmBackward0");
  trace.pair(forward, backward);
  const std::uint32_t launch = trace.call(kLaunching, 31, 33, "launch");
  trace.queue(30, 31, 34, backward, IdleTrace::kBackward);
  trace.kernel(0, 10);
  trace.kernel(33, 70, launch);
  EXPECT_EQ(idle_texts(trace),
            (Texts{"host, not recorded 10..12", "operator self time aten::sum 12..20",
                   "host, not recorded 20..22", "operator self time MmBackward0 22..30",
                   "queue hand-over aclnnMm 30..31", "launch cost launch 31..33"}));
}

TEST(IdleCauses, TheMainThreadHandsOverWhileItWaitsForTheBackwardPass) {
  IdleTrace trace;
  const std::uint32_t forward = trace.op(kAsking, 0, 5, "aten::mm");
  trace.pair(forward, trace.op(IdleTrace::kBackward, 12, 30, "MmBackward0"));
  trace.frame(kAsking, 9, 32, "torch/autograd/__init__.py(251): backward");
  trace.op(kAsking, 33, 36, "aten::add_");
  const std::uint32_t launch = trace.call(kAsking, 36, 38, "launch");
  trace.kernel(0, 10);
  trace.kernel(38, 70, launch);
  EXPECT_EQ(idle_texts(trace),
            (Texts{"Python frame torch/autograd/__init__.py(251): backward 10..12",
                   "operator self time MmBackward0 12..30",
                   "Python frame torch/autograd/__init__.py(251): backward 30..32",
                   "host, not recorded 32..33", "operator self time aten::add_ 33..36",
                   "launch cost launch 36..38"}));
}

TEST(IdleCauses, NothingButAStepsEndIsAStepBoundary) {
  IdleTrace trace;
  trace.op(kAsking, 1, 15, "aten::a");
  trace.op(kAsking, 30, 40, "aten::b");
  trace.op(kAsking, 45, 50, "aten::c");
  trace.step(1, 0, 20, 0, 25);
  trace.step(2, 22, 60, 25, 70);
  const std::uint32_t launch = trace.call(kAsking, 50, 52, "launch");
  trace.kernel(0, 10);
  trace.kernel(52, 70, launch);
  EXPECT_EQ(idle_texts(trace),
            (Texts{"operator self time aten::a 10..15", "step boundary ProfilerStep#1 15..30",
                   "operator self time aten::b 30..40", "host, not recorded 40..45",
                   "operator self time aten::c 45..50", "launch cost launch 50..52"}));
  EXPECT_EQ(idle_by_step(*trace, idle_causes(*trace)).size(), 1u)
      << "a gap counts to the step in which it begins";
  expect_tiles(*trace);
}

TEST(IdleCauses, BehindTheLastKernelNothingIsLaunched) {
  IdleTrace trace;
  trace.kernel(0, 10);
  trace.task(30, 31, TaskType::kEventRecord);
  EXPECT_EQ(idle_texts(trace), Texts{"nothing launched 10..31"});
  expect_tiles(*trace);
}

TEST(IdleCauses, WithoutHostCallsSumsAreTheSame) {
  IdleTrace trace;
  const std::uint32_t op = trace.op(kAsking, 12, 20, "aten::mm");
  trace.kernel(0, 10);
  const std::uint32_t task = trace.kernel(30, 40);
  trace.kernel(50, 60);
  trace->kernel_ops().op.push_back(op);
  trace->kernel_ops().task.push_back(task);
  EXPECT_EQ(idle_texts(trace),
            (Texts{"host, not recorded 10..12", "device start latency MatMul 12..30",
                   "host, not recorded 40..50"}));
  EXPECT_TRUE(idle_causes(*trace)[0].is_guess) << "the operator's start stands for the launch";
  expect_tiles(*trace);
}

TEST(IdleCauses, ACollectiveWithoutTasksIsLaunchedByItsCall) {
  IdleTrace trace;
  const std::uint32_t call = trace.call(kLaunching, 12, 20, "hcom_allReduce_");
  trace.kernel(0, 10);
  trace.collective(25, 40, call);
  EXPECT_EQ(idle_texts(trace),
            (Texts{"host, not recorded 10..12", "launch cost hcom_allReduce_ 12..20",
                   "device start latency 20..25"}));
}

TEST(IdleCauses, AStarvedProcessIsToldOf) {
  IdleTrace trace = worked_example(60);
  trace::HostUsage& usage = trace->host_usage();
  for (const auto& [time, percent] : {std::pair(50, 0.0), {80, 95.0}, {300, 40.0}}) {
    for (const std::uint32_t cpu : {0u, 1u}) {
      usage.time_ns.push_back(IdleTrace::us(time));
      usage.kind.push_back(0);
      usage.unit.push_back(cpu);
      usage.usage_percent.push_back(percent / 2);
      usage.first_rate.push_back(0);
      usage.second_rate.push_back(0);
    }
  }
  trace.link();
  const std::vector<IdleRow> rows = idle_causes(*trace);
  EXPECT_FALSE(rows[0].is_starved);
  EXPECT_TRUE(rows[3].is_starved) << "aten::mm from 90 on";
  EXPECT_FALSE(rows.back().is_starved) << "the device needs no core of the host";
}

TEST(IdleCauses, NoTasksGiveNoRows) {
  IdleTrace trace;
  EXPECT_TRUE(idle_texts(trace).empty());
  trace.kernel(0, 10);
  EXPECT_TRUE(idle_texts(trace).empty()) << "no gap";
}

TEST(IdleCauses, RowsThatReferToNothingAndTimesFarAwayDoNoHarm) {
  IdleTrace trace = worked_example(60);
  trace->tasks().api[1] = 77;
  trace->enqueues().partner[0] = 99;
  trace->dequeues().partner[0] = 99;
  trace->kernel_ops().op.push_back(55);
  trace->kernel_ops().task.push_back(1);
  trace.call(kAsking, 50, 40, "backwards");
  trace->api_calls().end_ns[0] = INT64_MAX;
  trace->framework_ops().start_ns[0] = INT64_MIN;
  trace.pair(9, 9);
  trace.link();
  expect_tiles(*trace);
  trace->tasks().api[1] = 0;
  expect_tiles(*trace);
  trace->dequeues().partner[0] = 0;
  trace->enqueues().end_ns[0] = INT64_MIN;
  expect_tiles(*trace);
}

// Anything anywhere: rows still tile free time.
TEST(IdleCauses, RandomTracesAreTiled) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto number = [&](int below) { return static_cast<int>(random() % below); };
    IdleTrace trace;
    const int calls = 1 + number(40);
    for (int i = 0; i < calls; ++i) {
      const int start = i * 10 + number(9);
      trace.call(1 + number(3), start, start + number(30),
                 number(4) == 0 ? "StreamSynchronize" : "launch");
    }
    for (int i = 0; i < number(60); ++i) {
      const int start = number(400);
      const auto tid = static_cast<std::uint32_t>(1 + number(3));
      trace.op(tid, start, start + number(50), number(9) == 0 ? "enumerate(DataLoader)" : "op");
      trace.frame(tid, start + number(9), start + number(40), "train.py(1): main", number(2));
      trace.mark(tid, number(400), number(400), "evaluate", number(2) == 0 ? "Module" : "");
      trace.pair(number(i + 1), number(i + 1));
      if (number(5) == 0) trace.collection(number(400), number(400));
    }
    for (int i = 0; i < number(20); ++i) {
      const int at = number(400);
      trace.queue(at, at + number(9), at + number(40), number(9));
    }
    if (number(2) == 0) {
      trace.step(1, 0, 150, 0, 200);
      trace.step(2, 160, 300, 210, 420);
    }
    int start = 0;
    for (int i = 0; i < 30; ++i) {
      start += number(25);
      const auto call = number(5) == 0 ? kNone : static_cast<std::uint32_t>(number(calls));
      const auto stream = static_cast<std::uint16_t>(number(3));
      switch (number(6)) {
        case 0:
          trace.task(start, start + number(30), TaskType::kEventWait, call, stream);
          break;
        case 1:
          trace.task(start, start + number(9), TaskType::kEventRecord, call, stream);
          break;
        case 2:
          trace.task(start, start + number(20), TaskType::kMemcpyAsync, call, stream);
          break;
        case 3:
          trace.collective(start, start + number(20), call);
          break;
        default:
          trace.kernel(start, start + number(20), call, stream);
      }
    }
    trace.link();
    ASSERT_NO_FATAL_FAILURE(expect_tiles(*trace));
  }
}

TEST(IdleSums, AddUpToTheSameTime) {
  IdleTrace trace = worked_example(60);
  trace.frame(kAsking, 92, 120, "nn.Module: Linear_0", 0);
  trace.link();
  const std::vector<IdleRow> rows = idle_causes(*trace);
  const auto causes = idle_by_cause(rows);
  ASSERT_FALSE(causes.empty());
  std::int64_t total = 0;
  for (const IdleCauseSum& cause : causes) total += cause.sum.total_ns;
  EXPECT_EQ(total, IdleTrace::us(100));
  total = 0;
  for (const IdleDetailSum& detail : idle_by_detail(*trace, rows)) total += detail.sum.total_ns;
  EXPECT_EQ(total, IdleTrace::us(100));
  const auto modules = idle_by_module(*trace, rows);
  ASSERT_EQ(modules.size(), 1u);
  EXPECT_EQ(modules[0].name, "nn.Module: Linear_0");
  EXPECT_EQ(modules[0].sum.total_ns, IdleTrace::us(28));
  const auto operators = idle_by_operator(*trace, rows);
  ASSERT_EQ(operators.size(), 1u);
  EXPECT_EQ(operators[0].name, "aten::mm");
  EXPECT_EQ(operators[0].sum.total_ns, IdleTrace::us(60)) << "50 on the host, 2 + 8 to launch it";
  const auto lines = idle_by_python_line(*trace, rows);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].name, "train.py(12): step");
  const auto gaps = longest_idle_gaps(rows, 5);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].end_row, rows.size());
}

TEST(IdleSums, BuiltInFunctionsCountToTheLineThatCallsThem) {
  IdleTrace trace;
  trace.frame(kAsking, 0, 60, "train.py(3): main");
  trace.frame(kAsking, 12, 20, "<built-in method add of Tensor object at 0x10>");
  trace.frame(kAsking, 30, 40, "<built-in method add of Tensor object at 0x20>");
  const std::uint32_t launch = trace.call(kAsking, 50, 52, "launch");
  trace.kernel(0, 10);
  trace.kernel(52, 60, launch);
  trace.link();
  const std::vector<IdleRow> rows = idle_causes(*trace);
  const auto details = idle_by_detail(*trace, rows);
  ASSERT_EQ(details.size(), 3u);
  EXPECT_EQ(details[0].detail, "train.py(3): main");
  EXPECT_EQ(details[1].detail, "<built-in method add of Tensor");
  EXPECT_EQ(details[1].sum.total_ns, IdleTrace::us(18));
  EXPECT_EQ(details[1].sum.count, 2u);
  const auto lines = idle_by_python_line(*trace, rows);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].sum.total_ns, IdleTrace::us(42));
}

}  // namespace
}  // namespace npuprof::analyze
