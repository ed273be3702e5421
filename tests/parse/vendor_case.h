#pragma once

// Results of the vendor's parsers, and ours for the same raw directories.

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "report/result_files.h"
#include "shared_data.h"
#include "temporary_directory.h"

namespace npuprof::testing {

// One level of collection: raw directories of two ranks, parsed as profiles of the framework and
// of CANN alone.
class VendorCase {
 public:
  static std::filesystem::path reference() { return shared_data_path("data/peer/gen_raw"); }
  static bool is_available() {
    return std::filesystem::exists(reference()) &&
           std::filesystem::exists(shared_data_path("tools/gen_raw.py"));
  }
  // Made once for all tests of a process.
  static const VendorCase& of_level(int level) {
    static std::map<int, std::unique_ptr<VendorCase>> cases;
    auto& made = cases[level];
    if (!made) made.reset(new VendorCase(level));
    return *made;
  }

  // ASCEND_PROFILER_OUTPUT and mindstudio_profiler_output with what is beside it.
  std::filesystem::path their_framework(int rank) const {
    return their_rank(rank) / "ASCEND_PROFILER_OUTPUT";
  }
  std::filesystem::path our_framework(int rank) const {
    return directory_ / ("framework" + std::to_string(rank)) / "ASCEND_PROFILER_OUTPUT";
  }
  std::filesystem::path their_cann(int rank) const { return their_rank(rank); }
  std::filesystem::path our_cann(int rank) const {
    return directory_ / ("cann" + std::to_string(rank));
  }

 private:
  static constexpr const char* kTimeStamp = "20250109101530";

  explicit VendorCase(int level) : level_(level) {
    const std::string text = std::to_string(level);
    std::string command =
        "python3 '" + shared_data_path("tools/gen_raw.py").native() + "' '" +
        (directory_ / "raw").native() +
        "' --steps 2 --ops-per-step 40 --kernels-per-op 2 --ranks 2 --hccl-per-step 3 --level " +
        text;
    if (level == 1) command += " --python-trace --with-stack";
    EXPECT_EQ(std::system((command + " >/dev/null").c_str()), 0);
    const auto found = load::discover(directory_ / "raw");
    EXPECT_TRUE(found.ok());
    if (!found.ok()) return;
    for (const load::Profile& profile : found->profiles) parse(profile);
  }

  std::filesystem::path their_rank(int rank) const {
    return reference() / ("level" + std::to_string(level_)) / ("rank" + std::to_string(rank));
  }

  void parse(const load::Profile& profile) {
    export_one(profile, our_framework(profile.rank), false);
    for (const auto& entry : std::filesystem::directory_iterator(profile.path)) {
      if (!entry.path().filename().native().starts_with("PROF_")) continue;
      const auto cann = load::discover(entry.path());
      ASSERT_TRUE(cann.ok());
      export_one(cann->profiles.at(0), our_cann(profile.rank) / "mindstudio_profiler_output", true);
    }
  }

  void export_one(const load::Profile& profile, const std::filesystem::path& output, bool cann) {
    trace::Losses losses;
    auto loaded = load::load_profile(profile, pool_, losses);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_TRUE(losses.empty());
    link::link_all(loaded.value(), &pool_);
    const report::ExportOptions options{
        .text = true, .database = true, .output = output, .time_stamp = kTimeStamp};
    std::filesystem::create_directories(output.parent_path());
    const auto status = cann ? report::export_cann(loaded.value(), options, pool_)
                             : report::export_framework(loaded.value(), options, pool_);
    ASSERT_TRUE(status.ok()) << status.error().message;
    if (cann) remove_time_stamps(output.parent_path());
  }

  // The reference has none in its names either.
  static void remove_time_stamps(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    for (const auto& file : files) {
      std::string name = file.filename().native();
      const std::size_t place = name.find(std::string("_") + kTimeStamp);
      if (place == std::string::npos) continue;
      std::filesystem::rename(file, file.parent_path() / name.erase(place, 15));
    }
  }

  int level_;
  TemporaryDirectory directory_;
  ThreadPool pool_{2};
};

// Tests over levels and ranks; skipped without reference data.
class VendorTest : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  void SetUp() override {
    if (!VendorCase::is_available()) {
      GTEST_SKIP() << "no reference data at " << VendorCase::reference();
    }
    results_ = &VendorCase::of_level(level());
  }
  static int level() { return std::get<0>(GetParam()); }
  static int rank() { return std::get<1>(GetParam()); }

  const VendorCase* results_ = nullptr;
};
inline const auto kAllLevelsAndRanks =
    ::testing::Combine(::testing::Values(0, 1, 2), ::testing::Values(0, 1));

inline std::set<std::string> file_names(const std::filesystem::path& directory,
                                        const std::string& extension = "") {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    if (extension.empty() || entry.path().extension() == extension) {
      names.insert(entry.path().filename().native());
    }
  }
  return names;
}

}  // namespace npuprof::testing
