#include "format/device/perf_text.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/device/cpu_events.h"
#include "format/device/link_text.h"

namespace npuprof::format::device {
namespace {

struct Sample {
  std::int64_t time_ns;
  std::uint32_t cpu;
  std::uint64_t count;
  std::uint32_t event;
  std::string function;
  std::string module;

  bool operator==(const Sample&) const = default;
};
void PrintTo(const Sample& sample, std::ostream* out) {
  *out << sample.time_ns << " [" << sample.cpu << "] " << sample.count << " of " << sample.event
       << " in '" << sample.function << "' of '" << sample.module << "'";
}

std::vector<Sample> read(std::string_view text, std::size_t damaged = 0) {
  std::vector<Sample> samples;
  const PerfCounts counts = read_perf_samples(text, [&](const PerfSample& sample) {
    samples.push_back({sample.time_ns, sample.cpu, sample.count, sample.event,
                       std::string(sample.function), std::string(sample.module)});
  });
  EXPECT_EQ(counts.samples, samples.size());
  EXPECT_EQ(counts.damaged, damaged) << text;
  return samples;
}

TEST(PerfSamples, TakeTheFunctionAndPassOverItsCallers) {
  EXPECT_EQ(
      read("# captured on: today\n"
           "swapper     0/0     [003]   123.456789:      20000 r11: \n"
           "\tffff000008091f5c cpu_do_idle+0x8 ([kernel.kallsyms])\n"
           "\tffff0000080a1f5c do_idle+0x1c ([kernel.kallsyms])\n"
           "\n"
           "ascend worker  12/34   [010]   124.000001:   7 raw 0x1b:\n"
           "\t            7f01 [unknown] (/usr/lib/libx.so)\n\n"),
      (std::vector<Sample>{{123'456'789'000, 3, 20000, 0x11, "cpu_do_idle", "[kernel.kallsyms]"},
                           {124'000'001'000, 10, 7, 0x1b, "unknown", "/usr/lib/libx.so"}}));
}

TEST(PerfSamples, NamesMayContainAnything) {
  const auto frame = [](const std::string& text) {
    const auto samples = read("[kworker/0:1] 5/5 [000] 1.000000: 1 r10:u:\n 0 " + text + "\n\n");
    return samples.empty() ? std::pair<std::string, std::string>()
                           : std::pair(samples[0].function, samples[0].module);
  };
  using Parts = std::pair<std::string, std::string>;
  EXPECT_EQ(frame("a::operator+(a const&, int)+0x10 (/lib/a b.so)"),
            Parts("a::operator+(a const&, int)", "/lib/a b.so"));
  EXPECT_EQ(frame("f+0x10 (/lib/x.so (deleted))"), Parts("f", "/lib/x.so (deleted)"));
  EXPECT_EQ(frame("f (/lib/x.so (deleted))"), Parts("f", "/lib/x.so (deleted)"));
  EXPECT_EQ(frame("f"), Parts("f", "unknown"));
  EXPECT_EQ(read("[kworker/0:1] 5/5 [000] 1.000000: 1 r10:u:\n 0 f\n").at(0).event, 0x10u);
}

TEST(PerfSamples, KeepWhatIsWhole) {
  const std::string good = "a 1/1 [000] 1.000000: 5 r8:\n\t10 f+0x1 (m)\n\n";
  const Sample sample{1'000'000'000, 0, 5, 8, "f", "m"};
  // Begins inside a sample, has one without function and one of an unknown event, and is cut.
  EXPECT_EQ(read("\t10 g+0x1 (m)\n\t11 h+0x1 (m)\n\n" + good + "a 1/1 [000] 1.000000: 5 r8:\n\n" +
                     "a 1/1 [000] 1.000000: 5 page-faults:\n\t10 f+0x1 (m)\n\n" + good +
                     "a 1/1 [000] 1.000000: 5 r8:\n\t10",
                 4),
            (std::vector<Sample>{sample, sample}));
}

TEST(PerfSamples, RoundTrip) {
  std::string text;
  append_perf_sample(text,
                     {.time_ns = 12'000'345'000,
                      .cpu = 11,
                      .count = 99,
                      .event = 0x1b,
                      .function = "main",
                      .module = "/bin/x"},
                     "two words", 17);
  EXPECT_EQ(read(text), (std::vector<Sample>{{12'000'345'000, 11, 99, 0x1b, "main", "/bin/x"}}));
}

TEST(CacheCounts310, Lines) {
  const auto count =
      parse_cache_count_310("     1.500000001             166393      hisi_l3c0_1/read_hit/ (50%)");
  ASSERT_TRUE(count);
  EXPECT_EQ(count->time_ns, 1'500'000'001);
  EXPECT_EQ(count->count, 166393u);
  EXPECT_EQ(count->event, static_cast<std::uint32_t>(CacheEvent310::kReadHit));
  const auto nothing = parse_cache_count_310("1.5 <not counted> hisi_l3c0_1/dsid7/");
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->count, 0u);
  EXPECT_EQ(nothing->event, static_cast<std::uint32_t>(CacheEvent310::kLinesOfCpu0) + 7);
  EXPECT_FALSE(parse_cache_count_310("1.5 12 hisi_l3c0_1/dsid8/"));
  EXPECT_FALSE(parse_cache_count_310("1.5 12 cycles"));
  EXPECT_FALSE(parse_cache_count_310("x 12 hisi_l3c0_1/dsid1/"));
  for (std::uint32_t event = 0; event < 14; ++event) {
    std::string line;
    append_cache_count_310(line, {.time_ns = 2'000'000'003, .count = 4, .event = event});
    const auto again = parse_cache_count_310(line);
    ASSERT_TRUE(again) << line;
    EXPECT_EQ(again->time_ns, 2'000'000'003);
    EXPECT_EQ(again->event, event);
  }
}

TEST(PerfText, SurvivesRandomBytes) {
  std::mt19937 random(5);
  constexpr std::string_view kAlphabet = "a 1/2 [003]. 5: r11:\n\n+0x(m)<not dsid/";
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 120, ' ');
    for (char& c : text) c = kAlphabet[random() % kAlphabet.size()];
    read_perf_samples(text, [](const PerfSample&) {});
    for_each_sample_line(text, 0, kPerfCommentMark, parse_cache_count_310,
                         [](const CacheCount310&) {});
  }
}

TEST(CpuEvents, HaveNames) {
  EXPECT_EQ(cpu_event_name(kCpuCyclesEvent), "CPU_CYCLES");
  EXPECT_EQ(cpu_event_name(0), "SW_INCR");
  EXPECT_EQ(cpu_event_name(0xec), "STALL_BACKEND_ST_TLB");
  EXPECT_EQ(cpu_event_name(0x1f), "");
  EXPECT_EQ(cpu_event_name(0x1000), "");
}

}  // namespace
}  // namespace npuprof::format::device
