#include <algorithm>
#include <cstring>
#include <map>

#include "base/file.h"
#include "format/device/ffts_profile.h"
#include "format/device/stars_soc.h"
#include "format/device/ts_track.h"
#include "sim/cann/library.h"
#include "sim/prof/device_data.h"
#include "sim/prof/host_checklist.h"
#include "temporary_directory.h"

namespace npuprof::sim::testing {
namespace {

TEST(CannLibrary, HasAllFunctionsUnderTheVendorsNames) {
  const std::map<std::string, std::vector<const char*>> functions = {
      {"ascendcl",
       {"aclInit",
        "aclFinalize",
        "aclrtSetDevice",
        "aclrtGetDevice",
        "aclrtResetDevice",
        "aclrtGetDeviceCount",
        "aclrtGetSocName",
        "aclrtGetRunMode",
        "aclrtCreateStream",
        "aclrtCreateStreamWithConfig",
        "aclrtDestroyStream",
        "aclrtSynchronizeStream",
        "aclrtSynchronizeStreamWithTimeout",
        "aclrtSynchronizeDevice",
        "aclrtStreamQuery",
        "aclrtCreateEvent",
        "aclrtCreateEventWithFlag",
        "aclrtDestroyEvent",
        "aclrtRecordEvent",
        "aclrtStreamWaitEvent",
        "aclrtQueryEventStatus",
        "aclrtSynchronizeEvent",
        "aclrtEventElapsedTime",
        "aclrtMalloc",
        "aclrtFree",
        "aclrtMallocHost",
        "aclrtFreeHost",
        "aclrtMemcpy",
        "aclrtMemcpyAsync",
        "aclrtMemset",
        "aclrtMemsetAsync",
        "aclrtGetMemInfo",
        "aclprofInit",
        "aclprofStart",
        "aclprofStop",
        "aclprofFinalize",
        "aclprofCreateConfig",
        "aclprofDestroyConfig",
        "aclprofCreateStepInfo",
        "aclprofGetStepTimestamp",
        "aclprofDestroyStepInfo",
        "npusimLaunchKernel",
        "npusimIsSimulated"}},
      {"msprofiler",
       {"aclprofWarmup", "aclprofSetConfig", "aclprofGetSupportedFeatures",
        "aclprofGetSupportedFeaturesV2", "aclprofRegisterDeviceCallback", "aclprofMarkEx"}},
      {"profapi",
       {"MsprofInit", "MsprofFinalize", "MsprofRegisterCallback", "MsprofReportApi",
        "MsprofReportEvent", "MsprofReportCompactInfo", "MsprofReportAdditionalInfo",
        "MsprofReportBatchAdditionalInfo", "MsprofRegTypeInfo", "MsprofGetHashId", "MsprofStr2Id",
        "MsprofId2Str", "MsprofSysCycleTime", "MsprofNotifySetDevice", "ProfRegisterMstxFunc",
        "ProfEnableMstxFunc"}},
      {"ms_tools_ext",
       {"mstxMarkA", "mstxRangeStartA", "mstxRangeEnd", "mstxDomainCreateA", "mstxDomainDestroy",
        "mstxDomainMarkA", "mstxDomainRangeStartA", "mstxDomainRangeEnd", "mstxMemHeapRegister",
        "mstxMemHeapUnregister", "mstxMemRegionsRegister", "mstxMemRegionsUnregister"}},
      {"hccl",
       {"HcclGetRootInfo", "HcclCommInitRootInfo", "HcclCommInitAll", "HcclCommDestroy",
        "HcclGetRankSize", "HcclGetRankId", "HcclGetCommName", "HcclAllReduce", "HcclBroadcast",
        "HcclReduce", "HcclAllGather", "HcclReduceScatter", "HcclScatter", "HcclAlltoAll",
        "HcclAlltoAllV", "HcclSend", "HcclRecv", "HcclBarrier", "HcclBatchSendRecv"}},
      {"ascend_hal", {"halGetDeviceInfo", "halGetAPIVersion"}},
      {"ascend_dump", {"aclopStartDumpArgs", "aclopStopDumpArgs"}},
  };
  for (const auto& [library, names] : functions) {
    void* const handle = open_library(library);
    ASSERT_NE(handle, nullptr) << ::dlerror();
    for (const char* name : names) EXPECT_NE(::dlsym(handle, name), nullptr) << name;
    // What the library is made of stays inside.
    EXPECT_EQ(::dlsym(handle, "_ZN7npuprof9read_fileERKNSt10filesystem7__cxx114pathE"), nullptr);
  }
}

TEST(CannLibrary, CounterAgreesWithTheDriver) {
  std::int64_t khz = 0;
  EXPECT_EQ(CANN(halGetDeviceInfo)(0, 0, 24, &khz), 0);
  EXPECT_EQ(khz, 100'000);
  EXPECT_NE(CANN(halGetDeviceInfo)(0, 0, 23, &khz), 0);
  int version = 0;
  EXPECT_EQ(CANN(halGetAPIVersion)(&version), 0);
  EXPECT_GE(version, 0x071905);
  const std::uint64_t first = CANN(MsprofSysCycleTime)();
  EXPECT_GE(CANN(MsprofSysCycleTime)(), first);
}

class CannProfiling : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(CANN(aclrtSetDevice)(0), 0); }

