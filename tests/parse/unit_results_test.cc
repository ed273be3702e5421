// What single units did, from raw directories to result files: the collective communication unit,
// blocks of kernels, parts of fused tasks, pipes of cores and data processing units.

#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "format/device/ccu.h"
#include "format/device/ffts_profile.h"
#include "format/device/instruction_profile.h"
#include "format/device/instruction_words.h"
#include "format/device/stars_soc.h"
#include "format/host/additional.h"
#include "format/host/compact.h"
#include "format/host/enumerations.h"
#include "load/cann_host/host_directory.h"
#include "parse/cann_results.h"

namespace npuprof {
namespace {

using format::device::BlockLogV6;
using format::device::CcuChannelDelays;
using format::device::CcuMission;
using format::device::CorePmuV6;
using format::device::CubeInstructionRecord;
using format::device::CycleSample;
using format::device::FlowSample;
using format::device::FusionLogV6;
using format::device::FusionPart;
using format::device::InstructionWord;
using format::device::StarsFunction;
using format::device::StarsHead;
using format::device::TaskLogV6;
using format::device::VectorInstructionRecord;
using format::host::CcuGroupInfo;
using format::host::CcuTaskInfo;
using format::host::CcuWaitSignalInfo;
using format::host::DeviceField;
using format::host::DpuHcclInfo;
using format::host::DpuTrack;
using format::host::TaskTrack;
using load::testing::header;
using load::testing::HostDirectory;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A slice of the timeline with the names of its process and thread.
struct UnitSlice {
  std::string layer;
  std::string lane;
  std::string name;
  std::int64_t start_ns;  // Since the begin of the collection.
  double duration_us;
  json arguments;

  bool operator==(const UnitSlice&) const = default;
};
void PrintTo(const UnitSlice& slice, std::ostream* out) {
  *out << slice.layer << " / " << slice.lane << " / " << slice.name << " at " << slice.start_ns
       << " for " << slice.duration_us << " " << slice.arguments.dump();
}

std::int64_t since_begin(const std::string& microseconds) {
  std::string digits = microseconds;
  std::erase(digits, '.');
  return std::stoll(digits) - HostDirectory::kBeginNs;
}

class UnitResults : public testing::CannResults {
 protected:
  explicit UnitResults(std::int64_t chip = 15) : CannResults(chip) {}

  // A task put on a stream by the host, and when it ran.
  void add_task(std::uint32_t task, std::uint16_t stream, std::uint8_t sqe_type,
                std::uint64_t start, std::uint64_t end) {
    TaskTrack track{};
    track.header = header(10, TaskTrack::kPayloadLength, format::host::kLevelRuntime);
    track.device = DeviceField::encode(DeviceField::kNpu, 0);
    track.stream = stream;
    track.task_id = task;
    host_.add(track);
    for (const bool is_end : {false, true}) {
      TaskLogV6 log{};
      log.head = StarsHead::make(is_end ? StarsFunction::kTaskEnd : StarsFunction::kTaskStart, 0,
                                 sqe_type);
      log.task_id = task;
      log.syscnt = kFirstSyscnt + (is_end ? end : start);
      append_device("stars_soc.data", std::string(as_text(format::bytes_of(log))));
    }
  }

  json timeline() const { return json::parse(read_file(output() / "msprof_1.json").value()); }

