// Loads and links raw profiles that an independent writer made, and finds everything again that the
// writer says it put in.

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "format/host/enumerations.h"
#include "format/host/levels.h"
#include "link/host/host_calls.h"
#include "load/cann_host/load_cann_host.h"
#include "load/discover.h"
#include "shared_data.h"
#include "temporary_directory.h"
#include "trace/host/api_calls.h"
#include "trace/host/task_tracks.h"
#include "trace/launched/launched_collectives.h"
#include "trace/launched/launched_ops.h"
#include "trace/launched/launches.h"

namespace npuprof::link {
namespace {

namespace fs = std::filesystem;
using format::host::TaskType;
using npuprof::testing::shared_data_path;
using npuprof::testing::TemporaryDirectory;
using trace::kNone;

struct Profile {
  nlohmann::json counts;
  nlohmann::json steps;
  trace::Trace trace;
};

// Writes profiles with `options`, and loads and links the one of the first rank. Nothing if the
// writer is absent.
std::unique_ptr<Profile> generate(const std::string& options) {
  const fs::path tool = shared_data_path("tools/gen_raw.py");
  if (!fs::exists(tool)) return nullptr;
  const TemporaryDirectory directory;
  const std::string command = "python3 '" + tool.native() + "' '" + directory.path().native() +
                              "' " + options + " > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  const auto manifest = nlohmann::json::parse(read_file(directory / "manifest.json").value());
  const auto found = load::discover(directory.path());
  EXPECT_EQ(found->profiles.size(), manifest["ranks"].size());
  EXPECT_EQ(found->profiles.at(0).rank, 0);

  auto profile = std::make_unique<Profile>();
  profile->counts = manifest["ranks"][0]["counts"];
  profile->steps = manifest["ranks"][0]["steps_wall_ns"];
  trace::Losses losses;
  load::testing::load_cann_host(found->profiles[0].cann, profile->trace, losses);
  for (const auto& loss : losses.items()) ADD_FAILURE() << loss.file << ": " << loss.what;
  link_host_calls(profile->trace);
  return profile;
}

// Small profiles of each level, made once.
const Profile* profile_of_level(int level) {
  static std::map<int, std::unique_ptr<Profile>> profiles;
  auto [found, is_new] = profiles.try_emplace(level);
  if (is_new) {
    found->second = generate(
        "--steps 2 --ops-per-step 40 --hccl-per-step 3 --ranks 2 --mix-every 7 --slice-bytes 20000 "
        "--level " +
        std::to_string(level));
  }
  return found->second.get();
}

class GeneratedHostLevels : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    profile_ = profile_of_level(GetParam());
    if (profile_ == nullptr) GTEST_SKIP() << shared_data_path("tools/gen_raw.py") << " is absent";
  }
  std::size_t count(const char* name) const { return profile_->counts[name].get<std::size_t>(); }
  const trace::Trace& trace() const { return profile_->trace; }

  const Profile* profile_ = nullptr;
};

TEST_P(GeneratedHostLevels, FindsEveryTaskOnce) {
  const std::set<std::uint32_t> tracks(trace().launches().track.begin(),
                                       trace().launches().track.end());
  EXPECT_EQ(tracks.size(), count("device_tasks"));
  std::set<std::tuple<int, int, int, int, std::uint32_t>> keys;
  const auto& launches = trace().launches();
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto key = std::tuple<int, int, int, int, std::uint32_t>(
        launches.device[i], launches.stream[i], launches.batch[i], launches.task[i],
        launches.context[i]);
    EXPECT_TRUE(keys.empty() || *keys.rbegin() < key) << "row " << i << " is out of order";
    keys.insert(key);
    EXPECT_NE(launches.api[i], kNone);
  }
}

