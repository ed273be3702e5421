// Parts of a profile that are gone, and clocks that cannot be right: what the rest of it proves is
// told with a number, and nothing is shown at a time when it cannot have happened.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "damaged_profile.h"
#include "format/host/compact_task.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/python_calls.h"
#include "trace/host/api_calls.h"
#include "trace/host/task_tracks.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::DamagedProfile;
using npuprof::testing::Parsed;
using ::testing::HasSubstr;

class MissingPartsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sim::JobOptions job;
    job.seed = 11;
    profile_ = new DamagedProfile(job);
  }
  static void TearDownTestSuite() { delete profile_; }

  // The first file or directory whose path matches.
  static fs::path find(const std::string& pattern) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(profile_->path())) {
      const std::string path = fs::relative(entry.path(), profile_->path()).native();
      if (std::regex_match(path, std::regex(pattern))) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    EXPECT_FALSE(paths.empty()) << pattern;
    return paths.empty() ? fs::path() : paths.front();
  }
  static std::uint64_t lost_records(const Parsed& parsed, std::string_view what) {
    for (const trace::Loss& loss : parsed.losses.items()) {
      if (loss.what.find(what) != std::string::npos) return loss.records;
    }
    ADD_FAILURE() << "no loss says '" << what << "':\n" << parsed.sentences();
    return 0;
  }
  static Parsed without(const std::string& pattern) {
    return profile_->parse_without(find(pattern));
  }
  // Parses with each text that matches replaced, in all files that match.
  static Parsed with_edited(const std::string& file_pattern, const std::string& text_pattern,
                            const std::string& text) {
    std::vector<std::pair<fs::path, std::string>> originals;
    for (const fs::path& file : profile_->files()) {
      if (!std::regex_match(file.filename().native(), std::regex(file_pattern))) continue;
      const std::string original = read_file(file).value();
      const std::string edited = std::regex_replace(original, std::regex(text_pattern), text);
      EXPECT_NE(edited, original) << file;
      EXPECT_TRUE(write_file(file, edited).ok());
      originals.emplace_back(file, original);
    }
    EXPECT_FALSE(originals.empty());
    Parsed parsed = profile_->parse();
    for (const auto& [file, original] : originals) EXPECT_TRUE(write_file(file, original).ok());
    return parsed;
  }

  static bool is_near(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
    constexpr std::int64_t kMinuteNs = 60'000'000'000;
    return !a.empty() && !b.empty() && std::abs(a.front() - b.front()) < kMinuteNs &&
           std::abs(a.back() - b.back()) < kMinuteNs;
  }
  // Host, device and framework show the same time, and what belongs together is joined.
  static void expect_one_time(const Parsed& parsed) {
    const trace::Trace& trace = parsed.trace;
    EXPECT_FALSE(parsed.losses.empty()) << "nothing was said";
    EXPECT_TRUE(is_near(trace.api_calls().start_ns, trace.tasks().start_ns)) << parsed.sentences();
    EXPECT_TRUE(is_near(trace.api_calls().start_ns, trace.framework_ops().start_ns))
        << parsed.sentences();
    EXPECT_EQ(trace.kernels().size(), profile_->whole().trace.kernels().size());
  }

  static DamagedProfile* profile_;
};
DamagedProfile* MissingPartsTest::profile_ = nullptr;

TEST_F(MissingPartsTest, ADeviceThatTasksWereLaunchedOn) {
  const Parsed parsed = without("PROF_[^/]*/device_0");
  EXPECT_EQ(lost_records(parsed, "There is no data of device 0"),
            profile_->whole().trace.task_tracks().size());
}

TEST_F(MissingPartsTest, TheCannData) {
  EXPECT_GT(lost_records(without("PROF_[^/]*"), "CANN's data is missing"), 0u);
}

TEST_F(MissingPartsTest, TheFrameworksData) {
  lost_records(without("FRAMEWORK"), "no operators of the framework");
  lost_records(without("FRAMEWORK/torch.op_range"), "there are no operators");
  lost_records(without("FRAMEWORK/torch.memory_usage"), "memory was recorded");
  lost_records(without("FRAMEWORK/torch.python_tracer_func"), "Python calls were recorded");
}

TEST_F(MissingPartsTest, NamesOfPythonCalls) {
  EXPECT_EQ(lost_records(without("FRAMEWORK/torch.python_tracer_hash"), "have no name"),
            profile_->whole().trace.python_calls().size());
}

TEST_F(MissingPartsTest, LaunchesAndTasksThatTheOtherSideKnows) {
  const fs::path tracks =
      find(".*/unaging.compact.task_track.slice_0|.*/aging.compact.task_track.slice_0");
  const std::string content = read_file(tracks).value();
  const std::size_t dropped = 5 * sizeof(format::host::TaskTrack);
  std::string shorter = content;
  shorter.erase(
      content.size() / 2 / sizeof(format::host::TaskTrack) * sizeof(format::host::TaskTrack),
      dropped);
  EXPECT_EQ(lost_records(profile_->parse_with(tracks, shorter), "no record of their launch"), 5u);

  const fs::path tasks = find(".*/stars_soc.data.0.slice_0");
  const std::string log = read_file(tasks).value();
  fs::rename(tasks.native() + ".done", profile_->directory() / "done");
  const Parsed parsed =
      profile_->parse_with(tasks, std::string_view(log).substr(0, log.size() / 128 * 64));
  fs::rename(profile_->directory() / "done", tasks.native() + ".done");
  EXPECT_GT(lost_records(parsed, "no task on the device"), 0u);
}