  // Slices of the layers of these names, in the order of the file.
  std::vector<UnitSlice> slices(const std::string& layer) const {
    const json events = timeline();
    std::map<std::uint64_t, std::string> layers;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> lanes;
    for (const json& event : events) {
      if (event["name"] == "process_name") layers[event["pid"]] = event["args"]["name"];
      if (event["name"] == "thread_name") {
        lanes[{event["pid"], event["tid"]}] = event["args"]["name"];
      }
    }
    std::vector<UnitSlice> found;
    for (const json& event : events) {
      if (event["ph"] != "X" || layers[event["pid"]] != layer) continue;
      found.push_back({layer, lanes[{event["pid"], event["tid"]}], event["name"],
                       since_begin(event["ts"]), event["dur"], event["args"]});
    }
    return found;
  }
};

class CcuResults : public UnitResults {
 protected:
  void SetUp() override {
    constexpr std::uint8_t kCcuTask = 16;
    add_task(8, 5, kCcuTask, 50, 1000);

    CcuMission loop{};
    loop.task_id = 8;
    loop.loop_start = kFirstSyscnt + 100;
    loop.loop_end = kFirstSyscnt + 200;
    loop.loop_id = 6;
    CcuMission wait{};
    wait.task_id = 8;
    wait.set_cke_start = kFirstSyscnt + 300;
    wait.set_cke_id = 4;
    wait.relative_ends[15] = 5;   // Rank 0, in units of four ticks.
    wait.relative_ends[13] = 10;  // Rank 2.
    CcuMission unknown{};         // Neither announced nor launched.
    unknown.task_id = 9;
    unknown.loop_start = kFirstSyscnt + 400;
    unknown.loop_end = kFirstSyscnt + 450;
    unknown.loop_id = 6;
    write_device<CcuMission>("ccu1.instr", {loop, wait, unknown});

    CcuChannelDelays early{};
    early.set_channel(7, {kFirstSyscnt + 250, 33, 30, 40});
    CcuChannelDelays late{};
    late.set_channel(7, {kFirstSyscnt + 900, 99, 30, 140});
    write_device<CcuChannelDelays>("ccu1.stat", {early, late});

    host_.add(group_info());
    host_.add(wait_info());
  }

  static CcuGroupInfo group_info() {
    CcuGroupInfo info{};
    info.header = header(5, CcuGroupInfo::kPayloadLength, format::host::kLevelHccl);
    info.stream = 5;
    info.task_id = 8;
    info.die_id = 1;
    info.instruction_id = 6;
    info.reduce_op = 1;
    info.input_data_type = 3;
    info.output_data_type = 4;
    info.data_size = 4096;
    info.channel_ids.fill(0xFFFF);
    info.remote_rank_ids.fill(0xFFFFFFFF);
    return info;
  }

