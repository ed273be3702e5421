#include "analyze/pipeline_passes.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/module_trace.h"
#include "analyze/pipeline_messages.h"
#include "trace/framework/steps.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/overlap_intervals.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

class PipelineTrace : public testing::ModuleTrace {
 public:
  void step(std::int64_t id, std::int64_t start_ns, std::int64_t end_ns) {
    auto& steps = (*this)->steps();
    resize_rows(steps, steps.size() + 1);
    steps.id.back() = id;
    steps.host_start_ns.back() = steps.device_start_ns.back() = start_ns;
    steps.host_end_ns.back() = steps.device_end_ns.back() = end_ns;
    steps.has_kernels.back() = 1;
  }
  // Begins on the device when it is launched.
  std::uint32_t launched(std::string_view name, std::int64_t launch_ns, std::int64_t kernel_ns,
                         std::uint32_t tid = 1, std::uint32_t parent = kNone) {
    const std::uint32_t row = op(name, launch_ns, launch_ns + 1, tid, parent);
    kernel(row, "k", launch_ns, launch_ns + kernel_ns);
    (*this)->tasks().launch_ns.back() = launch_ns;
    auto& busy = (*this)->overlap_intervals();
    resize_rows(busy, busy.size() + 1);
    busy.start_ns.back() = launch_ns;
    busy.end_ns.back() = launch_ns + kernel_ns;
    busy.kind.back() = static_cast<std::uint8_t>(trace::OverlapKind::kComputing);
    return row;
  }
  std::uint32_t transfer(std::string_view type, std::int64_t start_ns, std::int64_t end_ns,
                         std::string_view group = "1") {
    auto& ops = (*this)->collective_ops();
    resize_rows(ops, ops.size() + 1);
    ops.type.back() = (*this)->strings.intern(type);
    ops.group.back() = (*this)->strings.intern(group);
    ops.start_ns.back() = start_ns;
    ops.end_ns.back() = end_ns;
    ops.api.back() = kNone;
    return static_cast<std::uint32_t>(ops.size() - 1);
  }
  void part(std::uint32_t op, std::string_view name, std::uint32_t plane, std::uint32_t own,
            std::uint32_t peer, std::int64_t start_ns, std::int64_t end_ns,
            std::uint64_t bytes = 0) {
    auto& parts = (*this)->collective_tasks();
    resize_rows(parts, parts.size() + 1);
    parts.op.back() = op;
    parts.name.back() = (*this)->strings.intern(name);
    parts.plane.back() = plane;
    parts.source_rank.back() = own;
    parts.destination_rank.back() = peer;
    parts.start_ns.back() = start_ns;
    parts.end_ns.back() = end_ns;
    parts.size_bytes.back() = bytes;
  }
  void on_stream(std::string_view message, std::int64_t start_ns, std::int64_t end_ns,
                 std::string_view domain = "default") {
    mark(domain, message, start_ns - 5, end_ns - 5);
    auto& seen = (*this)->device_marks();
    resize_rows(seen, seen.size() + 1);
    seen.mark.back() = static_cast<std::uint32_t>((*this)->marks().size() - 1);
    seen.start_ns.back() = start_ns;
    seen.end_ns.back() = end_ns;
  }
};

std::vector<std::string> pass_texts(const PipelinePasses& found) {
  std::vector<std::string> texts;
  for (const PipelinePass& pass : found.passes) {
    texts.push_back(std::string(pass_kind_name(pass.kind)) + " " + std::to_string(pass.number) +
                    " " + std::to_string(pass.start_ns) + "-" + std::to_string(pass.end_ns));
  }
  return texts;
}

using PassTexts = std::vector<std::string>;

