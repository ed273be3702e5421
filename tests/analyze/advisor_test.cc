#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "analyze/advisor/checks.h"
#include "analyze/advisor/thresholds.h"
#include "format/host/enumerations.h"
#include "format/host/levels.h"
#include "link/framework/op_tree.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"
#include "trace/trace.h"

namespace npuprof::analyze {
namespace {

constexpr std::int64_t kUs = 1000;
constexpr std::int64_t kMs = 1'000'000;

// A trace made row by row.
class AdvisedTrace {
 public:
  AdvisedTrace() {
    trace_.devices.push_back({.id = 0, .ai_core_count = 20, .vector_core_count = 40});
  }
  trace::Trace& operator*() { return trace_; }
  trace::Trace* operator->() { return &trace_; }

  std::uint32_t kernel(std::int64_t start_ns, std::int64_t length_ns, std::string_view type,
                       std::string_view task_type = "AI_VECTOR_CORE", std::uint32_t blocks = 40) {
    auto& tasks = trace_.tasks();
    resize_rows(tasks, tasks.size() + 1);
    tasks.start_ns.back() = start_ns;
    tasks.end_ns.back() = start_ns + length_ns;
    tasks.kernel.back() = static_cast<std::uint32_t>(trace_.kernels().size());
    tasks.copy_direction.back() = trace::kNone;
    auto& kernels = trace_.kernels();
    resize_rows(kernels, kernels.size() + 1);
    kernels.task.back() = static_cast<std::uint32_t>(tasks.size() - 1);
    kernels.op_type.back() = trace_.strings.intern(type);
    kernels.task_type.back() = trace_.strings.intern(task_type);
    kernels.op_state.back() = static_cast<std::uint8_t>(trace::OpState::kDynamic);
    kernels.block_num.back() = blocks;
    return static_cast<std::uint32_t>(kernels.size() - 1);
  }
  void overlap(trace::OverlapKind kind, std::int64_t start_ns, std::int64_t end_ns) {
    auto& intervals = trace_.overlap_intervals();
    resize_rows(intervals, intervals.size() + 1);
    intervals.start_ns.back() = start_ns;
    intervals.end_ns.back() = end_ns;
    intervals.kind.back() = static_cast<std::uint8_t>(kind);
  }
  void call(std::int64_t start_ns, std::int64_t length_ns, std::string_view name,
            std::uint16_t level = format::host::kLevelAcl) {
    auto& calls = trace_.api_calls();
    resize_rows(calls, calls.size() + 1);
    calls.start_ns.back() = start_ns;
    calls.end_ns.back() = start_ns + length_ns;
    calls.level.back() = level;
    calls.tid.back() = 7;
    calls.name.back() = trace_.strings.intern(name);
  }
  void op(std::int64_t start_ns, std::int64_t length_ns, std::string_view name) {
    auto& ops = trace_.framework_ops();
    resize_rows(ops, ops.size() + 1);
    ops.start_ns.back() = start_ns;
    ops.end_ns.back() = start_ns + length_ns;
    ops.tid.back() = 1;
    ops.name.back() = trace_.strings.intern(name);
  }
  void collective(std::int64_t length_ns, std::uint64_t bytes,
                  format::host::HcclTransport transport, format::host::HcclLink link) {
    auto& ops = trace_.collective_ops();
    resize_rows(ops, ops.size() + 1);
    ops.end_ns.back() = length_ns;
    ops.type.back() = trace_.strings.intern("hcom_allReduce_");
    auto& parts = trace_.collective_tasks();
    resize_rows(parts, parts.size() + 1);
    parts.op.back() = static_cast<std::uint32_t>(ops.size() - 1);
    parts.task.back() = trace::kNone;
    parts.end_ns.back() = length_ns;
    parts.name.back() = trace_.strings.intern("Memcpy");
    parts.size_bytes.back() = bytes;
    parts.transport_type.back() = static_cast<std::uint32_t>(transport);
    parts.link_type.back() = static_cast<std::uint32_t>(link);
  }
  void collect_garbage(std::int64_t start_ns, std::int64_t length_ns) {
    auto& collections = trace_.garbage_collections();
    resize_rows(collections, collections.size() + 1);
    collections.start_ns.back() = start_ns;
    collections.end_ns.back() = start_ns + length_ns;
  }

