#include "analyze/pipeline_operators.h"

#include <initializer_list>
#include <string_view>

#include <gmock/gmock.h>

#include "trace/framework/pipeline_ops.h"

namespace npuprof::analyze {
namespace {

using ::testing::HasSubstr;

void add_operator(trace::Trace& trace, std::string_view type, std::int64_t workers,
                  std::initializer_list<std::int64_t> queue,
                  std::initializer_list<std::int64_t> cpu) {
  trace::PipelineOps& ops = trace.pipeline_ops();
  const auto row = static_cast<std::uint32_t>(ops.size());
  ops.id.push_back(row);
  ops.type.push_back(trace.strings.intern(type));
  ops.workers.push_back(workers);
  ops.queue_length.push_back(queue.size() == 0 ? -1 : 16);
  ops.sample_interval_ms.push_back(20);
  ops.parent.push_back(row == 0 ? trace::kNone : row - 1);
  for (const std::int64_t size : queue) {
    trace.pipeline_queues().op.push_back(row);
    trace.pipeline_queues().items.push_back(size);
  }
  for (const std::int64_t percent : cpu) {
    trace.pipeline_cpus().op.push_back(row);
    trace.pipeline_cpus().user_percent.push_back(percent);
    trace.pipeline_cpus().system_percent.push_back(0);
  }
}

void add_batch(trace::Trace& trace, std::uint8_t kind, std::int64_t extra, std::int64_t batch,
               std::int64_t value, std::int64_t stamp_ms) {
  trace::PipelineBatches& batches = trace.pipeline_batches();
  batches.batch.push_back(batch);
  batches.kind.push_back(kind);
  batches.extra.push_back(extra);
  batches.value.push_back(value);
  batches.stamp_ms.push_back(stamp_ms);
  batches.is_device_queue.push_back(0);
}

// Batch takes from Map, which takes from Generator.
trace::Trace three_operators() {
  trace::Trace trace;
  add_operator(trace, "BatchOp", 2, {0, 0, 0, 1}, {10, 30});
  add_operator(trace, "MapOp", 2, {8, 8, 8, 8}, {160, 160});
  add_operator(trace, "GeneratorOp", 1, {16, 16, 16, 16}, {8, 0});
  const std::int64_t waits[] = {9, 14, 16};
  const std::int64_t stamps[] = {100, 114, 130};
  for (std::int64_t batch = 1; batch <= 3; ++batch) {
    add_batch(trace, 0, 0, batch, waits[batch - 1], stamps[batch - 1]);
    add_batch(trace, 0, 1, batch, 0, stamps[batch - 1]);
    add_batch(trace, 1, 16, batch, 0, stamps[batch - 1]);
  }
  return trace;
}

TEST(DataPipeline, MeasuresQueuesAndProcessors) {
  const trace::Trace trace = three_operators();
  const DataPipeline pipeline = data_pipeline(trace);
  ASSERT_EQ(pipeline.operators.size(), 3u);
  EXPECT_EQ(pipeline.operators[0].label, "Batch(id=0)");
  EXPECT_EQ(pipeline.operators[0].queue_average, 0.25);
  EXPECT_EQ(pipeline.operators[0].queue_used_percent, 1.56);
  EXPECT_EQ(pipeline.operators[0].queue_empty_percent, 75);
  EXPECT_EQ(pipeline.operators[1].queue_used_percent, 50);
  EXPECT_EQ(pipeline.operators[2].queue_used_percent, 100);
  EXPECT_EQ(pipeline.operators[0].cpu_percent, 20);
  EXPECT_EQ(pipeline.operators[1].cpu_percent_per_worker, 80);
  EXPECT_EQ(pipeline.operators[2].cpu_percent_per_worker, 4);
  EXPECT_EQ(pipeline.pipeline_ms, 15);
  EXPECT_EQ(pipeline.push_ms, 0);
  EXPECT_EQ(pipeline.batch_ms, 15);
}

TEST(DataPipeline, TheBusiestWorkersAreTheBottleneck) {
  const trace::Trace trace = three_operators();
  const DataPipeline pipeline = data_pipeline(trace);
  ASSERT_EQ(pipeline.bottleneck, 1u);
  EXPECT_THAT(pipeline.suggestion, HasSubstr("Map(id=1)"));
  ASSERT_FALSE(pipeline.cpu_findings.empty());
}

TEST(DataPipeline, AnEmptyQueueBeforeTheDeviceIsTold) {
  trace::Trace trace;
  add_operator(trace, "DataQueueOp", 1, {}, {1});
  add_operator(trace, "BatchOp", 1, {0, 0, 0, 1}, {30});
  const DataPipeline pipeline = data_pipeline(trace);
  ASSERT_EQ(pipeline.queue_findings.size(), 1u);
  EXPECT_THAT(pipeline.queue_findings[0], HasSubstr("75 %"));
}

TEST(DataPipeline, NothingIsKnownOfNothing) {
  EXPECT_TRUE(data_pipeline(trace::Trace()).empty());
  trace::Trace trace;
  add_operator(trace, "RepeatOp", 0, {}, {});
  const DataPipeline pipeline = data_pipeline(trace);
  EXPECT_EQ(pipeline.operators[0].queue_average, kUnknownMeasure);
  EXPECT_EQ(pipeline.batch_ms, kUnknownMeasure);
  EXPECT_EQ(pipeline.bottleneck, trace::kNone);
}

}  // namespace
}  // namespace npuprof::analyze