  aclError init() { return CANN(aclprofInit)(path().c_str(), path().native().size()); }
  const std::filesystem::path& path() const { return directory_.path(); }
  static aclprofConfig* config(std::uint64_t bits, std::vector<std::uint32_t> devices = {0}) {
    return CANN(aclprofCreateConfig)(devices.data(), static_cast<std::uint32_t>(devices.size()),
                                     NPUPROF_AICORE_PIPE_UTILIZATION, nullptr, bits);
  }

  npuprof::testing::TemporaryDirectory directory_;
};

TEST_F(CannProfiling, FollowsItsStates) {
  EXPECT_EQ(CANN(aclprofFinalize)(), 0);
  EXPECT_EQ(CANN(aclprofInit)(nullptr, 3), 100000);
  EXPECT_EQ(CANN(aclprofInit)("/tmp", 3), 100000);
  ASSERT_EQ(init(), 0);
  EXPECT_EQ(init(), 100002);
  aclprofConfig* const level1 = config(kLevel1);
  aclprofConfig* const level0 = config(kLevel0);
  aclprofConfig* const unknown = config(kLevel0 | 1ull << 60);
  ASSERT_TRUE(level1 != nullptr && level0 != nullptr && unknown != nullptr);
  EXPECT_EQ(CANN(aclprofStart)(nullptr), 100000);
  EXPECT_EQ(CANN(aclprofStart)(unknown), 200007);
  EXPECT_EQ(CANN(aclprofStop)(level1), 100043);
  EXPECT_EQ(CANN(aclprofWarmup)(level1), 0);
  EXPECT_TRUE(prof_directories(path()).empty());
  EXPECT_EQ(CANN(aclprofStart)(level1), 0);
  EXPECT_EQ(CANN(aclprofRegisterDeviceCallback)(), 0);
  EXPECT_EQ(prof_directories(path()).size(), 1u);
  EXPECT_EQ(CANN(aclprofStart)(level1), 0) << "the same once more is only checked";
  EXPECT_EQ(CANN(aclprofStart)(level0), 100042);
  EXPECT_EQ(CANN(aclprofSetConfig)(NPUPROF_CONFIG_IO_FREQUENCY, "50", 2), 100042);
  EXPECT_EQ(CANN(aclprofStop)(level0), 100000);
  EXPECT_EQ(CANN(aclprofStop)(level1), 0);
  EXPECT_EQ(CANN(aclprofStop)(level1), 100043);
  for (aclprofConfig* const one : {level1, level0, unknown}) {
    EXPECT_EQ(CANN(aclprofDestroyConfig)(one), 0);
    EXPECT_EQ(CANN(aclprofDestroyConfig)(one), 100000);
  }
  EXPECT_EQ(CANN(aclprofDestroyConfig)(nullptr), 100000);
  EXPECT_EQ(CANN(aclprofFinalize)(), 0);
}

TEST_F(CannProfiling, RefusesWrongConfigurations) {
  EXPECT_EQ(config(kLevel1, {}), nullptr) << "without devices only marks can be collected";
  EXPECT_EQ(config(kLevel1, {0, 0}), nullptr);
  EXPECT_EQ(config(kLevel1, {1000}), nullptr);
  const int events = 0;
  std::uint32_t device = 0;
  EXPECT_EQ(CANN(aclprofCreateConfig)(&device, 1, 1, &events, kLevel1), nullptr);
  const auto set = [](int type, const char* value) {
    return CANN(aclprofSetConfig)(type, value, std::strlen(value));
  };
  EXPECT_EQ(set(0, "1"), 100000);
  EXPECT_EQ(set(17, "1"), 100000);
  EXPECT_EQ(set(NPUPROF_CONFIG_IO_FREQUENCY, "101"), 100000);
  EXPECT_EQ(set(NPUPROF_CONFIG_HOST_SYS, "cpu,tea"), 100000);
  EXPECT_EQ(set(NPUPROF_CONFIG_STORAGE_LIMIT, "100MB"), 100000);
  EXPECT_EQ(set(NPUPROF_CONFIG_STORAGE_LIMIT, "200MB"), 0);
  EXPECT_EQ(CANN(aclprofSetConfig)(NPUPROF_CONFIG_IO_FREQUENCY, "50", 1), 100000);
}

TEST_F(CannProfiling, SaysWhenItCannotWrite) {
  ASSERT_TRUE(write_file(path() / "file", "in the way").ok());
  const std::string blocked = path() / "file" / "below";
  ASSERT_EQ(CANN(aclprofInit)(blocked.c_str(), blocked.size()), 0);
  aclprofConfig* const level1 = config(kLevel1);
  EXPECT_EQ(CANN(aclprofStart)(level1), 500005);
  EXPECT_EQ(launch(nullptr), 0);
  EXPECT_EQ(CANN(aclprofDestroyConfig)(level1), 0);
  EXPECT_EQ(CANN(aclprofFinalize)(), 0);
}

TEST_F(CannProfiling, ListsFeaturesInRecordsOf272Bytes) {
  std::size_t count = 0;
  void* features = nullptr;
  ASSERT_EQ(CANN(aclprofGetSupportedFeaturesV2)(&count, &features), 0);
  ASSERT_EQ(count, 3u);
  const char* const first = static_cast<const char*>(features);
  EXPECT_STREQ(first + 8, "ATTR");
  EXPECT_STREQ(first + 80, "1");
  EXPECT_STREQ(first + 96, "2");
  EXPECT_STREQ(first + 112, "all");
  EXPECT_STREQ(first + 272 + 8, "AICORE_SHAPE");
  EXPECT_STREQ(first + 2 * 272 + 8, "MemoryAccess");
  std::size_t count_of_old = 0;
  EXPECT_EQ(CANN(aclprofGetSupportedFeatures)(&count_of_old, &features), 0);
  EXPECT_LE(count_of_old, count);
  EXPECT_NE(CANN(aclprofGetSupportedFeatures)(nullptr, &features), 0);
}

TEST_F(CannProfiling, StepsOfTheProgramAreMarkedOnItsStream) {
  {
    const Profiled profiled(path(), {0}, kLevel1);
    aclrtStream stream = nullptr;
    ASSERT_EQ(CANN(aclrtCreateStream)(&stream), 0);
    aclprofStepInfo* const steps = CANN(aclprofCreateStepInfo)();
    ASSERT_NE(steps, nullptr);
    EXPECT_NE(CANN(aclprofGetStepTimestamp)(steps, 2, stream), 0);
    EXPECT_NE(CANN(aclprofGetStepTimestamp)(nullptr, 0, stream), 0);
    for (const int base : {0, 60000}) {
      EXPECT_EQ(CANN(aclprofGetStepTimestamp)(steps, base, stream), 0);
      EXPECT_EQ(launch(stream), 0);
      EXPECT_EQ(CANN(aclprofGetStepTimestamp)(steps, base + 1, stream), 0);
    }
    CANN(aclprofDestroyStepInfo)(steps);
    EXPECT_EQ(CANN(aclrtSynchronizeStream)(stream), 0);
    EXPECT_EQ(CANN(aclrtDestroyStream)(stream), 0);
  }
  const auto device = read_device_data(prof_directories(path()).front() / "device_0/data");
  std::vector<std::uint64_t> steps;
  std::vector<unsigned> tags;
  for (const auto& trace : records_of<format::device::StepTrace>(device.at("ts_track.data"))) {
    if (trace.head.track_type() != format::device::TrackType::kStepTrace) continue;
    steps.push_back(trace.index_id);
    tags.push_back(trace.tag);
  }
  EXPECT_EQ(steps, (std::vector<std::uint64_t>{1, 1, 2, 2}));
  ASSERT_EQ(tags.size(), 4u);
  EXPECT_EQ(tags[0], tags[2]);
  EXPECT_EQ(tags[1], tags[3]);
  EXPECT_NE(tags[0], tags[1]);
}

// Two streams that wait for each other, kernels of two kinds, copies and a fill.
constexpr std::size_t kKernels = 12;
void run_program() {
  aclrtStream first = nullptr;
  aclrtStream second = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_EQ(CANN(aclrtCreateStream)(&first), 0);
  ASSERT_EQ(CANN(aclrtCreateStreamWithConfig)(&second, 0, 3), 0);
  ASSERT_EQ(CANN(aclrtCreateEvent)(&event), 0);
  void* memory = nullptr;
  ASSERT_EQ(CANN(aclrtMalloc)(&memory, 4096, 0), 0);
  const std::string sent = "over to the device and back";
  std::string received(sent.size(), ' ');
  ASSERT_EQ(CANN(aclrtMemcpyAsync)(memory, 4096, sent.data(), sent.size(), 1, first), 0);
  for (std::size_t i = 0; i < kKernels / 2; ++i) ASSERT_EQ(launch(first), 0);
  ASSERT_EQ(CANN(aclrtRecordEvent)(event, first), 0);
  ASSERT_EQ(CANN(aclrtStreamWaitEvent)(second, event), 0);
  for (std::size_t i = 0; i < kKernels / 2; ++i) {
    ASSERT_EQ(launch(second, "aclnnAdd_AddAiCore_Add", "Add", NPUSIM_CORE_AIV), 0);
  }
  ASSERT_EQ(CANN(aclrtMemcpy)(received.data(), received.size(), memory, sent.size(), 2), 0);
  ASSERT_EQ(CANN(aclrtMemsetAsync)(memory, 4096, 0, 4096, second), 0);
  ASSERT_EQ(CANN(aclrtSynchronizeDevice)(), 0);
  EXPECT_EQ(received, sent);
  int status = -1;
  EXPECT_EQ(CANN(aclrtQueryEventStatus)(event, &status), 0);
  EXPECT_EQ(status, NPUPROF_ACL_EVENT_COMPLETE);
  EXPECT_EQ(CANN(aclrtFree)(memory), 0);
  EXPECT_NE(CANN(aclrtFree)(memory), 0);
  EXPECT_EQ(CANN(aclrtDestroyEvent)(event), 0);
  EXPECT_EQ(CANN(aclrtDestroyStream)(first), 0);
  EXPECT_EQ(CANN(aclrtDestroyStream)(second), 0);
  EXPECT_NE(CANN(aclrtDestroyStream)(second), 0);
}

// Task starts and ends in the scheduler's log, by SQE type.
struct LoggedTasks {
  std::map<unsigned, std::size_t> starts;
  std::map<unsigned, std::size_t> ends;
};
LoggedTasks logged_tasks(const std::map<std::string, std::string>& device) {
  using format::device::StarsFunction;
  LoggedTasks tasks;
  for (const auto& log : records_of<format::device::TaskLog>(device.at("stars_soc.data"))) {
    if (log.head.function() == StarsFunction::kTaskStart) ++tasks.starts[log.head.sqe_type()];
    if (log.head.function() == StarsFunction::kTaskEnd) ++tasks.ends[log.head.sqe_type()];
  }
  return tasks;
}
// SQE types of a 910B.
constexpr unsigned kCoreTask = 0;
constexpr unsigned kEventRecordTask = 4;
constexpr unsigned kEventWaitTask = 5;
constexpr unsigned kSdmaTask = 11;
constexpr unsigned kPcieTask = 17;

struct Level {
  const char* name;
  std::uint64_t bits;
};

class CannLevels : public CannProfiling, public ::testing::WithParamInterface<Level> {};

TEST_P(CannLevels, LeaveACompleteProfile) {
  {
    const Profiled profiled(path(), {0}, GetParam().bits);
    run_program();
  }
  ASSERT_EQ(prof_directories(path()).size(), 1u);
  const std::filesystem::path prof = prof_directories(path()).front();
  expect_tree(prof, {0}, "5");
  const bool has_tasks = GetParam().bits != 0;
  const auto device = read_device_data(prof / "device_0/data");
  const auto host = prof / "host/data";
  if (!has_tasks) {
    EXPECT_FALSE(device.contains("stars_soc.data"));
    return;
  }
  expect_host_side(prof);
  std::size_t launches = 0;
  const Dictionaries dictionaries = dictionaries_of(host);
  for (const ApiEvent& call : calls_of(host)) {
    if (call.level != kLevelAcl) continue;
    const auto name = dictionaries.types.find({kLevelAcl, call.type});
    ASSERT_NE(name, dictionaries.types.end()) << call.type;
    if (name->second == "aclnnMm") ++launches;
  }
  EXPECT_EQ(launches, kKernels);
  std::size_t kernel_tasks = 0;
  for (const TaskTrack& task : records_of<TaskTrack>(host)) {
    const std::string_view type = task_type_name(task.task_type);
    if (type.starts_with("KERNEL_AI")) ++kernel_tasks;
  }
  EXPECT_EQ(kernel_tasks, kKernels);
  const bool has_details = (GetParam().bits & NPUPROF_PROF_TASK_TIME) != 0;
  const auto has_file = [&](const char* name) { return std::filesystem::exists(host / name); };
  EXPECT_EQ(has_file("aging.compact.node_basic_info.slice_0"), has_details);
  EXPECT_TRUE(has_file("aging.api_event.data.slice_0"));
  EXPECT_TRUE(has_file("aging.api_event.data.slice_0.done"));

  // Each launch ran on the device once, and so did each copy, fill and event.
  const LoggedTasks tasks = logged_tasks(device);
  const std::map<unsigned, std::size_t> expected = {{kCoreTask, kKernels},
                                                    {kEventRecordTask, 1},
                                                    {kEventWaitTask, 1},
                                                    {kSdmaTask, 1},
                                                    {kPcieTask, 2}};
  EXPECT_EQ(tasks.starts, expected);
  EXPECT_EQ(tasks.ends, expected);
  if (has_details) {
    EXPECT_EQ(records_of<format::device::ContextPmu>(device.at("ffts_profile.data")).size(),
              kKernels);
  } else {
    EXPECT_FALSE(device.contains("ffts_profile.data"));
  }
}

INSTANTIATE_TEST_SUITE_P(All, CannLevels,
                         ::testing::Values(Level{"none", 0}, Level{"zero", kLevel0},
                                           Level{"one", kLevel1}, Level{"two", kLevel2}),
                         [](const auto& level) { return std::string(level.param.name); });

TEST_F(CannProfiling, CollectsTwiceInOneProcess) {
  ASSERT_EQ(init(), 0);
  for (int i = 0; i < 2; ++i) {
    aclprofConfig* const chosen = config(i == 0 ? kLevel1 : kLevel2);
    ASSERT_EQ(CANN(aclprofStart)(chosen), 0);
    run_program();
    ASSERT_EQ(CANN(aclprofStop)(chosen), 0);
    EXPECT_EQ(CANN(aclprofDestroyConfig)(chosen), 0);
  }
  EXPECT_EQ(CANN(aclprofFinalize)(), 0);
  const auto found = prof_directories(path());
  ASSERT_EQ(found.size(), 2u);
  for (const auto& prof : found) {
    expect_tree(prof, {0}, "5");
    expect_clocks(prof);
    EXPECT_EQ(records_of<NodeBasicInfo>(prof / "host/data").size(), kKernels);
  }
}

TEST_F(CannProfiling, SamplesTheHost) {
  ASSERT_EQ(CANN(aclprofSetConfig)(NPUPROF_CONFIG_HOST_SYS, "cpu,mem", 7), 0);
  {
    const Profiled profiled(path(), {0}, kLevel0);
    run_program();
  }
  const auto host = prof_directories(path()).front() / "host/data";
  EXPECT_TRUE(std::filesystem::exists(host / "host_cpu.data.slice_0"));
  EXPECT_TRUE(std::filesystem::exists(host / "host_mem.data.slice_0"));
}

TEST_F(CannProfiling, TakesRecordsOfTheProgram) {
  ASSERT_EQ(CANN(MsprofRegTypeInfo)(20000, 900001, "my_call"), 0);
  ASSERT_EQ(CANN(MsprofRegTypeInfo)(10000, 900002, "my_record"), 0);
  const std::uint64_t id = CANN(MsprofStr2Id)("a string of mine", 16);
  EXPECT_STREQ(CANN(MsprofId2Str)(id), "a string of mine");
  ApiEvent call{};
  call.level = 20000;
  call.type = 900001;
  std::array<std::byte, 64> compact{};
  RecordHeader header{};
  header.magic = kMagic;
  header.level = 10000;
  header.type = 900002;
  std::memcpy(compact.data(), &header, sizeof(header));
  {
    const Profiled profiled(path(), {0}, kLevel1);
    call.begin = CANN(MsprofSysCycleTime)();
    call.end = CANN(MsprofSysCycleTime)();
    EXPECT_EQ(CANN(MsprofReportApi)(1, &call), 0);
    EXPECT_NE(CANN(MsprofReportEvent)(1, &call), 0) << "an interval is no event";
    EXPECT_EQ(CANN(MsprofReportCompactInfo)(1, compact.data(), 64), 0);
    EXPECT_NE(CANN(MsprofReportCompactInfo)(1, compact.data(), 63), 0);
  }
  const auto host = prof_directories(path()).front() / "host/data";
  const Dictionaries dictionaries = dictionaries_of(host);
  EXPECT_EQ(dictionaries.types.at({20000, 900001}), "my_call");
  EXPECT_EQ(dictionaries.types.at({10000, 900002}), "my_record");
  EXPECT_EQ(dictionaries.strings.at(id), "a string of mine");
  EXPECT_EQ(calls_of(host).size(), 1u);
  EXPECT_EQ(std::filesystem::file_size(host / "aging.compact.my_record.slice_0"), 64u);
}

TEST_F(CannProfiling, TakesLongRecordsOneByOneAndInBatches) {
  ASSERT_EQ(CANN(MsprofRegTypeInfo)(10000, 900003, "my_long_record"), 0);
  const std::uint64_t id = CANN(MsprofGetHashId)("another string", 14);
  EXPECT_EQ(id, CANN(MsprofStr2Id)("another string", 14));
  EXPECT_EQ(CANN(MsprofGetHashId)(nullptr, 3), 0u);
  RecordHeader header{};
  header.magic = kMagic;
  header.level = 10000;
  header.type = 900003;
  std::array<std::byte, 3 * 256> records{};
  for (std::size_t i = 0; i < 3; ++i) {
    std::memcpy(records.data() + i * 256, &header, sizeof(header));
  }
  {
    const Profiled profiled(path(), {0}, kLevel1);
    EXPECT_EQ(CANN(MsprofReportAdditionalInfo)(0, records.data(), 256), 0);
    EXPECT_NE(CANN(MsprofReportAdditionalInfo)(0, records.data(), 512), 0) << "one at a time";
    EXPECT_EQ(CANN(MsprofReportBatchAdditionalInfo)(0, records.data(), 3 * 256), 0);
    EXPECT_NE(CANN(MsprofReportBatchAdditionalInfo)(0, records.data(), 300), 0);
  }
  const auto host = prof_directories(path()).front() / "host/data";
  EXPECT_EQ(std::filesystem::file_size(host / "unaging.additional.my_long_record.slice_0"),
            4u * 256u);
}

// What a handler was told, in order.
std::vector<std::uint32_t>& commands() {
  static std::vector<std::uint32_t> heard;
  return heard;
}

TEST_F(CannProfiling, TellsTheProgramWhenACollectionBeginsAndEnds) {
  EXPECT_EQ(CANN(MsprofInit)(0, nullptr, 0), 0);
  EXPECT_NE(CANN(MsprofInit)(77, nullptr, 0), 0);
  EXPECT_NE(CANN(MsprofRegisterCallback)(500, nullptr), 0);
  const auto listen = [](std::uint32_t control, void* data, std::uint32_t length) -> std::int32_t {
    if (control == 1 && length == sizeof(NpuprofSwitchCommand)) {
      commands().push_back(static_cast<const NpuprofSwitchCommand*>(data)->command);
    }
    return 0;
  };
  ASSERT_EQ(CANN(MsprofRegisterCallback)(500, listen), 0);
  { const Profiled profiled(path(), {0}, kLevel0); }
  const auto of = [](std::uint32_t command) {
    return std::count(commands().begin(), commands().end(), command);
  };
  EXPECT_EQ(of(1), 1);
  EXPECT_EQ(of(2), 1);
  const auto start = std::find(commands().begin(), commands().end(), 1u);
  EXPECT_NE(std::find(start, commands().end(), 2u), commands().end()) << "stop follows start";
  EXPECT_EQ(CANN(MsprofFinalize)(), 0);
}

TEST_F(CannProfiling, DumpsArgumentsOfEachKindOfKernelOnce) {
  const std::filesystem::path dump = path() / "dump";
  EXPECT_NE(CANN(aclopStartDumpArgs)(1, nullptr), 0);
  ASSERT_EQ(CANN(aclopStartDumpArgs)(1, dump.c_str()), 0);
  EXPECT_EQ(launch(nullptr), 0);
  EXPECT_EQ(launch(nullptr), 0);
  EXPECT_EQ(launch(nullptr, "aclnnOther_Other_Other", "Other"), 0);
  EXPECT_EQ(launch(nullptr, "aclnnTopk_Topk_Topk", "Topk", NPUSIM_CORE_AICPU), 0);
  EXPECT_EQ(CANN(aclopStopDumpArgs)(1), 0);
  EXPECT_EQ(launch(nullptr, "aclnnLate_Late_Late", "Late"), 0);
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(dump)) {
    text += read_file(entry.path()).value();
  }
  const std::string tensors =
      R"("attributes":"","inputs":[{"dtype":"DT_BF16","format":"ND","shape":[256,512]},)"
      R"({"dtype":"DT_BF16","format":"ND","shape":[512,128]}],)"
      R"("outputs":[{"dtype":"DT_BF16","format":"ND","shape":[256,128]}]})"
      "\n";
  EXPECT_EQ(text, R"({"op_type":"MatMulV3","name":"aclnnMm_MatMulV3Common_MatMulV3",)" + tensors +
                      R"({"op_type":"Other","name":"aclnnOther_Other_Other",)" + tensors);
}

}  // namespace
}  // namespace npuprof::sim::testing
