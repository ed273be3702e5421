// Every file of a profile in turn is emptied, removed, overwritten or flipped, and the profile is
// parsed: no crash, what other files tell is still there, and what was damaged is named.

#include <random>
#include <string>

#include "command.h"
#include "damaged_profile.h"
#include "report/result_files.h"
#include "sanitizers.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::Command;
using npuprof::testing::DamagedFiles;
using npuprof::testing::DamagedProfile;
using npuprof::testing::is_done_mark;
using npuprof::testing::is_unread_copy;
using npuprof::testing::Parsed;
using npuprof::testing::Part;
using npuprof::testing::part_of;

// Damage must not surprise any of the reports.
void expect_results(const DamagedProfile& profile, const Parsed& parsed) {
  ThreadPool pool(1);
  const report::ExportOptions to{.text = true,
                                 .database = true,
                                 .perfetto = true,
                                 .output = profile.directory() / "out",
                                 .time_stamp = "20260101000000"};
  const Status status = report::export_framework(parsed.trace, to, pool);
  EXPECT_TRUE(status.ok()) << status.error().message;
}

std::string random_bytes(std::size_t size, std::mt19937& random) {
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

// The framework's files have no mark that would tell of them once they are gone, only some of them
// others that refer to them; and of the marks themselves nothing tells.
bool can_be_missed(const fs::path& file) {
  const std::string name = file.filename();
  if (part_of(file) == Part::kFramework) {
    return name == "torch.op_range" || name == "torch.memory_usage" ||
           name.starts_with("torch.python_tracer");
  }
  return !is_done_mark(file) && name != "profiler_metadata.json";
}

TEST_P(DamagedFiles, AnEmptyFileIsNamedAndTheRestIsWhole) {
  for (const fs::path& file : files(0)) {
    SCOPED_TRACE(file);
    const Parsed parsed = profile_->parse_with(file, "");
    EXPECT_EQ(parsed.names(file), !is_done_mark(file)) << parsed.sentences();
    profile_->expect_others_whole(file, parsed);
  }
}

TEST_P(DamagedFiles, AMissingFileIsNamedAndTheRestIsWhole) {
  for (const fs::path& file : files(1)) {
    SCOPED_TRACE(file);
    const Parsed parsed = profile_->parse_without(file);
    if (file.filename().native().starts_with("profiler_info")) {
      EXPECT_NE(parsed.sentences().find("no profiler_info.json"), std::string::npos);
    } else {
      EXPECT_EQ(parsed.names(file), can_be_missed(file)) << parsed.sentences();
    }
    profile_->expect_others_whole(file, parsed);
  }
}

TEST_P(DamagedFiles, RandomBytesAreNamedAndTheRestIsWhole) {
  std::mt19937 random(2);
  for (const fs::path& file : files(2)) {
    if (is_done_mark(file)) continue;
    SCOPED_TRACE(file);
    const Parsed parsed = profile_->parse_with(file, random_bytes(4096 + 3, random));
    EXPECT_TRUE(parsed.names(file) || is_unread_copy(file)) << parsed.sentences();
    profile_->expect_others_whole(file, parsed);
    expect_results(*profile_, parsed);
  }
}

TEST_P(DamagedFiles, FlippedBitsAreSurvived) {
  std::mt19937 random(3);
  for (const fs::path& file : files(3)) {
    SCOPED_TRACE(file);
    const std::string content = read_file(file).value();
    for (int round = 0; round < (npuprof::testing::kHasAddressSanitizer ? 1 : 6); ++round) {
      std::string changed = content;
      changed[random() % changed.size()] ^= static_cast<char>(1U << (random() % 8));
      const Parsed parsed = profile_->parse_with(file, changed);
      profile_->expect_others_whole(file, parsed);
      if (round == 0) expect_results(*profile_, parsed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Job, DamagedFiles, ::testing::Values("parallel", "graph"));

// The program, as a user sees it: a line that names the file, status 1, and results all the same.
TEST(DamagedInput, IsToldOfByStatusAndSentence) {
  const DamagedProfile profile(npuprof::testing::graph_job());
  const auto run = [&](const fs::path& output) {
    Command command({NPUPROF_PROGRAM, "parse", profile.path(), "-o", output});
    const int status = command.wait();
    return std::pair(status, command.output());
  };
  EXPECT_EQ(run(profile.directory() / "whole").first, 0);
  for (const char* const name : {"torch.op_range", "aging.api_event.data.slice_0",
                                 "stars_soc.data.0.slice_0", "info.json.0", "host_start.log"}) {
    SCOPED_TRACE(name);
    const auto file = std::find_if(profile.files().begin(), profile.files().end(),
                                   [&](const fs::path& each) { return each.filename() == name; });
    ASSERT_NE(file, profile.files().end());
    fs::resize_file(*file, fs::file_size(*file) / 2);
    const auto [status, output] = run(profile.directory() / name);
    EXPECT_EQ(status, 1);
    EXPECT_NE(output.find(name), std::string::npos) << output;
    std::size_t tables = 0;
    for (const auto& entry : fs::recursive_directory_iterator(profile.directory() / name)) {
      tables += entry.path().filename() == "kernel_details.csv" ? 1 : 0;
    }
    EXPECT_EQ(tables, 1u);
  }
}

}  // namespace
}  // namespace npuprof
