#include "format/device/ts_track.h"
#include "format/host/msproftx.h"
#include "sim/cann/library.h"
#include "sim/prof/device_data.h"
#include "sim/prof/host_checklist.h"
#include "temporary_directory.h"

namespace npuprof::sim::testing {
namespace {

TEST(CannMarkers, KeepOneHandlePerDomain) {
  const mstxDomainHandle_t first = CANN(mstxDomainCreateA)("my domain");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(CANN(mstxDomainCreateA)("my domain"), first);
  EXPECT_NE(CANN(mstxDomainCreateA)("another"), first);
  for (const char* name : {"", "=a", "+a", "-a", "@a", "default"}) {
    EXPECT_EQ(CANN(mstxDomainCreateA)(name), nullptr) << name;
  }
  EXPECT_EQ(CANN(mstxDomainCreateA)(nullptr), nullptr);
  EXPECT_EQ(CANN(mstxDomainCreateA)(std::string(1024, 'x').c_str()), nullptr);
}

TEST(CannMarkers, ADestroyedDomainCanBeMadeAnew) {
  const mstxDomainHandle_t domain = CANN(mstxDomainCreateA)("short-lived");
  CANN(mstxDomainDestroy)(domain);
  CANN(mstxDomainDestroy)(nullptr);
  EXPECT_NE(CANN(mstxDomainCreateA)("short-lived"), nullptr);
}

TEST(CannMarkers, HandOutHandlesForMemory) {
  const mstxDomainHandle_t domain = CANN(mstxDomainCreateA)("memory");
  const int description = 0;
  EXPECT_EQ(CANN(mstxMemHeapRegister)(domain, nullptr), nullptr);
  const mstxMemHeapHandle_t heap = CANN(mstxMemHeapRegister)(domain, &description);
  ASSERT_NE(heap, nullptr);
  mstxMemRegionHandle_t regions[2] = {};
  const mstxMemRegionsRegisterBatch batch{.heap = heap,
                                          .region_type = 0,
                                          .region_count = 2,
                                          .region_descriptions = &description,
                                          .region_handles = regions};
  CANN(mstxMemRegionsRegister)(domain, &batch);
  EXPECT_TRUE(regions[0] != nullptr && regions[1] != nullptr && regions[0] != regions[1]);
  CANN(mstxMemRegionsRegister)(domain, nullptr);
  CANN(mstxMemRegionsUnregister)(domain, &batch);
  CANN(mstxMemHeapUnregister)(domain, heap);
}

TEST(CannMarkers, AreNothingWithoutACollection) {
  CANN(mstxMarkA)("lost", nullptr);
  EXPECT_EQ(CANN(mstxRangeStartA)("lost", nullptr), 0u);
}

TEST(CannMarkers, ReachHostAndDevice) {
  const npuprof::testing::TemporaryDirectory directory;
  ASSERT_EQ(CANN(aclrtSetDevice)(0), 0);
  const std::string long_message(400, 'm');
  const mstxDomainHandle_t domain = CANN(mstxDomainCreateA)("training");
  {
    const Profiled profiled(directory.path(), {0}, kLevel1 | NPUPROF_PROF_MSPROFTX);
    aclrtStream stream = nullptr;
    ASSERT_EQ(CANN(aclrtCreateStream)(&stream), 0);
    CANN(mstxMarkA)("on the host", nullptr);
    CANN(mstxMarkA)("=refused", nullptr);
    CANN(mstxDomainMarkA)(domain, long_message.c_str(), nullptr);
    const mstxRangeId range = CANN(mstxDomainRangeStartA)(domain, "step", stream);
    EXPECT_NE(range, 0u);
    EXPECT_EQ(launch(stream), 0);
    CANN(mstxDomainRangeEnd)(domain, range);
    EXPECT_EQ(CANN(aclprofMarkEx)("stamp", 5, stream), 0);
    EXPECT_EQ(CANN(aclprofMarkEx)("", 0, stream), 100000);
    EXPECT_EQ(CANN(aclrtSynchronizeStream)(stream), 0);
    EXPECT_EQ(CANN(aclrtDestroyStream)(stream), 0);
  }
  const auto prof = prof_directories(directory.path()).front();
  const Dictionaries dictionaries = dictionaries_of(prof / "host/data");
  std::map<std::uint64_t, int> segments;
  std::map<std::uint64_t, std::string> domains;
  for (const Msproftx& mark : records_of<Msproftx>(prof / "host/data")) {
    EXPECT_EQ(mark.segment, segments[mark.mark_id]++);
    domains[mark.mark_id] = dictionaries.strings.at(mark.domain);
  }
  ASSERT_EQ(segments.size(), 4u);
  auto segment = segments.begin();
  auto name = domains.begin();
  for (const auto& [count, expected] : std::vector<std::pair<int, std::string>>{
           {1, "default"}, {3, "training"}, {1, "training"}, {1, "default"}}) {
    EXPECT_EQ(segment++->second, count);
    EXPECT_EQ(name++->second, expected);
  }
  EXPECT_TRUE(read_device_data(prof / "device_0/data").contains("ts_track.data"));
}

TEST(CannMarkers, CanBeCollectedWithoutADevice) {
  const npuprof::testing::TemporaryDirectory directory;
  {
    const Profiled profiled(directory.path(), {}, NPUPROF_PROF_MSPROFTX);
    const mstxRangeId range = CANN(mstxRangeStartA)("alone", nullptr);
    CANN(mstxRangeEnd)(range);
  }
  const auto prof = prof_directories(directory.path()).front();
  EXPECT_EQ(records_of<Msproftx>(prof / "host/data").size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(prof / "device_0"));
}

}  // namespace
}  // namespace npuprof::sim::testing