  static CcuWaitSignalInfo wait_info() {
    CcuWaitSignalInfo info{};
    info.header = header(6, CcuWaitSignalInfo::kPayloadLength, format::host::kLevelHccl);
    info.stream = 5;
    info.task_id = 8;
    info.die_id = 1;
    info.instruction_id = 4;
    info.mask = 5;
    info.channel_ids.fill(0xFFFF);
    info.remote_rank_ids.fill(0xFFFFFFFF);
    info.channel_ids[0] = 7;
    info.remote_rank_ids[0] = 2;
    return info;
  }
};

TEST_F(CcuResults, MissionTable) {
  parse();
  EXPECT_THAT(losses_, IsEmpty());
  EXPECT_THAT(csv("ccu_mission"),
              ElementsAre("Device_id,Stream ID,Task Id,Instruction ID,Instruction Start Time(us),"
                          "Instruction Duration(us),Notify Instruction ID,Notify Rank ID,"
                          "Notify Duration(us)",
                          "0,5,8,6,1700000000000002.000\t,2.000,N/A,N/A,N/A",
                          "0,5,8,N/A,N/A,N/A,4,2,0.800", "0,5,8,N/A,N/A,N/A,4,0,0.400",
                          "0,65535,9,6,1700000000000008.000\t,1.000,N/A,N/A,N/A"));
}

TEST_F(CcuResults, StreamOfATaskThatOnlyTheUnitKnows) {
  CcuTaskInfo info{};
  info.header = header(7, CcuTaskInfo::kPayloadLength, format::host::kLevelHccl);
  info.stream = 12;
  info.task_id = 9;
  host_.add(info);
  parse();
  EXPECT_EQ(csv("ccu_mission").back(), "0,12,9,6,1700000000000008.000\t,1.000,N/A,N/A,N/A");
}

TEST_F(CcuResults, Timeline) {
  parse();
  const json loop = {{"Physic Stream Id", 5},     {"Task Id", 8},
                     {"Instruction ID", 6},       {"Die Id", 1},
                     {"Data Size", 4096},         {"Bandwidth (MB/s)", 1953.125},
                     {"Reduce Op Type", "PROD"},  {"Input Data Type", "FP16"},
                     {"Output Data Type", "FP32"}};
  const json wait = {{"Physic Stream Id", 5},
                     {"Task Id", 8},
                     {"Notify Instruction ID", 4},
                     {"Notify Rank ID", 2},
                     {"Die Id", 1},
                     {"Mask", 5},
                     {"Maximum Delay Channel", 7},
                     {"Maximum Channel Delay", 33}};
  const json unknown = {
      {"Physic Stream Id", 65535}, {"Task Id", 9}, {"Instruction ID", 6}, {"Die Id", 1}};
  EXPECT_THAT(slices("CCU"),
              ElementsAre(UnitSlice{"CCU", "Communication", "LoopGroup", 2000, 2.0, loop},
                          UnitSlice{"CCU", "Communication", "Wait", 6000, 0.8, wait},
                          UnitSlice{"CCU", "Communication", "LoopGroup", 8000, 1.0, unknown}));
}

TEST_F(CcuResults, Database) {
  parse();
  EXPECT_THAT(rows("SELECT deviceId, n.value, startNs - 1700000000000000000, "
                   "endNs - 1700000000000000000, a.value FROM CCU "
                   "JOIN STRING_IDS n ON n.id = name JOIN STRING_IDS a ON a.id = args"),
              ElementsAre(R"(0|LoopGroup|2000|4000|{"Physic Stream Id":5,"Task Id":8,)"
                          R"("Instruction ID":6,"Die Id":1,"Data Size":4096,)"
                          R"j("Bandwidth (B/s)":2048000000.0,"Reduce Op Type":"PROD",)j"
                          R"("Input Data Type":"FP16","Output Data Type":"FP32"})",
                          R"(0|Wait|6000|6800|{"Physic Stream Id":5,"Task Id":8,)"
                          R"("Notify Instruction ID":4,"Notify Rank ID":2,"Die Id":1,"Mask":5,)"
                          R"("Maximum Delay Channel":7,"Maximum Channel Delay":33})",
                          R"(0|LoopGroup|8000|9000|{"Physic Stream Id":65535,"Task Id":9,)"
                          R"("Instruction ID":6,"Die Id":1})"));
  // The task that ran them has the same number; one that was not recorded has one of its own.
  EXPECT_THAT(rows("SELECT TASK.taskId FROM CCU JOIN TASK USING (globalTaskId)"),
              ElementsAre("8", "8"));
  EXPECT_THAT(rows("SELECT count(DISTINCT globalTaskId) FROM CCU"), ElementsAre("2"));
}

class BlockResults : public UnitResults {
 protected:
  void add_block(bool on_vector, std::uint8_t core, std::uint16_t block, std::uint64_t start,
                 std::uint64_t end) {
    for (const bool is_end : {false, true}) {
      BlockLogV6 log{};
      log.head =
          StarsHead::make(is_end ? StarsFunction::kBlockEnd : StarsFunction::kBlockStart, 0, 0);
      log.task_id = 8;
      log.syscnt = kFirstSyscnt + (is_end ? end : start);
      log.core_type = on_vector ? 1 : 0;
      log.core_id = core;
      log.block_id = block;
      append_device("stars_soc.data", std::string(as_text(format::bytes_of(log))));
    }
  }