TEST(PipelinePasses, EndWhereTheOtherSideBeginsOrSomethingIsSent) {
  PipelineTrace trace;
  trace.step(7, 0, 1000);
  const auto first = trace.launched("linear", 100, 10);
  trace.launched("view", 112, 5);  // No gradient: neither side, and no end of one.
  const auto second = trace.launched("linear", 120, 10);
  trace.transfer("hcom_send_", 130, 140);
  const auto third = trace.launched("linear", 150, 10);
  trace.pair(second, trace.launched("LinearBackward", 200, 20, 2));
  trace.pair(first, trace.launched("LinearBackward", 220, 20, 2));
  trace.pair(third, trace.launched("LinearBackward", 250, 20, 2));
  const PipelinePasses found = pipeline_passes(*trace);
  // Nothing tells the two passes backward apart, and most of theirs is of the first one.
  EXPECT_EQ(pass_texts(found),
            (PassTexts{"forward 1 100-130", "forward 2 150-160", "backward 1 200-270"}));
  EXPECT_EQ(found.passes[0].computing_ns, 25);
  EXPECT_EQ(found.passes[0].step, 0U);
  EXPECT_EQ(found.transfers, (std::vector<std::uint32_t>{0}));
}

TEST(PipelinePasses, GoBackwardInAnyOrder) {
  PipelineTrace trace;
  const auto first = trace.launched("linear", 100, 10);
  trace.transfer("hcom_send_", 110, 115);
  const auto second = trace.launched("linear", 120, 10);
  trace.transfer("hcom_batchSendRecv_", 130, 140);
  trace.pair(second, trace.launched("LinearBackward", 200, 20, 2));
  trace.transfer("hcom_send_", 220, 230);
  trace.pair(first, trace.launched("LinearBackward", 240, 20, 2));
  const PipelinePasses found = pipeline_passes(*trace);
  EXPECT_EQ(pass_texts(found), (PassTexts{"forward 1 100-110", "forward 2 120-130",
                                          "backward 2 200-220", "backward 1 240-260"}));
  EXPECT_EQ(found.passes[0].step, kNone);
}

// With checkpoints the forward pass runs once more, inside an operator of the backward pass.
TEST(PipelinePasses, HaveWhatIsComputedAgainInTheBackwardPass) {
  PipelineTrace trace;
  const auto forward = trace.launched("CheckpointFunction", 100, 10);
  const auto backward = trace.op("CheckpointFunctionBackward", 200, 300, 2);
  trace.pair(forward, backward);
  const auto again = trace.launched("linear", 210, 10, 2, backward);
  trace.pair(again, trace.launched("LinearBackward", 230, 10, 2, backward));
  EXPECT_EQ(pass_texts(pipeline_passes(*trace)),
            (PassTexts{"forward 1 100-110", "backward 1 210-240"}));
}

TEST(PipelinePasses, AreEndedByTransfersOfTheirPipelineAlone) {
  PipelineTrace trace;
  trace->session.profiler_metadata = R"({"parallel_group_info": {
      "ring": {"group_name": "cp", "group_rank": 0, "global_ranks": [0, 1]},
      "line": {"group_name": "pp", "group_rank": 0, "global_ranks": [0, 2]}}})";
  for (const char* group : {"ring", "line"}) {
    const auto row = trace.transfer("hcom_batchSendRecv_", 50, 60, group);
    trace->collective_ops().group_name[row] = trace->strings.intern(group);
  }
  const auto first = trace.launched("linear", 100, 10);
  const auto row = trace.transfer("hcom_batchSendRecv_", 112, 115, "ring");
  trace->collective_ops().group_name[row] = trace->strings.intern("ring");
  trace.launched("linear", 120, 10);
  trace.pair(first + 1, trace.launched("LinearBackward", 200, 20, 2));
  trace.pair(first, trace.launched("LinearBackward", 230, 20, 2));
  const PipelinePasses found = pipeline_passes(*trace);
  EXPECT_EQ(pass_texts(found), (PassTexts{"forward 1 100-130", "backward 1 200-250"}));
  EXPECT_EQ(found.transfers, (std::vector<std::uint32_t>{1}));
}

