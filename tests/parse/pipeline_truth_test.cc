// Passes of a simulated pipeline, whose schedule is known: one forward, one backward.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/pipeline_messages.h"
#include "analyze/pipeline_passes.h"
#include "parse/simulated_run.h"
#include "trace/framework/steps.h"
#include "trace/linked/collective_ops.h"

namespace npuprof {
namespace {

using analyze::PassKind;
using analyze::PipelinePass;

constexpr std::uint32_t kMicroBatches = 5;

sim::JobOptions pipeline_job(std::uint32_t stages) {
  sim::JobOptions job = testing::small_training_job(1);
  job.ranks = stages;
  job.steps = 2;
  job.parallel = {.tensor = 1, .pipeline = stages, .data = 1};
  job.transformer.layers = stages;
  job.transformer.micro_batches = kMicroBatches;
  return job;
}

std::string short_name(const PipelinePass& pass) {
  return (pass.kind == PassKind::kForward ? "F" : "B") + std::to_string(pass.number);
}

// Of rank 0, which runs ahead of all others.
std::vector<std::string> schedule_of_first_stage(std::uint32_t stages) {
  std::vector<std::string> order;
  const std::uint32_t ahead = stages - 1;
  for (std::uint32_t i = 1; i <= ahead; ++i) order.push_back("F" + std::to_string(i));
  for (std::uint32_t i = ahead + 1; i <= kMicroBatches; ++i) {
    order.push_back("F" + std::to_string(i));
    order.push_back("B" + std::to_string(i - ahead));
  }
  for (std::uint32_t i = kMicroBatches - ahead + 1; i <= kMicroBatches; ++i)
    order.push_back("B" + std::to_string(i));
  return order;
}

class PipelineTruth : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(PipelineTruth, PassesFollowTheScheduleInEachStep) {
  const trace::Trace trace = testing::run_and_load(pipeline_job(GetParam()));
  const analyze::PipelinePasses found = analyze::pipeline_passes(trace);
  EXPECT_FALSE(found.are_marked);
  for (std::uint32_t step = 0; step < trace.steps().size(); ++step) {
    std::vector<std::string> order;
    for (const PipelinePass& pass : found.passes) {
      if (pass.step == step) order.push_back(short_name(pass));
    }
    EXPECT_EQ(order, schedule_of_first_stage(GetParam())) << "step " << step;
  }
  for (std::size_t i = 1; i < found.passes.size(); ++i) {
    EXPECT_GE(found.passes[i].start_ns, found.passes[i - 1].end_ns);
  }
  for (const PipelinePass& pass : found.passes) {
    EXPECT_GT(pass.computing_ns, 0);
    EXPECT_LE(pass.computing_ns, pass.end_ns - pass.start_ns);
  }
}

TEST_P(PipelineTruth, EachMicroBatchIsSentOnAndItsGradientComesBack) {
  const trace::Trace trace = testing::run_and_load(pipeline_job(GetParam()));
  const analyze::PipelinePasses found = analyze::pipeline_passes(trace);
  const auto messages = analyze::pipeline_messages(trace, found.transfers);
  std::size_t sent = 0;
  std::size_t received = 0;
  for (const analyze::PipelineMessage& message : messages) {
    EXPECT_EQ(message.own, 0U);
    EXPECT_EQ(message.peer, 1U);
    EXPECT_LE(message.start_ns, message.end_ns);
    EXPECT_EQ(message.bytes > 0, message.is_sent);
    ++(message.is_sent ? sent : received);
  }
  const std::size_t expected = GetParam() > 1 ? kMicroBatches * trace.steps().size() : 0;
  EXPECT_EQ(sent, expected);
  EXPECT_EQ(received, expected);
}

INSTANTIATE_TEST_SUITE_P(Stages, PipelineTruth, ::testing::Values(1U, 2U, 4U));

}  // namespace
}  // namespace npuprof