TEST_P(GeneratedHostLevels, FindsEveryKernelWithItsOperator) {
  std::size_t kernels = 0;
  std::size_t mix_kernels = 0;
  std::size_t aicpu_kernels = 0;
  for (std::size_t i = 0; i < trace().launches().size(); ++i) {
    const std::uint32_t op = trace().launches().op[i];
    if (op == kNone) continue;
    ++kernels;
    const auto type = static_cast<TaskType>(trace().launches().type[i]);
    const bool is_mix = trace().task_tracks().mix_ratio[trace().launches().track[i]] > 0;
    mix_kernels += is_mix;
    aicpu_kernels += type == TaskType::kKernelAicpu;
    const auto& ops = trace().launched_ops();
    EXPECT_NE(ops.name[op], kEmptyString);
    if (GetParam() == 0) {
      EXPECT_EQ(ops.op_type[op], kEmptyString);
      EXPECT_EQ(ops.tensors[op], kNone);
    } else {
      EXPECT_NE(ops.op_type[op], kEmptyString);
      EXPECT_NE(ops.task_type[op], kNone);
      EXPECT_NE(ops.tensors[op], kNone);
      EXPECT_EQ(trace().launches().context[i], is_mix ? 0 : kNone);
    }
    EXPECT_EQ(trace().api_calls().level[trace().launches().api[i]], format::host::kLevelNode);
  }
  EXPECT_EQ(kernels, count("kernels"));
  EXPECT_EQ(mix_kernels, count("mix_kernels"));
  EXPECT_EQ(aicpu_kernels, count("aicpu_kernels"));
}

TEST_P(GeneratedHostLevels, FindsEveryCollectiveWithItsTasks) {
  const auto& collectives = trace().launched_collectives();
  ASSERT_EQ(collectives.size(), count("collectives"));
  std::map<std::uint32_t, std::size_t> tasks_of;
  std::size_t tasks_found = 0;
  std::size_t masters = 0;
  for (std::size_t i = 0; i < trace().launches().size(); ++i) {
    if (trace().launches().collective[i] == kNone) continue;
    ++tasks_found;
    ++tasks_of[trace().launches().collective[i]];
    masters += trace().launches().is_master[i];
    EXPECT_EQ(trace().launches().collective_task[i] != kNone, GetParam() > 0);
  }
  EXPECT_EQ(tasks_found, count("hccl_tasks"));
  EXPECT_EQ(tasks_of.size(), collectives.size());
  EXPECT_EQ(masters, tasks_found) << "two ranks have one plane";
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    EXPECT_EQ(trace().strings.view(collectives.name[i]), "hcom_allReduce_");
    EXPECT_NE(collectives.info[i], kNone);
    EXPECT_EQ(collectives.op_type[i] != kEmptyString, GetParam() > 0);
  }
}

TEST_P(GeneratedHostLevels, FindsEveryCopyWithItsSize) {
  std::size_t copies = 0;
  for (std::size_t i = 0; i < trace().launches().size(); ++i) {
    if (trace().launches().copy_direction[i] == kNone) continue;
    ++copies;
    EXPECT_EQ(trace().launches().copy_direction[i], 1u);
    EXPECT_EQ(trace().launches().copy_bytes[i], 65536u);
    const std::uint32_t api = trace().launches().api[i];
    EXPECT_EQ(trace().strings.view(trace().api_calls().name[api]), "aclrtMemcpyAsync");
  }
  EXPECT_EQ(copies, count("memcpy"));
}

TEST_P(GeneratedHostLevels, KeepsTheTimesOfTheSteps) {
  const auto first = profile_->steps.front()[1].get<std::int64_t>();
  const auto last = profile_->steps.back()[2].get<std::int64_t>();
  for (std::size_t i = 0; i < trace().api_calls().size(); ++i) {
    EXPECT_GE(trace().api_calls().start_ns[i], first);
    EXPECT_LE(trace().api_calls().end_ns[i], last);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, GeneratedHostLevels, ::testing::Values(0, 1, 2));

TEST(GeneratedHost, CountsTheFlipsOfALongRun) {
  const auto profile =
      generate("--steps 1 --ops-per-step 33000 --level 0 --no-memory --hccl-per-step 0");
  if (profile == nullptr) GTEST_SKIP() << shared_data_path("tools/gen_raw.py") << " is absent";
  ASSERT_EQ(profile->counts["flips"].get<int>(), 1);
  std::map<int, std::size_t> tasks_of_batch;
  for (const std::uint16_t batch : profile->trace.launches().batch) ++tasks_of_batch[batch];
  EXPECT_EQ(tasks_of_batch.size(), 2u);
  EXPECT_EQ(tasks_of_batch[0], 65536u);  // This writer uses all 16-bit ids.
  EXPECT_EQ(tasks_of_batch[0] + tasks_of_batch[1],
            profile->counts["device_tasks"].get<std::size_t>());
}

}  // namespace
}  // namespace npuprof::link