 private:
  trace::Trace trace_;
};

TEST(Advisor, NamesOfChecksAreUnique) {
  std::set<std::string_view> names;
  for (const Check& check : all_checks()) {
    EXPECT_TRUE(names.insert(check.name).second) << check.name;
    EXPECT_FALSE(check.what.empty());
  }
}

TEST(Advisor, FindsNothingInAnEmptyTrace) { EXPECT_TRUE(advise(trace::Trace()).empty()); }

TEST(Advisor, FindingsCarryTheNameOfTheirCheckAndWholeRows) {
  AdvisedTrace trace;
  trace.overlap(trace::OverlapKind::kComputing, 0, 10 * kMs);
  trace.overlap(trace::OverlapKind::kFree, 10 * kMs, 40 * kMs);
  trace.kernel(0, 10 * kMs, "Unique", "AI_CPU");
  trace.collect_garbage(12 * kMs, 5 * kMs);
  const Findings findings = advise(*trace);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].name, "free_time");
  EXPECT_EQ(findings[1].name, "aicpu");
  EXPECT_EQ(findings[2].name, "garbage_collection");
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.severity, Severity::kHigh);
    for (const auto& row : finding.evidence.rows) {
      EXPECT_EQ(row.size(), finding.evidence.columns.size()) << finding.name;
    }
  }
  const std::string_view silenced[] = {"free_time", "aicpu"};
  EXPECT_EQ(advise(*trace, silenced).size(), 1u);
}

TEST(Advisor, SeverityIsTheShareOfTimeThatCouldBeGained) {
  for (const auto& [gc_ms, severity] :
       {std::pair(5, Severity::kHigh), {3, Severity::kMedium}, {2, Severity::kLow}}) {
    AdvisedTrace trace;
    trace.overlap(trace::OverlapKind::kComputing, 0, 95 * kMs);
    trace.overlap(trace::OverlapKind::kFree, 95 * kMs, 100 * kMs);
    trace.collect_garbage(95 * kMs, gc_ms * kMs);
    const Findings findings = advise(*trace);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].gain_ns, gc_ms * kMs);
    EXPECT_EQ(findings[0].severity, severity) << gc_ms;
  }
}

TEST(Advisor, ShortKernelsOnAiCpusDoNotMatter) {
  AdvisedTrace trace;
  trace.kernel(0, 19 * kUs, "Cast", "AI_CPU");
  EXPECT_TRUE(check_aicpu(*trace).empty());
  const std::uint32_t row = trace.kernel(kMs, 20 * kUs, "Cast", "AI_CPU");
  trace->kernels().input_dtypes[row] = trace->strings.intern("DOUBLE;INT64");
  const Findings findings = check_aicpu(*trace);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].gain_ns, 39 * kUs);
  EXPECT_EQ(std::get<std::string>(findings[0].evidence.rows[0].back()),
            "has inputs of type DOUBLE: use FLOAT");
}

TEST(Advisor, BlocksThatCannotBeSpreadEvenlyLeaveCoresIdle) {
  AdvisedTrace trace;
  trace.kernel(0, 100 * kUs, "Add", "AI_VECTOR_CORE", 80);
  trace.kernel(kMs, 100 * kUs, "MatMul", "AI_CORE", 20);
  EXPECT_TRUE(check_block_dim(*trace).empty());
  trace.kernel(2 * kMs, 100 * kUs, "MatMul", "AI_CORE", 30);  // Two rounds of 20, 10 are missing.
  trace.kernel(3 * kMs, 100 * kUs, "Gather", "AI_CPU", 1);
  const Findings findings = check_block_dim(*trace);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].gain_ns, 25 * kUs);
}

TEST(Advisor, CompilingAtRunTimeIsFoundOnlyWhereAllShapesAreDynamic) {
  AdvisedTrace trace;
  trace.kernel(0, 100, "Add");
  EXPECT_TRUE(check_dynamic_shape(*trace).empty()) << "nothing is compiled";
  trace.call(0, 50, "opCompile");
  ASSERT_EQ(check_dynamic_shape(*trace).size(), 1u);
  EXPECT_EQ(check_dynamic_shape(*trace)[0].gain_ns, 50);
  const std::uint32_t row = trace.kernel(200, 100, "Mul");
  trace->kernels().op_state[row] = static_cast<std::uint8_t>(trace::OpState::kStatic);
  EXPECT_TRUE(check_dynamic_shape(*trace).empty());
}

TEST(Advisor, TwentyCallsOfTheCompilingInterfaceAreAFinding) {
  AdvisedTrace trace;
  for (int i = 0; i < 19; ++i) trace.call(i * 100, 10, "aclopCompileAndExecute");
  EXPECT_TRUE(check_operator_dispatch(*trace).empty());
  trace.call(5000, 10, "aclopCompileAndExecute");
  ASSERT_EQ(check_operator_dispatch(*trace).size(), 1u);
  EXPECT_EQ(check_operator_dispatch(*trace)[0].gain_ns, 200);
}