TEST(PipelinePasses, AreWhatTheProgramMarkedOnItsStream) {
  PipelineTrace trace;
  trace.step(1, 0, 400);
  trace.step(2, 400, 900);
  trace.on_stream("Forward_step", 100, 200);
  trace.on_stream("forward attention", 120, 150);  // A part of that.
  trace.on_stream("forward", 100, 900, "Module");
  trace.on_stream("forward_step", 210, 260);
  trace.on_stream("backward_step", 260, 300);
  trace.on_stream("WeightGradStore_pop", 310, 320);
  trace.on_stream("forward_backward", 330, 340);  // Neither.
  trace.on_stream("forward_step", 400, 450);
  trace.on_stream("backward_step", 460, 470);
  const auto op = trace.launched("linear", 100, 10);
  trace.pair(op, trace.launched("LinearBackward", 600, 20, 2));
  const PipelinePasses found = pipeline_passes(*trace);
  EXPECT_TRUE(found.are_marked);
  EXPECT_EQ(pass_texts(found),
            (PassTexts{"forward 1 100-200", "forward 2 210-260", "backward 1 260-300",
                       "weight 1 310-320", "forward 1 400-450", "backward 1 460-470"}));
}

TEST(PipelinePasses, AreToldByOperatorsIfOneDirectionAloneIsMarked) {
  PipelineTrace trace;
  trace.on_stream("load_forward_cache", 50, 60);
  const auto op = trace.launched("linear", 100, 10);
  trace.pair(op, trace.launched("LinearBackward", 200, 20, 2));
  const PipelinePasses found = pipeline_passes(*trace);
  EXPECT_FALSE(found.are_marked);
  EXPECT_EQ(pass_texts(found), (PassTexts{"forward 1 100-110", "backward 1 200-220"}));
}

TEST(PipelinePasses, AreNoneWhereNothingTells) {
  PipelineTrace trace;
  trace.launched("linear", 100, 10);
  EXPECT_TRUE(pipeline_passes(*trace).passes.empty());
  EXPECT_TRUE(pipeline_passes(trace::Trace()).passes.empty());
}

TEST(PipelineMessages, SayWhichSideOfABatchSends) {
  PipelineTrace trace;
  const auto send = trace.transfer("hcom_send_", 0, 30);
  trace.part(send, "Notify_Wait", 0, 1, 2, 0, 10);
  trace.part(send, "Memcpy", 0, 1, 2, 10, 29, 64);
  trace.part(send, "Notify_Record", 0, 1, 2, 29, 30);
  const auto batch = trace.transfer("hcom_batchSendRecv_", 40, 90);
  trace.part(batch, "Notify_Wait", 0, 1, 1, 40, 90);  // With itself.
  trace.part(batch, "Notify_Wait", 1, 1, 0, 40, 60);
  trace.part(batch, "Memcpy", 1, 1, 0, 60, 80, 32);
  trace.part(batch, "Notify_Wait", 2, 1, 2, 41, 85);
  const auto receive = trace.transfer("hcom_receive_", 95, 99);
  trace.part(receive, "Memcpy", 0, 1, 0, 96, 99, 16);  // The receiver fetches it.
  const std::vector<std::uint32_t> all{send, batch, receive};
  std::vector<std::string> texts;
  for (const PipelineMessage& message : pipeline_messages(*trace, all)) {
    texts.push_back(std::to_string(message.own) + (message.is_sent ? ">" : "<") +
                    std::to_string(message.peer) + " " + std::to_string(message.start_ns) + "-" +
                    std::to_string(message.end_ns) + " " + std::to_string(message.bytes));
  }
  EXPECT_EQ(texts, (PassTexts{"1>2 10-30 64", "1>0 60-80 32", "1<2 41-85 0", "1<0 96-99 16"}));
}

}  // namespace
}  // namespace npuprof::analyze
