#include "load/cann_host/host_session.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "load/cann_host/host_clock.h"
#include "load/cann_host/host_directory.h"
#include "trace/host/api_calls.h"

namespace npuprof::load {
namespace {

using ::testing::HasSubstr;
using testing::HostDirectory;
using ::testing::IsEmpty;

TEST(HostClock, ConvertsTicksBeforeAndAfterTheAnchor) {
  const HostClock clock({.ticks_at_anchor = 1000, .ns_at_anchor = 50, .frequency_hz = 100'000'000},
                        1'000'000);
  EXPECT_EQ(clock.to_wall_ns(1000), 1'000'050);
  EXPECT_EQ(clock.to_wall_ns(1003), 1'000'080);
  EXPECT_EQ(clock.to_wall_ns(999), 1'000'040);
}

TEST(HostClock, IsExactForFrequenciesThatDoNotDivideNanoseconds) {
  const HostClock clock({.ticks_at_anchor = 0, .ns_at_anchor = 0, .frequency_hz = 2'600'000'000},
                        10);
  EXPECT_EQ(clock.to_wall_ns(26), 20);
  EXPECT_EQ(clock.to_wall_ns(2'600'000'000ull * 86400 * 365), 10 + 86400 * 365 * 1'000'000'000ll);
}

TEST(HostClock, TakesNanosecondsAsTheyAre) {
  const HostClock clock({}, 1000);
  EXPECT_EQ(clock.to_wall_ns(42), 1042);
}

TEST(HostClock, StopsAtTheEndsInsteadOfWrapping) {
  const HostClock clock({.ticks_at_anchor = 1, .ns_at_anchor = 1, .frequency_hz = 100'000'000},
                        1'000'000);
  EXPECT_EQ(clock.to_wall_ns(~0ull), std::numeric_limits<std::int64_t>::max());
  EXPECT_LT(clock.to_wall_ns(0), clock.to_wall_ns(1));
}

class HostSessionTest : public ::testing::Test, protected HostDirectory {};

TEST_F(HostSessionTest, IsReadFromTheControlFiles) {
  info.pid = 4711;
  info.pid_name = "python3";
  info.hostname = "node-1";
  info.host_uid = "99";
  info.cann_version = "8.3.0";
  info.rank_id = 6;
  info.network_cards.push_back({"eth0", 1000});
  sample.prof_level = "l1";
  sample.prof_level_camel = "l2";
  sample.host_disk_freq = 50;
  log.counter_diff = 3;  // 30 ns
  finish_and_load();

  const trace::Session& session = trace.session;
  EXPECT_EQ(session.begin_ns, kBeginNs);
  EXPECT_EQ(session.end_ns, kBeginNs + 1'000'000'000);
  EXPECT_EQ(session.monotonic_to_wall_ns, kBeginNs - kMonotonicNs);
  EXPECT_EQ(session.pid, 4711u);
  EXPECT_EQ(session.process_name, "python3");
  EXPECT_EQ(session.host_name, "node-1");
  EXPECT_EQ(session.host_uid, "99");
  EXPECT_EQ(session.cann_version, "8.3.0");
  EXPECT_EQ(session.chip, 5u);
  EXPECT_EQ(session.driver_version, 0x072211u);
  EXPECT_EQ(session.rank, 6);
  EXPECT_EQ(session.host_counter_mhz, 100);
  EXPECT_EQ(session.disk_sample_hz, 50);
  EXPECT_EQ(session.level, trace::Level::kLevel2);
  EXPECT_EQ(session.memory_kb, 1000u);
  EXPECT_EQ(session.cpu_count, 2u);
  ASSERT_EQ(session.network_cards.size(), 1u);
  EXPECT_EQ(session.network_cards[0].first, "eth0");
  EXPECT_THAT(all_losses(), IsEmpty());
}

TEST_F(HostSessionTest, AddsTheTicksBetweenTheTwoClockReadings) {
  log.counter_diff = 3;
  add(format::host::ApiEvent{.level = 20000, .type = 1, .begin = ticks(100), .end = ticks(200)});
  finish_and_load();
  EXPECT_EQ(trace.api_calls().start_ns.at(0), at(100) + 30);
}

TEST_F(HostSessionTest, TakesCopiesFromADeviceDirectory) {
  write_controls();
  write("device_3/info.json.3", format::host::make_info_json(info));
  write("device_3/start_info.3", format::host::make_collection_time(start));
  write("device_3/host_start.log.3", format::host::make_clock_log(log));
  write("host/start_info", "{not json");
  std::filesystem::remove(path() / "host/info.json");
  std::filesystem::remove(path() / "host/host_start.log");
  add(format::host::ApiEvent{.level = 20000, .type = 1, .begin = ticks(100), .end = ticks(200)});
  load();
  EXPECT_EQ(trace.session.chip, 5u);
  EXPECT_EQ(trace.api_calls().start_ns.at(0), at(100));
  EXPECT_THAT(all_losses(), HasSubstr("start_info"));
}

TEST_F(HostSessionTest, TakesCopiesForFilesThatAreSomethingElse) {
  write_controls();
  write("device_3/info.json.3", format::host::make_info_json(info));
  write("device_3/host_start.log.3", format::host::make_clock_log(log));
  write("host/info.json", format::host::make_collection_time(start));
  write("host/host_start.log", "[Host]\nclock_monotonic_raw: 5\ncntvct: 0\n");
  add(format::host::ApiEvent{.level = 20000, .type = 1, .begin = ticks(100), .end = ticks(200)});
  load();
  EXPECT_EQ(trace.session.chip, 5u);
  EXPECT_EQ(trace.api_calls().start_ns.at(0), at(100));
  EXPECT_THAT(all_losses(), HasSubstr("an entry is missing"));
}

TEST_F(HostSessionTest, WithoutAClockLogTheFirstCallIsTheBegin) {
  write_controls();
  std::filesystem::remove(path() / "host/host_start.log");
  add(format::host::ApiEvent{.level = 20000, .type = 1, .begin = 700, .end = 900});
  add(format::host::ApiEvent{.level = 20000, .type = 1, .begin = 500, .end = 510});
  load();
  EXPECT_EQ(trace.api_calls().start_ns.at(0), kBeginNs);
  EXPECT_EQ(trace.api_calls().end_ns.at(0), kBeginNs + 100);
  EXPECT_EQ(trace.api_calls().start_ns.at(1), kBeginNs + 2000);
  EXPECT_THAT(all_losses(), HasSubstr("host_start.log"));
}

TEST_F(HostSessionTest, EveryMissingFileIsReported) {
  write("host/data/empty.txt", "");
  write("host/info.json", "");
  load();
  for (const char* name : {"info.json", "sample.json", "start_info", "end_info", "type_info_dic"}) {
    EXPECT_THAT(all_losses(), HasSubstr(name));
  }
  EXPECT_EQ(trace.session.level, trace::Level::kUnknown);
  EXPECT_EQ(trace.session.end_ns, 0);
}

TEST_F(HostSessionTest, WithoutAnEndTheRunWasKilled) {
  write_controls();
  std::filesystem::remove(path() / "host/end_info");
  load();
  EXPECT_EQ(trace.session.end_ns, 0);
  EXPECT_THAT(all_losses(), HasSubstr("did not finish"));
}

TEST_F(HostSessionTest, ADeviceAloneStillGivesTheSession) {
  write("device_0/info.json.0", format::host::make_info_json(info));
  write("device_0/start_info.0", format::host::make_collection_time(start));
  load();
  EXPECT_EQ(trace.session.begin_ns, kBeginNs);
  EXPECT_THAT(all_losses(), HasSubstr("There is no host data"));
}

}  // namespace
}  // namespace npuprof::load