  static json arguments(std::uint32_t core) {
    return {{"Physic Stream Id", 5},
            {"Task Id", 8},
            {"Batch Id", 0},
            {"Subtask Id", 4294967295},
            {"Core Id", core}};
  }
};

TEST_F(BlockResults, FirstAndLastBlockOfEachKindOfCore) {
  add_task(8, 5, 0, 100, 500);
  add_block(false, 1, 0, 110, 300);
  add_block(false, 2, 1, 120, 310);
  add_block(false, 3, 2, 105, 305);
  add_block(true, 40, 0, 130, 400);
  parse();
  EXPECT_THAT(losses_, IsEmpty());
  const std::vector<UnitSlice> found = slices("Block Detail");
  ASSERT_EQ(found.size(), 4u);
  const std::string name = found[0].name;
  EXPECT_TRUE(name.starts_with("Stream 5 ")) << name;
  EXPECT_THAT(found,
              ElementsAre(UnitSlice{"Block Detail", "AIC Earliest", name, 2100, 4.0, arguments(3)},
                          UnitSlice{"Block Detail", "AIC Latest", name, 2400, 3.8, arguments(2)},
                          UnitSlice{"Block Detail", "AIV Earliest", name, 2600, 5.4, arguments(40)},
                          UnitSlice{"Block Detail", "AIV Latest", name, 2600, 5.4, arguments(40)}));
}

TEST_F(BlockResults, OfEachRunOfATask) {
  add_task(8, 5, 0, 100, 200);
  add_block(false, 1, 0, 110, 190);
  add_task(8, 5, 0, 300, 400);
  add_block(false, 2, 0, 310, 390);
  add_block(false, 9, 0, 600, 610);  // While no run was on.
  parse();
  std::vector<std::int64_t> starts;
  for (const UnitSlice& slice : slices("Block Detail")) starts.push_back(slice.start_ns);
  EXPECT_THAT(starts, ElementsAre(2200, 2200, 6200, 6200));
}

TEST_F(BlockResults, TimesOfCountersWithoutALogOfBlocks) {
  add_task(8, 5, 0, 100, 500);
  CorePmuV6 block{};
  block.head = StarsHead::make(StarsFunction::kBlockPmu, 0, 0);
  block.task_id = 8;
  block.core_type = 1;
  block.core_id = 7;
  block.start_syscnt = kFirstSyscnt + 150;
  block.end_syscnt = kFirstSyscnt + 250;
  write_device<CorePmuV6>("ffts_profile.data", {block});
  parse();
  const std::vector<UnitSlice> found = slices("Block Detail");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].lane, "AIV Earliest");
  EXPECT_EQ(found[1].lane, "AIV Latest");
  EXPECT_EQ(found[0].start_ns, 3000);
  EXPECT_EQ(found[0].duration_us, 2.0);
  EXPECT_EQ(found[0].arguments, arguments(7));
}

TEST_F(UnitResults, PartsOfFusedTasks) {
  const auto add_part = [&](FusionPart part, unsigned mission, std::uint64_t start,
                            std::uint64_t end) {
    for (const bool is_end : {false, true}) {
      FusionLogV6 log{};
      log.head =
          StarsHead::make(is_end ? StarsFunction::kFusionEnd : StarsFunction::kFusionStart, 0, 2);
      log.task_id = 8;
      log.syscnt = kFirstSyscnt + (is_end ? end : start);
      log.part = FusionLogV6::pack_part(part, mission);
      log.accelerator = 11;
      append_device("stars_soc.data", std::string(as_text(format::bytes_of(log))));
    }
  };
  add_part(FusionPart::kAiCore, 0, 100, 200);
  add_part(FusionPart::kCcuDie1, 6, 150, 300);
  parse();
  const json core = {
      {"Task Id", 8}, {"Acc Id", 11}, {"Task Type", "FUSION"}, {"Fusion Task Type", "AICORE"}};
  json unit = core;
  unit["Fusion Task Type"] = "CCU";
  unit["Mission Id"] = 6;
  unit["Ccu Die Id"] = 1;
  EXPECT_THAT(slices("Fusion Task"),
              ElementsAre(UnitSlice{"Fusion Task", "Fusion Task", "Fusion AICORE", 2000, 2.0, core},
                          UnitSlice{"Fusion Task", "Fusion Task (overlapping 1)", "Fusion CCU",
                                    3000, 3.0, unit}));
}

TEST_F(UnitResults, PipesOfCores) {
  constexpr unsigned kCube = 1u << 2;
  constexpr unsigned kMte2 = 1u << 4;
  std::vector<InstructionWord> words;
  for (const InstructionWord& word : format::device::make_start_stamp(kFirstSyscnt + 100, 5)) {
    words.push_back(word);
  }
  // 1000 MHz: 20 cycles are a tick of the counter.
  words.push_back(InstructionWord::make(InstructionWord::kState, kCube, 200));
  words.push_back(InstructionWord::make(InstructionWord::kState, kCube | kMte2, 200));
  words.push_back(InstructionWord::make(3, 0x12, 200));  // A checkpoint of MTE1.
  words.push_back(InstructionWord::make(InstructionWord::kState, kMte2, 200));
  words.push_back(InstructionWord::make(InstructionWord::kState, 0, 200));
  write_device<InstructionWord>("instr.biu_perf_group3_aiv1", words);
  parse();
  const json busy = {{"Core Type", "aiv1"}, {"Block Id", 5}};
  json checkpoint = busy;
  checkpoint["Checkpoint Info"] = 0x12;
  EXPECT_THAT(
      slices("Biu Perf"),
      ElementsAre(UnitSlice{"Biu Perf", "Group3-aiv1", "MTE1", 2600, 0.0, checkpoint},
                  UnitSlice{"Biu Perf", "Group3-aiv1", "CUBE", 2200, 0.6, busy},
                  UnitSlice{"Biu Perf", "Group3-aiv1 (overlapping 1)", "MTE2", 2400, 0.6, busy}));
}

