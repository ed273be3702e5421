#include "format/host/control.h"

#include <gtest/gtest.h>

namespace npuprof::format::host {
namespace {

TEST(InfoJson, RoundTripsWithItsTypes) {
  InfoJson info;
  info.hostname = "node-1";
  info.platform_version = 5;
  info.network_cards = {{"eth0", 25000}};
  info.cpus = {{.id = 0, .name = "HiSilicon", .frequency_mhz = 100, .logical_cpu_count = "192"}};
  ControlDevice device;
  device.ai_core_num = 20;
  device.hwts_frequency_mhz = 50;
  info.device_info = {device};
  info.devices = "3";
  info.simulated = true;
  info.other = {{"note", "{\"a\":[1,2]}"}};

  const std::string text = make_info_json(info);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  for (const char* part :
       {R"("platform_version":"5")", R"("pid":"NA")", R"("Frequency":"100.000000")",
        R"("ai_core_num":20)", R"("hwts_frequency":"50.000000")", R"("rank_id":-1)",
        R"("netCard":[{"netCardName":"eth0","speed":25000}])", R"("simulated":true)",
        R"("note":{"a":[1,2]})", R"("aic_frequency":"")", R"("version":"1.0")"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  EXPECT_EQ(text.find("hostUid"), std::string::npos);

  const auto again = parse_info_json(text);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(make_info_json(*again), text);
  EXPECT_EQ(again->cpus[0].frequency_mhz, 100.0);
  EXPECT_FALSE(again->pid.has_value());
  ASSERT_EQ(again->other.size(), 1u);
}

TEST(InfoJson, AcceptsMissingKeysAndOtherTypes) {
  const auto info = parse_info_json(
      R"({"platform_version": 15, "pid": 77, "memoryTotal": "1583000000", "CPU":
          [{"Frequency": "", "Logical_CPU_Count": 192}, 7], "rank_id": 1e300, "netCard": {}})");
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->platform_version, 15);
  EXPECT_EQ(info->pid, 77);
  EXPECT_EQ(info->memory_total_kb, 1583000000);
  ASSERT_EQ(info->cpus.size(), 1u);
  EXPECT_FALSE(info->cpus[0].frequency_mhz.has_value());
  EXPECT_EQ(info->cpus[0].logical_cpu_count, "192");
  EXPECT_EQ(info->rank_id, -1);
  EXPECT_EQ(info->version, "1.0");
  EXPECT_EQ(info->driver_version, 0);
}

TEST(InfoJson, RefusesWhatIsNoObject) {
  for (const char* text : {"", "null", "[]", "{\"a\":", "\"x\""}) {
    const auto info = parse_info_json(text);
    ASSERT_FALSE(info.ok()) << text;
    EXPECT_EQ(info.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(info.error().message.find("info.json"), std::string::npos);
  }
}

TEST(InfoJson, ReadsTheFirstLineAndForeignText) {
  EXPECT_EQ(parse_info_json("{\"pid\":\"3\"}\nrubbish")->pid, 3);
  EXPECT_EQ(parse_info_json("{\"pid_name\":\"\xb2\xe2\",\"pid\":\"4\"}")->pid, 4);
}

TEST(InfoJson, SurvivesDeepNesting) {
  EXPECT_FALSE(parse_info_json(std::string(100000, '[')).ok());
  const std::string deep = std::string(50000, '[') + std::string(50000, ']');
  EXPECT_TRUE(parse_info_json("{\"x\":" + deep + "}").ok());
}

// Each key of an ordered object is compared with all before it: the time grows with the square.
TEST(InfoJson, LeavesOutKeysBeyondAnyControlFile) {
  std::string text = "{\"hostname\":\"node7\"";
  for (int i = 0; i < 20'000; ++i) text += ",\"k" + std::to_string(i) + "\":1";
  const auto info = parse_info_json(text + "}");
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->hostname, "node7");
  EXPECT_LT(info->other.size(), 10'000u);
  EXPECT_GT(info->other.size(), 1'000u);
}

TEST(SampleJson, KnowsItsLevel) {
  EXPECT_EQ(parse_sample_json(R"({"prof_level":"l0"})")->level(), 0);
  EXPECT_EQ(parse_sample_json(R"({"prof_level":"l0","profLevel":"level2"})")->level(), 2);
  EXPECT_FALSE(parse_sample_json(R"({"prof_level":"off"})")->level());
  EXPECT_FALSE(parse_sample_json("{}")->level());
  EXPECT_FALSE(parse_sample_json(R"({"prof_level":"off"})")->records_tasks());
  EXPECT_TRUE(parse_sample_json(R"({"prof_level":"off","profLevel":"l1"})")->records_tasks());
  EXPECT_TRUE(parse_sample_json("{}")->records_tasks());
}

TEST(SampleJson, RoundTripsAndKeepsOtherKeys) {
  SampleJson sample;
  sample.devices = "64";
  sample.prof_level = "l1";
  sample.host_disk_freq = 50;
  sample.other = {{"storageLimit", "\"\""}};
  const std::string text = make_sample_json(sample);
  for (const char* part :
       {R"("llc_profiling":"")", R"("ai_core_profiling_mode":"")", R"("host_disk_freq":50)",
        R"("storageLimit":"")", R"("aicore_sampling_interval":0)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(text.find("qosEvents"), std::string::npos);
  EXPECT_EQ(make_sample_json(*parse_sample_json(text)), text);
  EXPECT_EQ(parse_sample_json(R"({"instr_profiling_freq":"1000"})")->instr_profiling_freq, 1000);
}

TEST(CollectionTime, WritesNumbersAsText) {
  CollectionTime start;
  start.date_begin = "2025-01-09 15:48:03.369312";
  start.begin_us = 1736408883369312;
  start.monotonic_raw_ns = 172163580470080;
  const std::string text = make_collection_time(start);
  EXPECT_EQ(text, R"({"collectionDateBegin":"2025-01-09 15:48:03.369312","collectionDateEnd":"",)"
                  R"("collectionTimeBegin":"1736408883369312","collectionTimeEnd":"",)"
                  R"("clockMonotonicRaw":"172163580470080"})");
  const auto again = parse_collection_time(text);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->begin_us, start.begin_us);
  EXPECT_FALSE(again->end_us.has_value());
}

TEST(ClockLog, RoundTripsBothForms) {
  const std::string host =
      "[Device3]\nclock_monotonic_raw: 123\ncntvct: 18446744073709551615\ncntvct_diff: 0\n";
  const ClockLog log = parse_clock_log(host);
  EXPECT_EQ(log.section, "Device3");
  EXPECT_EQ(log.monotonic_raw_ns, 123u);
  EXPECT_EQ(log.counter, ~std::uint64_t{0});
  EXPECT_EQ(log.counter_diff, 0);
  EXPECT_EQ(make_clock_log(log), host);

  const ClockLog device = parse_clock_log("clock_realtime:1\r\nclock_monotonic_raw:2\r\ncntvct:3");
  EXPECT_EQ(device.realtime_ns, 1u);
  EXPECT_EQ(device.counter, 3u);
  EXPECT_TRUE(device.section.empty());
  EXPECT_FALSE(device.counter_diff.has_value());
}

TEST(ClockLog, LeavesOutWhatIsNoNumber) {
  const ClockLog log = parse_clock_log("[Host]\ncntvct: abc\nnoise\nclock_monotonic_raw: -1\n");
  EXPECT_FALSE(log.counter.has_value());
  EXPECT_FALSE(log.monotonic_raw_ns.has_value());
}

TEST(Done, HasThreeLinesForSlicesAndOneForControlFiles) {
  EXPECT_EQ(make_slice_done(64), "filesize:64\nstarttime:0\nendtime  :0\n");
  EXPECT_EQ(make_control_done(7), "filesize:7\n");
  EXPECT_EQ(parse_done(make_slice_done(64)), 64u);
  EXPECT_FALSE(parse_done("size:64\n"));
}

}  // namespace
}  // namespace npuprof::format::host