TEST_F(MissingPartsTest, AllLaunches) {
  const fs::path tracks = find(".*/aging.compact.task_track.slice_0");
  fs::rename(tracks.native() + ".done", profile_->directory() / "done");
  const Parsed parsed = profile_->parse_without(tracks);
  fs::rename(profile_->directory() / "done", tracks.native() + ".done");
  EXPECT_EQ(lost_records(parsed, "There is no record of a launch"),
            profile_->whole().trace.tasks().size());
}

TEST_F(MissingPartsTest, AllDataOfADevice) {
  const fs::path data = find("PROF_[^/]*/device_0/data");
  fs::rename(data, profile_->directory() / "data");
  fs::create_directory(data);
  const Parsed parsed = profile_->parse();
  fs::remove(data);
  fs::rename(profile_->directory() / "data", data);
  lost_records(parsed, "There is no file of data");
}

TEST_F(MissingPartsTest, AllNames) {
  const fs::path names = find(".*/unaging.additional.hash_dic.slice_0");
  fs::rename(names.native() + ".done", profile_->directory() / "done");
  const Parsed parsed = profile_->parse_without(names);
  fs::rename(profile_->directory() / "done", names.native() + ".done");
  EXPECT_THAT(parsed.sentences(), HasSubstr("dictionary of names is missing"));
}

TEST_F(MissingPartsTest, TimesFarFromAllOthers) {
  const auto damage = [&](const std::string& pattern, std::size_t offset) {
    const fs::path file = find(pattern);
    std::string content = read_file(file).value();
    content.replace(offset, 8, 8, '\x7E');
    Parsed parsed = profile_->parse_with(file, content);
    EXPECT_FALSE(parsed.losses.empty()) << pattern;
    return parsed;
  };
  const Parsed calls = damage(".*/aging.api_event.data.slice_0", 5 * 40 + 24);
  EXPECT_LT(calls.trace.api_calls().end_ns.back(), calls.trace.session.begin_ns * 2);
  for (const char* file : {".*/npu_module_mem.data.0.slice_0", ".*/hbm.data.0.slice_0",
                           ".*/pcie.data.0.slice_0", ".*/stars_soc.data.0.slice_0"}) {
    const std::size_t offset =
        std::string_view(file).find("stars") == std::string_view::npos ? 0 : 8;
    damage(file,
           offset + (std::string_view(file).find("module") != std::string_view::npos ? 8 : 0));
  }
}

TEST_F(MissingPartsTest, TheFrequencyOfTheCpu) {
  for (const char* text : {"\"Frequency\":\"0\"", "\"Frequency\":\"-100\"", "\"Frequency\":null",
                           "\"Frequency\":\"7.5\"", "\"Frequency\":\"\""}) {
    SCOPED_TRACE(text);
    expect_one_time(with_edited("info\\.json.*[0-9n]", "\"Frequency\":\"[^\"]*\"", text));
  }
}

TEST_F(MissingPartsTest, TheStartOfTheCollection) {
  for (const char* text : {"\"collectionTimeBegin\":\"0\"", "\"collectionTimeBegin\":\"-7\"",
                           "\"collectionTimeBegin\":\"\""}) {
    SCOPED_TRACE(text);
    expect_one_time(with_edited("start_info(\\.0)?", "\"collectionTimeBegin\":\"[^\"]*\"", text));
  }
  // Only the device's, or only the host's.
  expect_one_time(with_edited("start_info", "\"collectionTimeBegin\":\"[^\"]*\"",
                              "\"collectionTimeBegin\":\"0\""));
  expect_one_time(with_edited("start_info\\.0", "\"collectionTimeBegin\":\"[^\"]*\"",
                              "\"collectionTimeBegin\":\"0\""));
}

TEST_F(MissingPartsTest, ControlFilesWithClocks) {
  for (const char* file : {".*/host/start_info", ".*/device_0/dev_start.log.0",
                           ".*/device_0/host_start.log.0", ".*/host/host_start.log"}) {
    SCOPED_TRACE(file);
    expect_one_time(without(file));
  }
  for (const char* file : {"dev_start.log.0", "host_start.log.0"}) {
    SCOPED_TRACE(file);
    expect_one_time(with_edited(file, "cntvct: [0-9]+", "cntvct: 5"));
    expect_one_time(with_edited(file, "clock_monotonic_raw: [0-9]+", "clock_monotonic_raw: 77"));
  }
  expect_one_time(with_edited("start_info(\\.0)?", "\"clockMonotonicRaw\":\"[^\"]*\"",
                              "\"clockMonotonicRaw\":\"77\""));
}

}  // namespace
}  // namespace npuprof
