#include "format/device/memory_samples.h"

#include <gtest/gtest.h>

#include "format/device/module_names.h"
#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::offset_of;

TEST(MemorySamples, RoundTripRandomValues) {
  expect_round_trip<HbmSample>();
  expect_round_trip<HbmSampleV2>();
  expect_round_trip<LlcSample>();
  expect_round_trip<LlcSampleV2>();
  expect_round_trip<DdrSample>();
  expect_round_trip<NpuMemorySample>();
  expect_round_trip<ModuleMemorySample>();
}

TEST(MemorySamples, HaveTheirFieldsAtTheDocumentedOffsets) {
  EXPECT_EQ(offset_of<HbmSample>("direction"), 16u);
  EXPECT_EQ(offset_of<HbmSampleV2>("direction"), 8u);
  EXPECT_EQ(offset_of<HbmSampleV2>("time_ns"), 24u);
  EXPECT_EQ(offset_of<LlcSample>("event"), 16u);
  EXPECT_EQ(offset_of<LlcSampleV2>("count"), 4u);
  EXPECT_EQ(offset_of<LlcSampleV2>("time_ns"), 16u);
  EXPECT_EQ(offset_of<DdrSample>("master_id"), 16u);
  EXPECT_EQ(offset_of<NpuMemorySample>("time_v2"), 8u);
  EXPECT_EQ(offset_of<NpuMemorySample>("hbm_bytes"), 24u);
  EXPECT_EQ(offset_of<ModuleMemorySample>("host_ticks"), 8u);
}

TEST(MemorySamples, DoNotTrustAModuleWithItsTopBitSet) {
  ModuleMemorySample sample{.reserved_bytes = 4096};
  EXPECT_EQ(sample.known_bytes(), 4096u);
  sample.reserved_bytes = ~std::uint64_t{0};
  EXPECT_EQ(sample.known_bytes(), std::nullopt);
}

TEST(ModuleNames, KnowsTheComponents) {
  EXPECT_EQ(module_name(0), "SLOG");
  EXPECT_EQ(module_name(kModuleHccl), "HCCL");
  EXPECT_EQ(module_name(kModuleRuntime), "RUNTIME");
  EXPECT_EQ(module_name(kModuleApp), "APP");
  EXPECT_EQ(module_name(77), "CUSTOM");
  EXPECT_EQ(module_name(2), "SCC") << "today's name";
  EXPECT_EQ(module_name(12), "MDCLOCATION") << "a name that is used no more";
  EXPECT_EQ(module_from_name("IDEDH"), 2u);
  EXPECT_EQ(module_from_name("AML"), 74u);
  EXPECT_EQ(module_name(78), "");
  for (const ModuleName& entry : module_names()) EXPECT_EQ(module_name(entry.id), entry.name);
}

}  // namespace
}  // namespace npuprof::format::device