class InstructionSampleResults : public UnitResults {
 protected:
  InstructionSampleResults() : UnitResults(5) {}
};

TEST_F(InstructionSampleResults, PipesAndTrafficOfCores) {
  device_sample_.instr_profiling_freq = 1000;
  const auto cube = [](std::uint64_t ticks, std::uint16_t cube_cycles, std::uint32_t latency) {
    FlowSample flow{};
    flow.syscnt = kFirstSyscnt + ticks;
    flow.read_latency = format::device::U24::make(latency);
    flow.write_flux = format::device::U24::make(7);
    CycleSample cycles{};
    cycles.set_number(2, cube_cycles);
    CubeInstructionRecord record{};
    record.set(flow, cycles);
    return record;
  };
  // Counters run freely: they go on at 0 after 4095.
  write_device<CubeInstructionRecord>("instr.group_1_aic",
                                      {cube(50, 4000, 1), cube(100, 154, 30), cube(150, 654, 40)});
  VectorInstructionRecord first{};
  first.cycles.set_syscnt(kFirstSyscnt + 50);
  VectorInstructionRecord second = first;
  second.cycles.set_number(0, 400);
  second.cycles.set_syscnt(kFirstSyscnt + 100);
  write_device<VectorInstructionRecord>("instr.group_1_aiv0", {first, second});
  parse();
  const json quarter = {{"cycle_num", 250}, {"ratio", 0.25}};
  const json half = {{"cycle_num", 500}, {"ratio", 0.5}};
  EXPECT_THAT(slices("aic_core1_group1"),
              ElementsAre(UnitSlice{"aic_core1_group1", "Cube", "Cube", 1000, 0.25, quarter},
                          UnitSlice{"aic_core1_group1", "Cube", "Cube", 2000, 0.5, half}));
  const json vector = {{"cycle_num", 400}, {"ratio", 0.4}};
  EXPECT_THAT(slices("aiv_core27_group1"),
              ElementsAre(UnitSlice{"aiv_core27_group1", "Vector", "Vector", 1000, 0.4, vector}));

  std::map<std::string, std::vector<std::string>> counters;
  for (const json& event : timeline()) {
    if (event["ph"] != "C" || !event["args"].contains("flow")) continue;
    counters[event["name"]].push_back(
        fmt::format("{} {}", since_begin(event["ts"]), event["args"]["flow"].dump()));
  }
  EXPECT_THAT(counters["Latency Read"], ElementsAre("2000 30.0", "3000 40.0"));
  EXPECT_THAT(counters["Bandwidth Write"], ElementsAre("2000 7.0", "3000 7.0"));
  EXPECT_EQ(counters.count("Latency Write") + counters.count("Bandwidth Read"), 2u);
}

class DpuResults : public UnitResults {
 protected:
  void SetUp() override {
    host_.type(format::host::kLevelRuntime, 1, "KERNEL_AICPU");
    TaskTrack launch{};
    launch.header = header(10, TaskTrack::kPayloadLength, format::host::kLevelRuntime);
    launch.device = DeviceField::encode(DeviceField::kDpu, 2);
    launch.task_id = 8;
    launch.kernel_name = host_.hash("send_kernel");
    host_.add(launch);
    DpuTrack track{};
    track.header = header(300, DpuTrack::kPayloadLength, format::host::kLevelRuntime, 77);
    track.device = DeviceField::encode(DeviceField::kDpu, 2);
    track.stream = 4;
    track.task_id = 8;
    track.task_type = 1;
    track.start = HostDirectory::ticks(100);
    host_.add(track);
    DpuHcclInfo info{};
    info.header = header(500, DpuHcclInfo::kPayloadLength, format::host::kLevelHccl, 78);
    info.item = host_.hash("RDMASend");
    info.group_name = host_.hash("group_a");
    info.local_rank = 1;
    info.remote_rank = 3;
    info.rank_size = 4;
    info.notify_id = 9;
    info.start = HostDirectory::ticks(400);
    info.estimated_duration_us = 1.5;
    info.data_size = 8000;
    info.task_id = 9;
    info.aicpu_task_id = 20;
    info.stream = 4;
    info.plane_id = 1;
    info.npu_device = DeviceField::encode(DeviceField::kNpu, 0);
    info.dpu_device = DeviceField::encode(DeviceField::kDpu, 2);
    info.data_type = 4;
    info.link_type = 3;
    info.transport_type = 1;
    info.rdma_type = 0;
    host_.add(info);
  }

