#include "format/host/proc_blocks.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace npuprof::format::host {
namespace {

TEST(ProcBlocks, RoundTrip) {
  std::string text;
  append_proc_block(text, {.time_ns = 7, .index = 1, .body = "cpu 1 2 3 4 5 6 7 0\n\ncpu0 1 1"});
  append_proc_block(text, {.time_ns = 8, .index = 2, .body = ""});
  EXPECT_EQ(text,
            "TimeStamp:7\nIndex:1\nDataLen:29\ncpu 1 2 3 4 5 6 7 0\ncpu0 1 1\n\n"
            "TimeStamp:8\nIndex:2\nDataLen:0\n\n");
  std::vector<std::string> bodies;
  const auto counts = read_proc_blocks(text, [&](const ProcBlock& block) {
    EXPECT_EQ(block.time_ns, 6 + block.index);
    bodies.emplace_back(block.body);
  });
  EXPECT_EQ(counts.bad_lines, 0u);
  EXPECT_EQ(bodies, (std::vector<std::string>{"cpu 1 2 3 4 5 6 7 0\ncpu0 1 1", ""}));
}

TEST(ProcBlocks, UseAnUnfinishedBlockAndCountNoise) {
  std::size_t blocks = 0;
  const auto counts = read_proc_blocks("noise\nTimeStamp:x\nIndex:1\nTimeStamp:5\nMemTotal: 9 kB",
                                       [&](const ProcBlock& block) {
                                         ++blocks;
                                         EXPECT_EQ(block.body, "MemTotal: 9 kB");
                                       });
  EXPECT_EQ(blocks, 1u);
  EXPECT_EQ(counts.bad_lines, 3u);
}

TEST(ProcLines, AreParsed) {
  const auto times = parse_cpu_times("cpu3 1 2 3 4 5 6 7 8 9");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->name, "cpu3");
  EXPECT_EQ(times->cpu(), 3u);
  EXPECT_EQ(times->soft_irq, 7u);
  EXPECT_EQ(times->steal, 8u);
  EXPECT_EQ(times->total(), 36u) << "time of guests is part of the others";
  EXPECT_FALSE(parse_cpu_times("cpu 1 2 3 4 5 6 7")->cpu()) << "all CPUs";
  EXPECT_FALSE(parse_cpu_times("intr 1 2 3 4 5 6 7"));
  EXPECT_FALSE(parse_cpu_times("cpu 1 2"));
  const auto memory = parse_memory_line("MemTotal:       1583000 kB");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->name, "MemTotal");
  EXPECT_EQ(memory->kilobytes, 1583000u);
  EXPECT_FALSE(parse_memory_line("MemTotal: many"));
}

TEST(ProcBlocks, LeaveOutABodyThatIsShorterThanAnnounced) {
  std::string text;
  append_proc_block(text, {.time_ns = 7, .index = 0, .body = "12345"});
  append_proc_block(text, {.time_ns = 8, .index = 1, .body = "12345"});
  text.resize(text.size() - 3);  // Both line ends and a digit.
  std::vector<std::string> bodies;
  const auto counts =
      read_proc_blocks(text, [&](const ProcBlock& block) { bodies.emplace_back(block.body); });
  EXPECT_EQ(bodies, std::vector<std::string>{"12345"});
  EXPECT_EQ(counts.bad_lines, 1u);
}

constexpr std::string_view kStat =
    "42 (a b) c) S 1 42 42 0 -1 4194560 100 0 0 0 10 20 3 4 20 0 1 0 55 1 2 3";

TEST(ProcBodies, TimeOfAProcess) {
  const std::string body = std::string(kStat) + "\nProcessName:a: b\ncpu  1 2 3 4 5 6 7 8 9 9";
  const auto times = parse_process_times(body);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->name, "a: b");
  EXPECT_EQ(times->used_jiffies, 37u);
  EXPECT_EQ(times->machine_jiffies, 36u);
  EXPECT_FALSE(parse_process_times(std::string(kStat) + "\nProcessName:a"));
  EXPECT_FALSE(parse_process_times("42 (a) S 1\nProcessName:a\ncpu  1 2 3 4 5 6 7 8"));
  EXPECT_FALSE(parse_process_times(std::string(kStat) + "\ncpu0 1 2 3 4 5 6 7 8"));
}

TEST(ProcBodies, PagesOfAProcess) {
  const auto pages = parse_process_pages("100 20 3 1 0 50 0\nProcessName:python3");
  ASSERT_TRUE(pages);
  EXPECT_EQ(pages->name, "python3");
  EXPECT_EQ(pages->size, 100u);
  EXPECT_EQ(pages->resident, 20u);
  EXPECT_EQ(pages->shared, 3u);
  EXPECT_FALSE(parse_process_pages("100 20\nProcessName:python3"));
}

TEST(ProcBodies, MemoryOfTheSystem) {
  const std::string always =
      "MemTotal: 100 kB\nMemFree: 50 kB\nMemAvailable: 70 kB\nBuffers: 5 kB\nCached: 6 kB\n"
      "SwapCached: 1 kB\nShmem: 7 kB\nCommitLimit: 8 kB\nCommitted_AS: 9 kB\n";
  const auto info = parse_memory_info(always + "HugePages_Total: 3\nHugePages_Free: 2\n");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->total_kb, 100u);
  EXPECT_EQ(info->cached_kb, 6u);
  EXPECT_EQ(info->shared_kb, 7u);
  EXPECT_EQ(info->commit_limit_kb, 8u);
  EXPECT_EQ(info->committed_kb, 9u);
  EXPECT_EQ(info->huge_pages_total, 3u);
  EXPECT_EQ(info->huge_pages_free, 2u);
  EXPECT_EQ(parse_memory_info(always)->huge_pages_total, 0u) << "not every kernel has them";
  EXPECT_FALSE(parse_memory_info(always.substr(0, always.find("Committed"))));
}

TEST(ProcBlocks, SurviveRandomBytes) {
  std::mt19937 random(11);
  constexpr std::string_view kAlphabet = "cpu 0123456789:()\n\nTimeStamp:ProcessName:DataLen:";
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 200, ' ');
    for (char& c : text) c = kAlphabet[random() % kAlphabet.size()];
    read_proc_blocks(text, [](const ProcBlock& block) {
      parse_process_times(block.body);
      parse_process_pages(block.body);
      parse_memory_info(block.body);
    });
  }
}

}  // namespace
}  // namespace npuprof::format::host
