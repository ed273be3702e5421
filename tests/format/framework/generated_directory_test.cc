// Reads a directory that an independent generator wrote.

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "format/framework/file_names.h"
#include "format/framework/gc_record.h"
#include "format/framework/memory_usage.h"
#include "format/framework/op_mark.h"
#include "format/framework/op_range.h"
#include "format/framework/profiler_info.h"
#include "format/framework/profiler_metadata.h"
#include "format/framework/python_tracer.h"
#include "shared_data.h"
#include "temporary_directory.h"

namespace npuprof::format::framework {
namespace {

namespace fs = std::filesystem;

class GeneratedDirectory : public ::testing::Test {
 protected:
  // Once for all tests: starting the generator takes longer than they do.
  static void SetUpTestSuite() {
    const fs::path generator = npuprof::testing::shared_data_path("tools/gen_raw.py");
    if (!fs::exists(generator)) return;
    out_ = std::make_unique<npuprof::testing::TemporaryDirectory>();
    const std::string command = "python3 '" + generator.native() + "' '" + out_->path().native() +
                                "' --steps 2 --ops-per-step 12 --python-trace --with-stack "
                                "--ranks 2 >/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  static void TearDownTestSuite() { out_.reset(); }

  void SetUp() override {
    if (out_ == nullptr) GTEST_SKIP() << "the generator is not there";
    const auto text = read_file(*out_ / "manifest.json");
    ASSERT_TRUE(text.ok());
    manifest_ = nlohmann::json::parse(*text);
  }

  fs::path rank_path(const nlohmann::json& rank) const {
    return *out_ / rank.at("path").get<std::string>();
  }

  static inline std::unique_ptr<npuprof::testing::TemporaryDirectory> out_;
  nlohmann::json manifest_;
};

// Decodes a file and encodes it again; returns the number of records.
template <TlvRecord T>
std::uint64_t expect_same_file(const fs::path& path) {
  const auto file = MappedFile::open(path);
  EXPECT_TRUE(file.ok()) << path;
  if (!file.ok()) return 0;
  std::vector<std::byte> again;
  const TlvReport report =
      for_each_tlv_record<T>(file->bytes(), [&](const T& record) { append(record, again); });
  EXPECT_TRUE(report.whole());
  EXPECT_TRUE(std::ranges::equal(again, file->bytes())) << path;
  return report.records;
}

template <Record T>
std::uint64_t expect_same_bare_file(const fs::path& path) {
  const auto file = MappedFile::open(path);
  EXPECT_TRUE(file.ok()) << path;
  if (!file.ok()) return 0;
  std::uint64_t records = 0;
  std::vector<std::byte> again;
  const Bytes slices[] = {file->bytes()};
  EXPECT_EQ(for_each_record<T>(slices, Leftover::kAtEnd,
                               [&](const T& record) {
                                 ++records;
                                 const Bytes bytes = bytes_of(record);
                                 again.insert(again.end(), bytes.begin(), bytes.end());
                               }),
            0u);
  EXPECT_TRUE(std::ranges::equal(again, file->bytes())) << path;
  return records;
}

TEST_F(GeneratedDirectory, EveryFileDecodesAndEncodesToTheSameBytes) {
  std::size_t ranks = 0;
  for (const auto& rank : manifest_.at("ranks")) {
    const fs::path directory = rank_path(rank) / kDirectoryName;
    const auto& records = rank.at("records");
    const auto expected = [&](std::string_view name) {
      return records.at(std::string(name)).get<std::uint64_t>();
    };
    EXPECT_EQ(expect_same_file<OpRange>(directory / kOpRangeFile), expected(kOpRangeFile));
    EXPECT_EQ(expect_same_file<OpMark>(directory / kOpMarkFile), expected(kOpMarkFile));
    EXPECT_EQ(expect_same_file<MemoryUsage>(directory / kMemoryUsageFile),
              expected(kMemoryUsageFile));
    EXPECT_EQ(expect_same_bare_file<PythonCall>(directory / kPythonTracerCallFile),
              expected(kPythonTracerCallFile));
    EXPECT_EQ(expect_same_file<PythonHash>(directory / kPythonTracerHashFile), 3u);
    EXPECT_EQ(expect_same_bare_file<GcRecord>(directory / kGcRecordFile), expected(kGcRecordFile));
    ++ranks;
  }
  EXPECT_EQ(ranks, 2u);
}

TEST_F(GeneratedDirectory, StepsAreAtTheTimesTheManifestSays) {
  for (const auto& rank : manifest_.at("ranks")) {
    const auto text =
        read_file(rank_path(rank) / profiler_info_file_name(rank.at("rank").get<int>()));
    ASSERT_TRUE(text.ok());
    const auto info = parse_profiler_info(*text);
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info->rank_id, rank.at("rank").get<int>());
    const Clock clock(clock_sources(*info));

    nlohmann::json steps = nlohmann::json::array();
    const auto file = MappedFile::open(rank_path(rank) / kDirectoryName / kOpRangeFile);
    ASSERT_TRUE(file.ok());
    for_each_tlv_record<OpRange>(file->bytes(), [&](const OpRange& op) {
      const auto step = profiler_step_id(op.name);
      if (!step) return;
      EXPECT_EQ(op.fixed.op_scope(), OpScope::kUserScope);
      steps.push_back({std::stoi(std::string(*step)), clock.wall_ns(op.fixed.start),
                       clock.wall_ns(op.fixed.end)});
    });
    EXPECT_EQ(steps, rank.at("steps_wall_ns"));
  }
}

TEST_F(GeneratedDirectory, MetadataNamesTheGroup) {
  for (const auto& rank : manifest_.at("ranks")) {
    const auto text = read_file(rank_path(rank) / kProfilerMetadataFile);
    ASSERT_TRUE(text.ok());
    const auto metadata = parse_profiler_metadata(*text);
    ASSERT_TRUE(metadata.ok());
    ASSERT_TRUE(metadata->parallel_groups);
    EXPECT_EQ(metadata->parallel_groups->front().group_name, "default_group");
    EXPECT_EQ(metadata->parallel_groups->front().group_rank, rank.at("rank").get<int>());
    EXPECT_EQ(metadata->user.size(), 1u);
  }
}

}  // namespace
}  // namespace npuprof::format::framework