  static std::string group() {
    return fmt::format("group_a({})", format::host::string_hash("group_a"));
  }
};

TEST_F(DpuResults, Timeline) {
  parse();
  EXPECT_THAT(losses_, IsEmpty());
  const json kernel = {
      {"Thread Id", 77}, {"Physic Stream Id", 4}, {"Task Id", 8}, {"Task Type", "KERNEL_AICPU"}};
  const json step = {{"Thread Id", 78},
                     {"Physic Stream Id", 4},
                     {"Task Id", 9},
                     {"OP Type", "SUM"},
                     {"AI CPU Device Id", 0},
                     {"AI CPU Task Id", 20},
                     {"Group Name", group()},
                     {"Plane Id", 1},
                     {"Notify Id", 9},
                     {"Duration Estimated(us)", 1.5},
                     {"Rank Size", 4},
                     {"Src Rank", 1},
                     {"Dst Rank", 3},
                     {"Transport Type", "RDMA"},
                     {"Size(Byte)", 8000},
                     {"Bandwidth(GB/s)", 8.0},
                     {"Data Type", "FP32"},
                     {"Link Type", "ROCE"},
                     {"Rdma Type", "RDMA_SEND_NOTIFY"}};
  EXPECT_THAT(slices("DPU"),
              ElementsAre(UnitSlice{"DPU", "Stream 4", "send_kernel", 1000, 2.0, kernel},
                          UnitSlice{"DPU", "Stream 4", "RDMASend", 4000, 1.0, step}));
  std::string label;
  for (const json& event : timeline()) {
    if (event["name"] == "process_labels" && event["args"]["labels"] == "DPU 2") label = "DPU 2";
  }
  EXPECT_EQ(label, "DPU 2");
}

TEST_F(DpuResults, Database) {
  parse();
  EXPECT_THAT(rows("SELECT dpuDeviceId, globalTid & 4294967295, startNs - 1700000000000000000, "
                   "endNs - 1700000000000000000, streamId, taskId, n.value FROM DPU_TASK "
                   "JOIN STRING_IDS n ON n.id = opName"),
              ElementsAre("2|77|1000|3000|4|8|send_kernel", "2|78|4000|5000|4|9|RDMASend"));
  EXPECT_THAT(rows("SELECT a.value FROM DPU_TASK JOIN STRING_IDS a ON a.id = args"),
              ElementsAre(R"({"Thread Id":77,"Physic Stream Id":4,"Task Id":8,)"
                          R"("Task Type":"KERNEL_AICPU"})",
                          R"({"Thread Id":78,"Physic Stream Id":4,"Task Id":9,"OP Type":"SUM",)"
                          R"("AI CPU Device Id":0,"AI CPU Task Id":20,"Group Name":")" +
                              group() +
                              R"j(","Plane Id":1,"Notify Id":9,"Duration Estimated(us)":1.5,)j"
                              R"("Rank Size":4,"Src Rank":1,"Dst Rank":3,"Transport Type":"RDMA",)"
                              R"j("Size(Byte)":8000,"Bandwidth(B/s)":8000000000.0,)j"
                              R"("Data Type":"FP32","Link Type":"ROCE",)"
                              R"("Rdma Type":"RDMA_SEND_NOTIFY"})"));
  EXPECT_THAT(rows("SELECT count(DISTINCT globalTaskId) FROM DPU_TASK"), ElementsAre("2"));
}

