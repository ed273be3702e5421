#include "analyze/memory_timeline.h"

#include <map>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/training_trace.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/parameter_tensors.h"

namespace npuprof::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TrainingTrace;
using Category = MemoryCategory;

constexpr MemoryDevice kNpu{20, 0};

// The category of each block, which its size tells; all versions must agree.
std::map<std::int64_t, Category> categories(const MemoryChanges& changes) {
  std::map<std::int64_t, Category> found;
  for (std::size_t row = 0; row < changes.size(); ++row) {
    const auto [place, is_new] = found.emplace(std::abs(changes.bytes[row]), changes.category[row]);
    EXPECT_EQ(place->second, changes.category[row]) << changes.bytes[row];
  }
  return found;
}

using Change = std::tuple<std::int64_t, MemoryAction, std::int64_t>;
std::vector<Change> changes_of(const MemoryChanges& changes, std::int64_t bytes) {
  std::vector<Change> found;
  for (std::size_t row = 0; row < changes.size(); ++row) {
    if (std::abs(changes.bytes[row]) != bytes) continue;
    const bool is_old = changes.time_ns[row] == kBeforeProfile;
    found.emplace_back(is_old ? -1 : changes.time_ns[row] / 1000, changes.action[row],
                       changes.bytes[row]);
  }
  return found;
}

TEST(MemoryTimelineTest, EveryBlockIsForWhatTheProgramUsesItFor) {
  TrainingTrace trace;
  trace.name_parameters();
  trace.run_step();
  trace.link();
  const std::map<std::int64_t, Category> expected{
      {testing::kParameter, Category::kParameter},
      {testing::kMomentum, Category::kOptimizerState},
      {testing::kData, Category::kInput},
      {testing::kScratch, Category::kTemporary},
      {testing::kHidden, Category::kActivation},
      {testing::kLoss, Category::kActivation},
      {testing::kLossGradient, Category::kAutogradDetail},
      {testing::kParameterGradient, Category::kGradient},
      {testing::kPlain, Category::kUnknown}};
  EXPECT_EQ(categories(memory_changes(*trace, kNpu)), expected);
}

TEST(MemoryTimelineTest, ParametersAreFoundWithoutTheirNames) {
  TrainingTrace trace;
  trace.run_step();
  trace.link();
  auto found = categories(memory_changes(*trace, kNpu));
  EXPECT_EQ(found[testing::kParameter], Category::kParameter);
  EXPECT_EQ(found[testing::kData], Category::kInput);
  EXPECT_EQ(found[testing::kHidden], Category::kActivation);
  EXPECT_EQ(found[testing::kParameterGradient], Category::kGradient);
  EXPECT_EQ(found[testing::kMomentum], Category::kUnknown) << "only the optimizer can tell";
}

