// Results as input, each file of them in turn cut, emptied, overwritten or flipped: no crash, and
// what cannot be read is named.

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "damaged_profile.h"
#include "report/result_files.h"
#include "report/sqlite/database.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::DamagedProfile;

class DamagedResults : public ::testing::Test {
 protected:
  void SetUp() override {
    const DamagedProfile raw(npuprof::testing::graph_job());
    ThreadPool pool(1);
    tables_ = directory_ / "run_ascend_pt/ASCEND_PROFILER_OUTPUT";
    fs::create_directories(tables_.parent_path());
    const trace::Trace& trace = raw.whole().trace;
    ASSERT_TRUE(report::export_framework(trace, {.text = true, .output = tables_}, pool).ok());
    timeline_ = directory_ / "trace_view.json";
    fs::copy_file(tables_ / "trace_view.json", timeline_);
    database_ = directory_ / "ascend_pytorch_profiler_0.db";
    ASSERT_TRUE(report::sqlite::write_database(trace, database_, pool).ok());
  }

  // What is said about the profile at `path`; nothing if all of it can be read.
  static std::string complaints(const fs::path& path) {
    const auto found = load::discover(path);
    if (!found.ok()) return found.error().message;
    ThreadPool pool(1);
    trace::Losses losses;
    auto trace = load::load_profile(found->profiles.at(0), pool, losses);
    if (!trace.ok()) return trace.error().message;
    link::link_all(*trace, &pool);
    EXPECT_EQ(npuprof::testing::uneven_columns(*trace), "");
    std::string text;
    for (const trace::Loss& loss : losses.items()) text += loss.file + ": " + loss.what + "\n";
    return text;
  }

  // The same with `content` in the place of one of its files.
  static std::string complaints_with(const fs::path& path, const fs::path& file,
                                     const std::string& content) {
    const std::string original = read_file(file).value();
    EXPECT_TRUE(write_file(file, content).ok());
    std::string text = complaints(path);
    EXPECT_TRUE(write_file(file, original).ok());
    return text;
  }

  static void damage(const fs::path& path, const fs::path& file) {
    SCOPED_TRACE(file);
    std::mt19937 random(1);
    const std::string content = read_file(file).value();
    const std::string name = file.filename().native();
    const auto expect_named = [&](const char* what, const std::string& text) {
      EXPECT_NE(text.find(name), std::string::npos) << what << ": " << text;
    };
    expect_named("empty", complaints_with(path, file, ""));
    expect_named("replaced", complaints_with(path, file, std::string(5000, '\xfe')));
    for (int round = 0; round < 12; ++round) {
      complaints_with(path, file, content.substr(0, random() % content.size()));
      std::string flipped = content;
      flipped[random() % flipped.size()] ^= static_cast<char>(1U << (random() % 8));
      complaints_with(path, file, flipped);
    }
  }

  npuprof::testing::TemporaryDirectory directory_;
  fs::path tables_;
  fs::path timeline_;
  fs::path database_;
};

TEST_F(DamagedResults, OfADatabase) {
  EXPECT_EQ(complaints(database_), "");
  damage(database_, database_);
  const std::string content = read_file(database_).value();
  EXPECT_NE(complaints_with(database_, database_, content.substr(0, content.size() / 2)), "");
}

TEST_F(DamagedResults, OfATimeline) {
  EXPECT_EQ(complaints(timeline_), "");
  damage(timeline_, timeline_);
  const std::string content = read_file(timeline_).value();
  EXPECT_NE(complaints_with(timeline_, timeline_, content.substr(0, content.size() / 2)), "");
}

TEST_F(DamagedResults, OfTables) {
  const fs::path profile = tables_.parent_path();
  EXPECT_EQ(complaints(profile), "");
  for (const char* const name :
       {"trace_view.json", "kernel_details.csv", "memory_record.csv", "operator_memory.csv"}) {
    damage(profile, tables_ / name);
  }
}

// The program says which file it was, with status 1 if some of it can be used, else 3.
TEST_F(DamagedResults, AreToldOfByStatusAndSentence) {
  const auto expect_status = [&](int expected, const fs::path& path, const fs::path& file) {
    fs::resize_file(file, fs::file_size(file) / 2);
    npuprof::testing::Command parse({NPUPROF_PROGRAM, "parse", path, "-o", directory_ / "out"});
    EXPECT_EQ(parse.wait(), expected) << file;
    EXPECT_NE(parse.output().find(file.filename()), std::string::npos) << parse.output();
  };
  expect_status(3, database_, database_);
  expect_status(1, timeline_, timeline_);
  expect_status(1, tables_.parent_path(), tables_ / "trace_view.json");
}

}  // namespace
}  // namespace npuprof
