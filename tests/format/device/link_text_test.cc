#include "format/device/link_text.h"

#include <vector>

#include <gtest/gtest.h>

namespace npuprof::format::device {
namespace {

TEST(LinkText, ReadsHccsAfterItsHeader) {
  std::string text = std::string(kHccsHeader) + "\n";
  append_hccs_line(text, {1000, 5, 6});
  text += "2:000 7 8\r\n\n3000 9\n4000 10 x\n5000 1 2 3\n6000 11 12";
  std::vector<HccsSample> samples;
  const std::size_t damaged = for_each_sample_line(
      text, 1, "", parse_hccs_line, [&](const HccsSample& sample) { samples.push_back(sample); });
  EXPECT_EQ(damaged, 3u);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].sent_bytes, 5u);
  EXPECT_EQ(samples[1].time_ns, 2000u);
  EXPECT_EQ(samples[2].received_bytes, 12u);
}

TEST(LinkText, CountsAHeaderThatHoldsWhatWereLines) {
  std::string text = std::string(kHccsHeader) + std::string(3, '\0') + "00 5 6\n2000 7 8\n";
  std::size_t samples = 0;
  EXPECT_EQ(
      for_each_sample_line(text, 1, "", parse_hccs_line, [&](const HccsSample&) { ++samples; }),
      1u);
  EXPECT_EQ(samples, 1u);
}

TEST(LinkText, ReadsNetworkLinesWithAndWithoutIds) {
  NetworkSample written;
  written.time_ns = 191424758430371;
  written.bandwidth_mb_s = 25000;
  written.received = {1, 2, 3, 18446744073709551615u, 5, 6};
  written.sent = {7, 8, 9, 10, 11, 12};
  std::string text = std::string(kNetworkHeader) + "\n";
  append_network_line(text, written);
  written.function_id = 0;
  append_network_line(text, written);
  written.type_id = 3;
  append_network_line(text, written);
  std::vector<NetworkSample> samples;
  EXPECT_EQ(for_each_sample_line(text, 0, kNetworkHeaderMark, parse_network_line,
                                 [&](const NetworkSample& sample) { samples.push_back(sample); }),
            0u);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].time_ns, 191424758430371u);
  EXPECT_EQ(samples[0].bandwidth_mb_s, 25000);
  EXPECT_EQ(samples[0].received.bytes, 18446744073709551615u);
  EXPECT_EQ(samples[0].sent.packets_per_s, 7);
  EXPECT_EQ(samples[0].sent.dropped, 12u);
  EXPECT_FALSE(samples[0].function_id);
  EXPECT_EQ(samples[1].function_id, 0u);
  EXPECT_EQ(samples[2].type_id, 3u);
}

TEST(LinkText, RefusesDamagedNetworkLines) {
  for (const char* line :
       {"", "1 2 3", "1 2 3 4 5 6 7 8 9 10 11 12 13", "x 2 3 4 5 6 7 8 9 10 11 12 13 14",
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "1 2 3 4 -5 6 7 8 9 10 11 12 13 14",
        "1 2 3 4 5 6 7 8 9 10 11 12 13 nan", "1 2 3 4 5 6 7 8 9 10 11 12 13 1e30",
        "11111111111111111111111111111111111111111111111 2 3 4 5 6 7 8 9 0 1 2 3 4"}) {
    EXPECT_FALSE(parse_network_line(line)) << line;
  }
  EXPECT_EQ(parse_network_line("1 2 3 4 5.9 6 7 8 9 10 11 12 13 14")->received.packets, 5u);
}

TEST(LinkText, ReadsDvppWithAndWithoutId) {
  const auto with = parse_dvpp_line("176:25 0 4 1 10 20 30% 40 50 60% 70 80", true);
  ASSERT_TRUE(with);
  EXPECT_DOUBLE_EQ(with->time, 176.25);
  EXPECT_EQ(with->dvpp_id, 0u);
  EXPECT_EQ(with->engine_type, 4u);
  EXPECT_EQ(with->engine_id, 1u);
  EXPECT_DOUBLE_EQ(with->all_utilization, 30);
  EXPECT_EQ(with->last_frames, 80u);
  const auto without = parse_dvpp_line("176.25 4 1 10 20 30 40 50 60 70 80", false);
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->dvpp_id);
  EXPECT_EQ(without->last_frames, 80u);
  EXPECT_FALSE(parse_dvpp_line("176.25 4 1 10 20 30 40 50 60 70 80", true));
  EXPECT_FALSE(parse_dvpp_line("time dvpp_id engine_type", true));
  EXPECT_FALSE(parse_dvpp_line("", false));
}

TEST(LinkText, ReadsNetdevCounters) {
  NetdevSample written;
  written.time_ns = 99;
  for (std::size_t i = 0; i < NetdevSample::kCounters; ++i) written.counters[i] = i * i;
  std::string text;
  append_netdev_line(text, written);
  const auto sample = parse_netdev_line(trim(text));
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->time_ns, 99u);
  EXPECT_EQ(sample->counters, written.counters);
  EXPECT_EQ(NetdevSample::kNames[14], "nic_rx_all_oct");
  EXPECT_FALSE(parse_netdev_line("1 2 3"));
}

}  // namespace
}  // namespace npuprof::format::device