TEST(Advisor, WaitingAfterMostLaunchesIsAFinding) {
  const auto trace_with = [](int synchronized) {
    AdvisedTrace trace;
    for (int i = 0; i < 40; ++i) {
      trace.call(i * 1000, 100, "aclnnAdd");
      trace.call(i * 1000 + 10, 50, "launch", format::host::kLevelNode);
      if (i < synchronized) trace.call(i * 1000 + 200, 30, "aclrtSynchronizeStreamWithTimeout");
    }
    return check_synchronize_stream(*trace);
  };
  EXPECT_TRUE(trace_with(20).empty());
  ASSERT_EQ(trace_with(21).size(), 1u);
  EXPECT_EQ(trace_with(21)[0].gain_ns, 21 * 30);
}

TEST(Advisor, MemoryCallsCountFromTenMillisecondsOn) {
  AdvisedTrace trace;
  trace.call(0, 10 * kMs - 1, "aclrtFree");
  EXPECT_TRUE(check_memory_calls(*trace).empty());
  trace.call(20 * kMs, 1, "aclrtFree");
  EXPECT_EQ(check_memory_calls(*trace).size(), 1u);
}

TEST(Advisor, LongLoadingOfDataIsFound) {
  AdvisedTrace trace;
  trace.op(0, 10 * kMs, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  EXPECT_TRUE(check_dataloader(*trace).empty());
  trace.op(20 * kMs, 11 * kMs, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  trace.overlap(trace::OverlapKind::kFree, 22 * kMs, 27 * kMs);
  ASSERT_EQ(check_dataloader(*trace).size(), 1u);
  EXPECT_EQ(check_dataloader(*trace)[0].gain_ns, 5 * kMs);
}

TEST(Advisor, GapsWithoutCallsAreGuessedToBeGarbageCollections) {
  AdvisedTrace trace;
  trace.overlap(trace::OverlapKind::kFree, 0, 300 * kMs);
  trace.call(301 * kMs, 10, "aclnnAdd");
  ASSERT_EQ(check_garbage_collection(*trace).size(), 1u);
  EXPECT_EQ(check_garbage_collection(*trace)[0].gain_ns, 300 * kMs);
  trace.collect_garbage(0, kMs - 1);
  EXPECT_TRUE(check_garbage_collection(*trace).empty()) << "collections are known, and short";
}

TEST(Advisor, TransfersBetweenDevicesHaveToBeAligned) {
  using format::host::HcclLink;
  using format::host::HcclTransport;
  AdvisedTrace trace;
  trace.collective(1000, 1024, HcclTransport::kSdma, HcclLink::kHccs);
  trace.collective(1000, 100, HcclTransport::kSdma, HcclLink::kHccs);
  trace.collective(1000, 1000, HcclTransport::kSdma, HcclLink::kOnChip);
  trace.collective(1000, 1000, HcclTransport::kRdma, HcclLink::kRoce);
  EXPECT_TRUE(check_byte_alignment(*trace).empty());
  trace.collective(1000, 1000, HcclTransport::kSdma, HcclLink::kHccs);
  ASSERT_EQ(check_byte_alignment(*trace).size(), 1u);
  EXPECT_EQ(check_byte_alignment(*trace)[0].gain_ns, 500);
}

TEST(Advisor, TransfersOfMoreThanFourSecondsWereSentAgain) {
  using format::host::HcclLink;
  using format::host::HcclTransport;
  AdvisedTrace trace;
  trace.collective(4000 * kMs, 1 << 20, HcclTransport::kRdma, HcclLink::kRoce);
  trace.collective(5000 * kMs, 1 << 20, HcclTransport::kSdma, HcclLink::kHccs);
  EXPECT_TRUE(check_retransmission(*trace).empty());
  trace.collective(4001 * kMs, 1 << 20, HcclTransport::kRdma, HcclLink::kRoce);
  EXPECT_EQ(check_retransmission(*trace).size(), 1u);
}

TEST(Advisor, EnvironmentIsJudgedByValue) {
  trace::Trace trace;
  trace.session.profiler_metadata =
      R"({"ENV_VARIABLES": {"ASCEND_GLOBAL_LOG_LEVEL": "3", "HCCL_ALGO": "",
          "ACLNN_CACHE_LIMIT": "100000", "HOST_CACHE_CAPACITY": "20",
          "PYTORCH_NPU_ALLOC_CONF": "expandable_segments:True", "ASCEND_LAUNCH_BLOCKING": "0"}})";
  EXPECT_TRUE(check_environment(trace).empty());
  trace.session.profiler_metadata =
      R"({"ENV_VARIABLES": {"ASCEND_GLOBAL_LOG_LEVEL": "1", "HCCL_ALGO": "",
          "ACLNN_CACHE_LIMIT": "9999", "ASCEND_LAUNCH_BLOCKING": "1"}})";
  ASSERT_EQ(check_environment(trace).size(), 1u);
  EXPECT_EQ(check_environment(trace)[0].evidence.rows.size(), 3u);
}

