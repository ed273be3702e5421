// Every file of a profile in turn is cut, emptied, removed, overwritten or flipped, and the profile
// is parsed: no crash, what other files tell is still there, and what was damaged is named.

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "report/export.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::TemporaryDirectory;

// Which part of a profile a file belongs to: damage to one must leave the others alone.
enum class Part { kFramework, kHost, kDevice, kSession };

Part part_of(const fs::path& file) {
  const std::string& path = file.native();
  const auto has = [&](std::string_view text) { return path.find(text) != std::string::npos; };
  // Clocks, dictionaries and settings tell how all the rest is to be read.
  if (has("profiler_") || has("info") || has(".log") || has("sample.json") || has("hash_dic"))
    return has("_info.slice") ? Part::kHost : Part::kSession;
  if (has("FRAMEWORK")) return Part::kFramework;
  return has("/host/") ? Part::kHost : Part::kDevice;
}

struct Counts {
  std::size_t framework_ops = 0;
  std::size_t memory_events = 0;
  std::size_t api_calls = 0;
  std::size_t task_tracks = 0;
  std::size_t device_tasks = 0;
  std::size_t samples = 0;
  bool operator==(const Counts&) const = default;
};

Counts counts_of(const trace::Trace& trace) {
  return {.framework_ops = trace.framework_ops.size(),
          .memory_events = trace.memory_events.size(),
          .api_calls = trace.api_calls.size(),
          .task_tracks = trace.task_tracks.size(),
          .device_tasks = trace.device_tasks.size(),
          .samples = trace.memory_bandwidth.size() + trace.link_samples.size()};
}

class DamagedFiles : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory;
    sim::JobOptions job{.workload = sim::Workload::kToy,
                        .output = *directory_ / "job",
                        .chip = *sim::find_chip("Ascend910B3"),
                        .steps = 2};
    job.framework.profile_memory = true;
    job.framework.with_stack = true;
    job.framework.gc_detect_threshold_ms = 0.1;
    job.faults.garbage = true;
    job.collection.level = sim::CollectionLevel::kLevel2;
    job.collection.memory = true;
    job.collection.mstx = true;
    job.collection.l2_cache = true;
    job.collection.sys_io = true;
    job.collection.sys_interconnection = true;
    job.collection.op_attr = true;
    ASSERT_TRUE(sim::run_job(job).ok());
    profile_ = new load::Profile(load::discover(job.output)->profiles.front());
    for (const auto& entry : fs::recursive_directory_iterator(profile_->path)) {
      if (entry.is_regular_file()) files_.push_back(entry.path());
    }
    std::sort(files_.begin(), files_.end());
    trace::Losses losses;
    whole_ = counts_of(*parse(losses));
    ASSERT_TRUE(losses.empty()) << losses.items().front().what;
  }
  static void TearDownTestSuite() {
    delete profile_;
    delete directory_;
    files_.clear();
  }

  // Loads, links and writes all results: damage must not surprise any of them.
  static Result<trace::Trace> parse(trace::Losses& losses) {
    // What is there is looked up anew, as files come and go.
    auto found = load::discover(profile_->path);
    if (!found.ok()) return found.error();
    ThreadPool pool(1);
    auto trace = load::load_profile(found->profiles.front(), pool, losses);
    if (!trace.ok()) return trace;
    link::link_all(*trace, &pool);
    const report::ExportOptions to{.text = true,
                                   .database = true,
                                   .output = *directory_ / "out",
                                   .time_stamp = "20260101000000"};
    const Status status = report::export_framework(*trace, to, pool);
    EXPECT_TRUE(status.ok()) << status.error().message;
    return trace;
  }

  static bool names(const trace::Losses& losses, const fs::path& file) {
    return std::any_of(losses.items().begin(), losses.items().end(), [&](const trace::Loss& loss) {
      return loss.file.find(file.filename().native()) != std::string::npos ||
             loss.what.find(file.filename().native()) != std::string::npos;
    });
  }

  // Parses with `content` in the place of the file; puts the file back.
  struct Outcome {
    bool parsed = false;
    bool named = false;
    bool lossy = false;
    Counts counts;
  };
  static Outcome with_content(const fs::path& file, std::string_view content) {
    const std::string original = read_file(file).value();
    EXPECT_TRUE(write_file(file, content).ok());
    Outcome outcome = observe(file);
    EXPECT_TRUE(write_file(file, original).ok());
    return outcome;
  }
  static Outcome without(const fs::path& file) {
    const fs::path aside = *directory_ / "aside";
    fs::rename(file, aside);
    Outcome outcome = observe(file);
    fs::rename(aside, file);
    return outcome;
  }

  static void expect_others_whole(const fs::path& file, const Counts& counts) {
    const Part part = part_of(file);
    if (part == Part::kSession) return;
    if (part != Part::kFramework) {
      EXPECT_EQ(counts.framework_ops, whole_.framework_ops) << file;
      EXPECT_EQ(counts.memory_events, whole_.memory_events) << file;
    }
    if (part != Part::kHost) {
      EXPECT_EQ(counts.api_calls, whole_.api_calls) << file;
      EXPECT_EQ(counts.task_tracks, whole_.task_tracks) << file;
    }
    if (part != Part::kDevice) {
      EXPECT_EQ(counts.device_tasks, whole_.device_tasks) << file;
      EXPECT_EQ(counts.samples, whole_.samples) << file;
    }
  }

  static inline TemporaryDirectory* directory_ = nullptr;
  static inline load::Profile* profile_ = nullptr;
  static inline std::vector<fs::path> files_;
  static inline Counts whole_;

 private:
  static Outcome observe(const fs::path& file) {
    trace::Losses losses;
    const auto trace = parse(losses);
    if (!trace.ok()) return {};
    return {.parsed = true,
            .named = names(losses, file),
            .lossy = !losses.empty(),
            .counts = counts_of(*trace)};
  }
};