// JSON has no text for such a value; the file must stay readable.
TEST_F(DpuResults, EstimateThatIsNoNumber) {
  DpuHcclInfo info{};
  info.header = header(700, DpuHcclInfo::kPayloadLength, format::host::kLevelHccl);
  info.item = host_.hash("Notify_Wait");
  info.start = HostDirectory::ticks(600);
  info.estimated_duration_us = std::numeric_limits<double>::quiet_NaN();
  host_.add(info);
  parse();
  const std::vector<UnitSlice> found = slices("DPU");
  ASSERT_EQ(found.size(), 3u);
  bool is_null = false;
  for (const UnitSlice& slice : found) {
    if (slice.name == "Notify_Wait") is_null = slice.arguments["Duration Estimated(us)"].is_null();
  }
  EXPECT_TRUE(is_null);
  EXPECT_THAT(rows("SELECT count(*) FROM DPU_TASK JOIN STRING_IDS a ON a.id = args "
                   "WHERE json_valid(a.value)"),
              ElementsAre("3"));
}

// Without the file of times the launches are all there is.
TEST_F(UnitResults, LaunchesOnDataProcessingUnitsWithoutTimes) {
  TaskTrack launch{};
  launch.header = header(10, TaskTrack::kPayloadLength, format::host::kLevelRuntime);
  launch.device = DeviceField::encode(DeviceField::kDpu, 2);
  host_.add(launch);
  parse();
  ASSERT_EQ(losses_.size(), 1u);
  EXPECT_THAT(losses_[0], ::testing::HasSubstr("data processing unit"));
  EXPECT_THAT(slices("DPU"), IsEmpty());
}

// Every file that units have, filled with random bytes behind the mark that records begin with, and
// cut in the middle of a record: what cannot be read is left out, and the results can be read.
class DamagedUnits : public UnitResults, public ::testing::WithParamInterface<std::uint32_t> {
 protected:
  std::string random_bytes(std::size_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random_() & 0xFF);
    return bytes;
  }
  template <typename Record>
  void add_damaged() {
    for (int i = 0; i < 20; ++i) {
      auto record = format::load<Record>(
          reinterpret_cast<const std::byte*>(random_bytes(sizeof(Record)).data()));
      record.header = header(i, Record::kPayloadLength, Record::kKind.level);
      host_.add(record);
    }
    host_.append(format::host::make_host_file_name(load::testing::Age::kAging, Record::kKind.module,
                                                   Record::kKind.tag, 1),
                 random_bytes(77));
  }

  std::mt19937 random_{GetParam()};
};

TEST_P(DamagedUnits, GiveResultsAllTheSame) {
  add_damaged<CcuTaskInfo>();
  add_damaged<CcuWaitSignalInfo>();
  add_damaged<CcuGroupInfo>();
  add_damaged<DpuTrack>();
  add_damaged<DpuHcclInfo>();
  for (const char* base : {"ccu0.instr", "ccu1.instr", "ccu0.stat", "instr.biu_perf_group0_aic",
                           "instr.biu_perf_group0_aiv1", "ffts_profile.data"}) {
    append_device(base, random_bytes(8 * 2816 + 13));
  }
  add_task(8, 5, 0, 100, 500);
  for (int i = 0; i < 200; ++i) {
    TaskLogV6 log = format::load<TaskLogV6>(
        reinterpret_cast<const std::byte*>(random_bytes(sizeof(TaskLogV6)).data()));
    constexpr StarsFunction kFunctions[] = {StarsFunction::kBlockStart, StarsFunction::kBlockEnd,
                                            StarsFunction::kFusionStart, StarsFunction::kFusionEnd};
    log.head = StarsHead::make(kFunctions[random_() % 4], 0, random_() % 64);
    log.task_id = 8;
    append_device("stars_soc.data", std::string(as_text(format::bytes_of(log))));
  }
  parse();
  for (const json& event : timeline()) {
    if (event["ph"] != "X") continue;
    EXPECT_GE(event["dur"].get<double>(), 0) << event.dump();
  }
  EXPECT_THAT(rows("PRAGMA integrity_check"), ElementsAre("ok"));
}

INSTANTIATE_TEST_SUITE_P(Seed, DamagedUnits, ::testing::Range(0u, 8u));

}  // namespace
}  // namespace npuprof