TEST(Advisor, SequencesWithGapsCouldBeFused) {
  const auto trace_with = [](int repeats, std::int64_t gap_ns) {
    AdvisedTrace trace;
    std::int64_t now = 0;
    for (int i = 0; i < repeats; ++i) {
      for (const char* type : {"Mul", "Add", "Cast"}) {
        trace.kernel(now, 1000, type);
        now += 1000 + gap_ns;
      }
      trace.kernel(now, 1000, "Unique", "AI_CPU");  // Parts the sequences.
      now += 100'000;
    }
    return check_fusible_operators(*trace);
  };
  EXPECT_TRUE(trace_with(5, 9000).empty()) << "not often enough";
  EXPECT_TRUE(trace_with(6, 100).empty()) << "no gaps to speak of";
  const Findings findings = trace_with(6, 9000);
  ASSERT_EQ(findings.size(), 1u);
  ASSERT_EQ(findings[0].evidence.rows.size(), 1u);
  EXPECT_EQ(std::get<std::string>(findings[0].evidence.rows[0][0]), "Mul, Add, Cast");
  EXPECT_EQ(findings[0].gain_ns, 6 * 2 * 9000);
}

TEST(Advisor, CommunicationEndsASequenceAndIsNoGap) {
  const auto gain_with = [](bool communicates, int stream) {
    AdvisedTrace trace;
    std::int64_t now = 0;
    for (int i = 0; i < 8; ++i) {
      for (const char* type : {"Mul", "Add", "Cast"}) {
        trace.kernel(now, 1000, type);
        if (communicates && type[0] == 'A') {
          trace.collective(0, 1 << 20, format::host::HcclTransport::kSdma,
                           format::host::HcclLink::kHccs);
          trace->collective_ops().start_ns.back() = now + 2000;
          trace->collective_ops().end_ns.back() = now + 9000;
        }
        now += 10'000;
      }
      trace.kernel(now, 1000, "Unique", "AI_CPU");
      now += 100'000;
    }
    // Another stream computes in the first gap of each sequence.
    for (int i = 0; stream > 0 && i < 8; ++i) {
      trace.kernel(i * 130'000 + 1000, 8500, "Other", "AI_CPU");
      trace->tasks().stream.back() = static_cast<std::uint16_t>(stream);
    }
    const Findings findings = check_fusible_operators(*trace);
    return findings.empty() ? 0 : findings[0].gain_ns;
  };
  EXPECT_EQ(gain_with(false, 0), 8 * 2 * 9000);
  EXPECT_EQ(gain_with(false, 3), 8 * (9000 + 500)) << "idle is the device, not the stream";
  EXPECT_EQ(gain_with(true, 0), 0);
}

TEST(Advisor, KnowsFusedOperatorsForSequences) {
  AdvisedTrace trace;
  int now = 0;
  for (const char* name :
       {"aten::pow", "aten::mean", "aten::add", "aten::rsqrt", "aten::mul", "aten::relu",
        "aten::chunk", "aten::silu", "aten::mul", "aten::stack", "aten::linalg_vector_norm",
        "aten::add", "aten::reciprocal", "aten::mul", "aten::clamp", "Optimizer.step#AdamW.step",
        "Optimizer.step#NpuFusedSGD.step"}) {
    trace.op(now, 10, name);
    now += 20;
  }
  link::link_op_tree(*trace, link::ops_by_thread(trace->framework_ops()));
  const Findings findings = check_affinity_api(*trace);
  ASSERT_EQ(findings.size(), 1u);
  std::set<std::string> fused;
  for (const auto& row : findings[0].evidence.rows) fused.insert(std::get<std::string>(row[1]));
  EXPECT_EQ(fused, (std::set<std::string>{"clip_grad_norm_fused_ of a fused optimizer of torch_npu",
                                          "torch_npu.npu_rms_norm", "torch_npu.npu_swiglu",
                                          "torch_npu.optim.NpuFusedAdamW"}));
}

}  // namespace
}  // namespace npuprof::analyze
