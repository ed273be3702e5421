#include "record/host_reporter.h"

#include <thread>

#include <gtest/gtest.h>

#include "sim/prof/host_checklist.h"
#include "temporary_directory.h"

namespace npuprof::record {
namespace {

using namespace format::host;  // NOLINT(*-using-namespace)
using npuprof::testing::TemporaryDirectory;
using sim::testing::calls_of;
using sim::testing::dictionaries_of;
using sim::testing::records_of;

TEST(HostReporter, EntersEachStringOnce) {
  const TemporaryDirectory directory;
  HostReporter reporter(directory.path());
  EXPECT_EQ(reporter.hash("AssignAdd"), 836640106292564866u);
  EXPECT_EQ(reporter.hash("AssignAdd"), 836640106292564866u);
  EXPECT_EQ(reporter.hash(""), 0u);
  ASSERT_TRUE(reporter.close().ok());
  EXPECT_EQ(read_file(directory / "unaging.additional.hash_dic.slice_0").value(),
            "836640106292564866:AssignAdd\n");
}

TEST(HostReporter, NamesTheTypesThatWereUsed) {
  const TemporaryDirectory directory;
  HostReporter reporter(directory.path());
  reporter.name_type(kLevelAcl, 0x50001, "aclnnMm");
  reporter.name_type(kLevelAcl, 0x50002, "aclnnNeverCalled");
  reporter.api(Age::kAging, {.level = kLevelAcl, .type = 0x50001});
  reporter.api(Age::kAging, {.level = kLevelNode, .type = kTypeNodeLaunch});
  reporter.api(Age::kAging, {.level = kLevelNode, .type = kTypeNodeLaunch});
  reporter.api(Age::kAging, {.level = kLevelAcl, .type = 0x5ffff});
  TaskTrack track{.header = header_of<TaskTrack>(1, 1)};
  track.task_type = static_cast<std::uint64_t>(TaskType::kFlip);
  reporter.record(Age::kAging, track);
  ContextIdInfo context{.header = make_header(ContextIdInfo::kHcclKind, 232, 1, 1)};
  reporter.record(Age::kAging, context);
  ASSERT_TRUE(reporter.close().ok());
  EXPECT_EQ(read_file(directory / "unaging.additional.type_info_dic.slice_0").value(),
            "20000_327681:aclnnMm\n10000_5:launch\n5000_802:task_track\n5000_98:FLIP_TASK\n"
            "5500_4:context_id_info\n");
}

TEST(HostReporter, ANameThatComesLateCounts) {
  const TemporaryDirectory directory;
  HostReporter reporter(directory.path());
  reporter.api(Age::kAging, {.level = kLevelNode, .type = kTypeNodeLaunch});
  reporter.name_type(kLevelNode, kTypeNodeLaunch, "renamed");
  ASSERT_TRUE(reporter.close().ok());
  EXPECT_EQ((dictionaries_of(directory.path()).types.at({kLevelNode, kTypeNodeLaunch})), "renamed");
}

TEST(HostReporter, SortsRecordsIntoFilesByAgeAndKind) {
  const TemporaryDirectory directory;
  HostReporter reporter(directory.path());
  reporter.record(Age::kAging, NodeBasicInfo{.op_name = 1u});
  reporter.record(Age::kUnaging, NodeBasicInfo{.op_name = 2u});
  reporter.record(Age::kAging, TensorInfo{.op_name = 3u});
  reporter.raw_record(Age::kUnaging, Module::kCompact, "invalid", as_bytes(std::string(64, 'x')));
  ASSERT_TRUE(reporter.close().ok());
  const auto nodes = records_of<NodeBasicInfo>(directory.path());
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].op_name, 2u);
  EXPECT_EQ(nodes[1].op_name, 1u);
  EXPECT_EQ(records_of<TensorInfo>(directory.path()).size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(directory / "unaging.compact.invalid.slice_0"));
}

TEST(HostReporter, SplitsLongMarks) {
  const TemporaryDirectory directory;
  HostReporter reporter(directory.path());
  Msproftx mark{};
  mark.info_type = Msproftx::kMstx;
  mark.mark_id = 1;
  mark.domain = reporter.hash("default");
  reporter.mark(Age::kAging, mark, std::string(300, 'm'));
  ASSERT_TRUE(reporter.close().ok());
  const auto records = records_of<Msproftx>(directory.path());
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].header.level, kLevelMsproftx);
  EXPECT_EQ(records[1].segment, 1);
  EXPECT_EQ((dictionaries_of(directory.path()).types.at({kLevelMsproftx, 0})), "msproftx");
}

TEST(HostReporter, TakesReportsFromManyThreads) {
  const TemporaryDirectory directory;
  HostReporter reporter(directory.path());
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kCalls = 20000;
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < kCalls; ++i) {
        reporter.api(Age::kAging, {.level = kLevelNode,
                                   .type = kTypeNodeLaunch,
                                   .thread_id = thread,
                                   .begin = i,
                                   .end = i + 1,
                                   .item_id = reporter.hash("op" + std::to_string(i % 100))});
        reporter.record(Age::kAging, NodeBasicInfo{.header = header_of<NodeBasicInfo>(thread, i)});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(reporter.close().ok());
  std::map<std::uint32_t, std::uint64_t> next;
  for (const ApiEvent& call : calls_of(directory.path())) {
    EXPECT_EQ(call.begin, next[call.thread_id]++);
  }
  EXPECT_EQ(next.size(), kThreads);
  for (const auto& [thread, count] : next) EXPECT_EQ(count, kCalls);
  EXPECT_EQ(dictionaries_of(directory.path()).strings.size(), 100u);
  sim::testing::expect_dictionaries(directory.path());
  sim::testing::expect_slices(directory.path());
}

TEST(HostReporter, FlushedRecordsSurviveWithoutClose) {
  const TemporaryDirectory directory;
  HostReporter reporter(directory.path());
  reporter.api(Age::kAging, {.level = kLevelNode, .type = kTypeNodeLaunch});
  reporter.hash("name");
  ASSERT_TRUE(reporter.flush().ok());
  EXPECT_EQ(calls_of(directory.path()).size(), 1u);
  EXPECT_EQ(dictionaries_of(directory.path()).strings.size(), 1u);
}

TEST(HostReporter, ReportsTheFirstFailure) {
  const TemporaryDirectory directory;
  HostReporter reporter(directory / "gone");
  reporter.api(Age::kAging, {.level = kLevelNode, .type = kTypeNodeLaunch});
  EXPECT_EQ(reporter.close().error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace npuprof::record
