// Calls of the runtime that the tests of collections do not need.

#include <cstring>
#include <string>

#include "sim/cann/library.h"

namespace npuprof::sim::testing {
namespace {

TEST(CannRuntime, IsInitializedOnce) {
  EXPECT_EQ(CANN(aclInit)(nullptr), 0);
  EXPECT_EQ(CANN(aclInit)(nullptr), NPUPROF_ACL_REPEAT_INITIALIZE);
  EXPECT_EQ(CANN(aclFinalize)(), 0);
  EXPECT_EQ(CANN(aclFinalize)(), NPUPROF_ACL_UNINITIALIZE);
}

TEST(CannRuntime, TellsOfItsDevices) {
  std::uint32_t count = 0;
  ASSERT_EQ(CANN(aclrtGetDeviceCount)(&count), 0);
  ASSERT_GE(count, 2u);
  EXPECT_EQ(CANN(aclrtGetDeviceCount)(nullptr), NPUPROF_ACL_INVALID_PARAM);
  EXPECT_TRUE(std::string(CANN(aclrtGetSocName)()).starts_with("Ascend910"));
  int mode = -1;
  EXPECT_EQ(CANN(aclrtGetRunMode)(&mode), 0);
  EXPECT_EQ(mode, NPUPROF_ACL_RUN_MODE_HOST);

  ASSERT_EQ(CANN(aclrtSetDevice)(1), 0);
  std::int32_t device = -1;
  EXPECT_EQ(CANN(aclrtGetDevice)(&device), 0);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(CANN(aclrtSetDevice)(static_cast<std::int32_t>(count)), NPUPROF_ACL_RT_INVALID_DEVICE);
  EXPECT_EQ(CANN(MsprofNotifySetDevice)(0, 1, 1), 0);
  EXPECT_NE(CANN(MsprofNotifySetDevice)(0, count, 1), 0);
}

TEST(CannRuntime, ResettingADeviceTakesItsStreams) {
  ASSERT_EQ(CANN(aclrtSetDevice)(1), 0);
  aclrtStream stream = nullptr;
  ASSERT_EQ(CANN(aclrtCreateStream)(&stream), 0);
  EXPECT_EQ(CANN(aclrtResetDevice)(1), 0);
  EXPECT_NE(CANN(aclrtDestroyStream)(stream), 0);
  std::int32_t device = -1;
  EXPECT_EQ(CANN(aclrtGetDevice)(&device), NPUPROF_ACL_RT_CONTEXT_NULL);
  EXPECT_EQ(CANN(aclrtResetDevice)(1000), NPUPROF_ACL_RT_INVALID_DEVICE);
}

TEST(CannRuntime, EventsMeasureTheDevice) {
  ASSERT_EQ(CANN(aclrtSetDevice)(0), 0);
  aclrtStream stream = nullptr;
  aclrtEvent begin = nullptr;
  aclrtEvent end = nullptr;
  ASSERT_EQ(CANN(aclrtCreateStream)(&stream), 0);
  ASSERT_EQ(CANN(aclrtCreateEventWithFlag)(&begin, 8), 0);
  ASSERT_EQ(CANN(aclrtCreateEventWithFlag)(&end, 8), 0);
  float milliseconds = -1;
  EXPECT_NE(CANN(aclrtEventElapsedTime)(&milliseconds, begin, end), 0) << "not recorded yet";
  ASSERT_EQ(CANN(aclrtRecordEvent)(begin, stream), 0);
  ASSERT_EQ(launch(stream), 0);
  ASSERT_EQ(CANN(aclrtRecordEvent)(end, stream), 0);
  EXPECT_EQ(CANN(aclrtSynchronizeEvent)(end), 0);
  int status = -1;
  EXPECT_EQ(CANN(aclrtQueryEventStatus)(end, &status), 0);
  EXPECT_EQ(status, NPUPROF_ACL_EVENT_COMPLETE);
  EXPECT_EQ(CANN(aclrtEventElapsedTime)(&milliseconds, begin, end), 0);
  EXPECT_GT(milliseconds, 0.0f);
  EXPECT_EQ(CANN(aclrtSynchronizeStreamWithTimeout)(stream, -2), NPUPROF_ACL_RT_PARAM_INVALID);
  EXPECT_EQ(CANN(aclrtSynchronizeStreamWithTimeout)(stream, 10'000), 0);
  EXPECT_EQ(CANN(aclrtStreamQuery)(stream, &status), 0);
  EXPECT_EQ(status, NPUPROF_ACL_STREAM_COMPLETE);
  EXPECT_NE(CANN(aclrtStreamQuery)(&status, &status), 0) << "no stream";
  for (const aclrtEvent event : {begin, end}) EXPECT_EQ(CANN(aclrtDestroyEvent)(event), 0);
  EXPECT_EQ(CANN(aclrtDestroyStream)(stream), 0);
}

TEST(CannRuntime, MemoryIsCountedAndFilled) {
  ASSERT_EQ(CANN(aclrtSetDevice)(0), 0);
  std::size_t free_before = 0;
  std::size_t free_after = 0;
  std::size_t total = 0;
  ASSERT_EQ(CANN(aclrtGetMemInfo)(1, &free_before, &total), 0);
  void* memory = nullptr;
  void* pinned = nullptr;
  constexpr std::size_t kBytes = 1 << 20;
  ASSERT_EQ(CANN(aclrtMalloc)(&memory, kBytes, 0), 0);
  ASSERT_EQ(CANN(aclrtMallocHost)(&pinned, kBytes), 0);
  ASSERT_EQ(CANN(aclrtGetMemInfo)(1, &free_after, &total), 0);
  EXPECT_EQ(free_before - free_after, kBytes) << "memory of the host is none of the device's";
  EXPECT_LT(free_after, total);
  EXPECT_EQ(CANN(aclrtMemset)(memory, kBytes, 0x5A, kBytes), 0);
  EXPECT_NE(CANN(aclrtMemset)(memory, kBytes, 0, kBytes + 1), 0);
  EXPECT_EQ(CANN(aclrtMemcpy)(pinned, kBytes, memory, kBytes, NPUPROF_ACL_MEMCPY_DEFAULT), 0);
  EXPECT_EQ(static_cast<const unsigned char*>(pinned)[kBytes - 1], 0x5A);
  EXPECT_NE(CANN(aclrtFreeHost)(memory), 0) << "memory of the device";
  EXPECT_EQ(CANN(aclrtFreeHost)(pinned), 0);
  EXPECT_EQ(CANN(aclrtFree)(memory), 0);
}

}  // namespace
}  // namespace npuprof::sim::testing