TEST(MemoryTimelineTest, WhatProgramsNameIsComplete) {
  TrainingTrace trace;
  trace.name_parameters();
  trace.run_step();
  // Reads the optimizer's state and changes the parameter, as the square root in Adam.
  trace.op(TrainingTrace::kMain, 90, 95, "aten::sqrt", {testing::kMomentum});
  trace.allocate(91, testing::kScratch);
  trace.op(TrainingTrace::kMain, 96, 97, "aten::addcdiv_",
           {testing::kParameter, testing::kScratch});
  trace.op(TrainingTrace::kMain, 98, 99, "aten::linear", {testing::kData, testing::kParameter});
  trace.link();
  const MemoryChanges changes = memory_changes(*trace, kNpu);
  EXPECT_EQ(changes.category.back(), Category::kParameter);
  for (std::size_t row = 0; row < changes.size(); ++row) {
    if (changes.bytes[row] != testing::kScratch || changes.time_ns[row] < 90'000) continue;
    EXPECT_EQ(changes.category[row], Category::kUnknown);
  }
}

TEST(MemoryTimelineTest, TensorsFromBeforeAreAsLargeAsTheyReach) {
  const auto size_of = [](const std::string& sizes, const std::string& strides) {
    TrainingTrace trace;
    trace.op(TrainingTrace::kMain, 1, 2, "aten::op", {testing::kData});
    trace->framework_ops().input_tensors[0] =
        trace->strings.intern("0x1;0x40;float;4;" + sizes + ";" + strides + ";20;0");
    trace.link();
    const MemoryChanges changes = memory_changes(*trace, kNpu);
    return changes.size() == 1 ? changes.bytes.front() : -1;
  };
  EXPECT_EQ(size_of("8,16", "16,1"), 4 * 8 * 16);
  EXPECT_EQ(size_of("", ""), 4);
  EXPECT_EQ(size_of("128,16", "0,1"), 4 * 16) << "expanded";
  EXPECT_EQ(size_of("16,8", "1,16"), 4 * 8 * 16) << "transposed";
  EXPECT_EQ(size_of("0,8", "8,1"), 0);
  EXPECT_EQ(size_of("9223372036854775807,9", "9223372036854775807,1"), 0);
  EXPECT_EQ(size_of("8", "x"), 0);
}

TEST(MemoryTimelineTest, WithoutGradientsNothingIsAnInput) {
  TrainingTrace trace;
  trace.allocate(1, testing::kData);
  trace.op(TrainingTrace::kMain, 2, 6, "aten::relu", {testing::kData});
  trace.allocate(3, testing::kHidden);
  trace.link();
  for (const auto& [bytes, category] : categories(memory_changes(*trace, kNpu))) {
    EXPECT_EQ(category, Category::kUnknown) << bytes;
  }
}

TEST(MemoryTimelineTest, ChangesHaveTheirTimesAndActions) {
  TrainingTrace trace;
  trace.name_parameters();
  trace.run_step();
  trace.link();
  const MemoryChanges changes = memory_changes(*trace, kNpu);
  using enum MemoryAction;
  EXPECT_THAT(changes_of(changes, 16),
              ElementsAre(Change{-1, kPreexisting, 16}, Change{73, kIncrementVersion, -16},
                          Change{73, kIncrementVersion, 16}));
  EXPECT_THAT(changes_of(changes, 128),
              ElementsAre(Change{22, kCreate, 128}, Change{25, kDestroy, -128}));
  EXPECT_THAT(changes_of(changes, 64),
              ElementsAre(Change{11, kCreate, 64}, Change{13, kIncrementVersion, -64},
                          Change{13, kIncrementVersion, 64}, Change{80, kDestroy, -64}));
  EXPECT_TRUE(std::is_sorted(changes.time_ns.begin(), changes.time_ns.end()));
}

TEST(MemoryTimelineTest, TotalsFollowTheChanges) {
  TrainingTrace trace;
  trace.name_parameters();
  trace.run_step();
  trace.link();
  const MemoryTimeline timeline = memory_timeline(memory_changes(*trace, kNpu));
  ASSERT_GT(timeline.size(), 5u);
  EXPECT_TRUE(std::adjacent_find(timeline.time_us.begin(), timeline.time_us.end(),
                                 std::greater_equal<>()) == timeline.time_us.end());
  EXPECT_EQ(timeline.time_us.front(), 5);
  EXPECT_EQ(timeline.bytes.front(), (CategoryBytes{16, 32, 0, 0, 0, 0, 0, 4096}));
  EXPECT_EQ(timeline.time_us.back(), 80);
  EXPECT_EQ(timeline.bytes.back(), (CategoryBytes{16, 32, 0, 0, 0, 2048, 0, 4096}));
}

TEST(MemoryTimelineTest, WorkspaceIsCountedOnceWhileItIsReserved) {
  TrainingTrace trace;
  constexpr std::uint8_t kWorkspace = 1;
  trace.allocate(1, 512, 1, kWorkspace);  // Reserved,
  trace.allocate(2, 512, 1, kWorkspace);  // used,
  trace.free(3, 512, 1, kWorkspace);      // not used,
  trace.free(9, 512, 1, kWorkspace);      // given back.
  using enum MemoryAction;
  EXPECT_THAT(changes_of(memory_changes(*trace, kNpu), 512),
              ElementsAre(Change{1, kCreate, 512}, Change{9, kDestroy, -512}));
}

TEST(MemoryTimelineTest, EventsThatWereNotSeen) {
  TrainingTrace trace;
  trace.free(3, 256);      // Was there before.
  trace.allocate(4, 128);  // Its release is lost.
  trace.memory(0, 6, 128, 64, 1, 0);
  trace.memory(2, 7, 128, -64, 1, 0);  // Back in the pool: no change.
  trace.memory(0, 8, 999, 0, 1, 0);
  using enum MemoryAction;
  const MemoryChanges changes = memory_changes(*trace, kNpu);
  EXPECT_THAT(changes_of(changes, 256),
              ElementsAre(Change{-1, kPreexisting, 256}, Change{3, kDestroy, -256}));
  EXPECT_THAT(changes_of(changes, 128),
              ElementsAre(Change{4, kCreate, 128}, Change{6, kDestroy, -128}));
  EXPECT_THAT(changes_of(changes, 64), ElementsAre(Change{6, kCreate, 64}));
  EXPECT_EQ(changes.size(), 5u);
}

TEST(MemoryTimelineTest, DevicesAreKeptApart) {
  TrainingTrace trace;
  trace.allocate(1, 512);
  trace.allocate(2, 512);
  trace->memory_events().device_type[1] = 0;
  trace->memory_events().device_index[1] = 0;
  trace->memory_events().total_allocated_bytes[1] = 7;
  EXPECT_THAT(memory_devices(*trace), ElementsAre(MemoryDevice{0, -1}, kNpu));
  EXPECT_EQ(memory_changes(*trace, kNpu).size(), 1u);
  EXPECT_EQ(memory_changes(*trace, MemoryDevice{0, -1}).size(), 1u);
  EXPECT_THAT(memory_changes(*trace, MemoryDevice{20, 3}).time_ns, IsEmpty());
  EXPECT_EQ(memory_peaks(*trace, MemoryDevice{0, -1}).allocated_bytes, 7);
  EXPECT_EQ(memory_peaks(*trace, kNpu).allocated_bytes, 0);
}

TEST(MemoryTimelineTest, DamagedTextsAreLeftOut) {
  TrainingTrace trace;
  trace.run_step();
  auto& ops = trace->framework_ops();
  for (std::size_t row = 0; row < ops.size(); row += 2) {
    ops.input_tensors[row] = trace->strings.intern("0x1;;;)x;0xzz;float;4;9999999999999999999,9");
  }
  trace->parameter_tensors().key.push_back(5);
  trace->parameter_tensors().is_optimizer.push_back(1);
  trace->parameter_tensors().text.push_back(trace->strings.intern("}}))>]"));
  trace.link();
  EXPECT_GT(memory_changes(*trace, kNpu).size(), 0u);
}

}  // namespace
}  // namespace npuprof::analyze