bool is_done_mark(const fs::path& file) { return file.extension() == ".done"; }

// The host says when the collection ended; the devices' word is asked only if the host's is lost.
bool is_unread_copy(const fs::path& file) { return file.filename() == "end_info.0"; }

std::string random_bytes(std::size_t size, std::mt19937& random) {
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

TEST_F(DamagedFiles, AFileCutInsideARecordIsNamedAndTheRestIsWhole) {
  std::mt19937 random(1);
  for (const fs::path& file : files_) {
    if (is_done_mark(file)) continue;
    SCOPED_TRACE(file);
    const std::string content = read_file(file).value();
    // One byte less than all is inside the last record, whatever the layout.
    for (const std::size_t cut :
         {content.size() - 1, content.size() / 2 | 1, std::size_t{random() % content.size()}}) {
      const Outcome outcome = with_content(file, std::string_view(content).substr(0, cut));
      ASSERT_TRUE(outcome.parsed);
      expect_others_whole(file, outcome.counts);
      // A line of text that was cut may still be one.
      const bool must_be_named = cut + 1 == content.size() && content.back() != '\n';
      EXPECT_TRUE(outcome.named || !must_be_named || is_unread_copy(file)) << "cut at " << cut;
    }
  }
}

TEST_F(DamagedFiles, AnEmptyOrMissingFileLeavesTheRestWhole) {
  for (const fs::path& file : files_) {
    SCOPED_TRACE(file);
    const Outcome empty = with_content(file, "");
    ASSERT_TRUE(empty.parsed);
    expect_others_whole(file, empty.counts);
    const Outcome missing = without(file);
    ASSERT_TRUE(missing.parsed);
    expect_others_whole(file, missing.counts);
  }
}

TEST_F(DamagedFiles, RandomBytesAreNamedAndTheRestIsWhole) {
  std::mt19937 random(2);
  for (const fs::path& file : files_) {
    if (is_done_mark(file)) continue;
    SCOPED_TRACE(file);
    const Outcome outcome = with_content(file, random_bytes(4096 + 3, random));
    ASSERT_TRUE(outcome.parsed);
    EXPECT_TRUE(outcome.named || is_unread_copy(file));
    expect_others_whole(file, outcome.counts);
  }
}

TEST_F(DamagedFiles, FlippedBitsAndHugeLengthsAreSurvived) {
  std::mt19937 random(3);
  for (const fs::path& file : files_) {
    SCOPED_TRACE(file);
    const std::string content = read_file(file).value();
    if (content.empty()) continue;
    for (int round = 0; round < 6; ++round) {
      std::string changed = content;
      if (round % 2 == 0) {
        changed[random() % changed.size()] ^= static_cast<char>(1U << (random() % 8));
      } else {  // Whatever number is here, it is the largest now.
        const std::size_t at = random() % changed.size();
        const std::size_t size = std::min<std::size_t>(round == 1 ? 4 : 8, changed.size() - at);
        std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(at), size, '\xff');
      }
      const Outcome outcome = with_content(file, changed);
      ASSERT_TRUE(outcome.parsed);
      expect_others_whole(file, outcome.counts);
    }
  }
}

}  // namespace
}  // namespace npuprof
