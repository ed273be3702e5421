#include "cann/collection.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/thread_pool.h"
#include "cann/markers.h"
#include "cann/simulated.h"
#include "load/discover.h"
#include "load/load_profile.h"
#include "temporary_directory.h"
#include "trace/device/step_marks.h"
#include "trace/host/marks.h"
#include "trace/host/node_infos.h"
#include "trace/losses.h"

namespace npuprof::cann {
namespace {

using npuprof::testing::TemporaryDirectory;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::run_kernel;
using testing::simulated_client;

std::vector<std::filesystem::path> prof_directories(const std::filesystem::path& parent) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(parent)) {
    if (entry.path().filename().native().starts_with("PROF_")) found.push_back(entry.path());
  }
  return found;
}

// What became of a collection in its directory.
struct Collected {
  trace::Trace trace;
  trace::Losses losses;
  std::set<std::string> files;  // Of the device, without slice numbers.

  std::vector<std::string> operators() const {
    std::vector<std::string> names;
    for (const StringId name : trace.node_infos().op_name) {
      names.emplace_back(trace.strings.view(name));
    }
    return names;
  }
};

Collected load(const std::filesystem::path& parent) {
  Collected result;
  const auto directories = prof_directories(parent);
  EXPECT_EQ(directories.size(), 1u);
  if (directories.size() != 1) return result;
  const auto found = load::discover(directories[0]);
  EXPECT_TRUE(found.ok());
  ThreadPool pool(1);
  auto trace = load::load_profile(found->profiles.at(0), pool, result.losses);
  EXPECT_TRUE(trace.ok());
  result.trace = std::move(trace).value();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directories[0])) {
    const std::string name = entry.path().filename().native();
    result.files.insert(name.substr(0, name.find(".slice_")));
  }
  return result;
}

std::unique_ptr<Collection> open(const TemporaryDirectory& directory,
                                 const CollectionOptions& options) {
  auto collection = Collection::open(simulated_client(), directory.path().native(), options);
  EXPECT_TRUE(collection.ok()) << (collection.ok() ? "" : collection.error().message);
  return collection.ok() ? std::move(collection).value() : nullptr;
}

class CollectionTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(CANN_CALL(aclrtSetDevice)(0), 0); }
};

TEST_F(CollectionTest, KernelsBetweenStartAndStop) {
  const TemporaryDirectory directory;
  const auto collection = open(directory, {.profiler_level = "Level1"});
  ASSERT_NE(collection, nullptr);
  ASSERT_TRUE(collection->warmup().ok());
  run_kernel("too_early");
  EXPECT_THAT(prof_directories(directory.path()), IsEmpty());
  ASSERT_TRUE(collection->start().ok());
  EXPECT_TRUE(collection->is_started());
  run_kernel("first");
  run_kernel("second");
  ASSERT_TRUE(collection->stop().ok());
  run_kernel("too_late");
  ASSERT_TRUE(collection->finalize().ok());
  const Collected collected = load(directory.path());
  EXPECT_THAT(collected.operators(), ElementsAre("first", "second"));
  EXPECT_EQ(collected.losses.items().size(), 0u);
}

TEST_F(CollectionTest, OptionsReachTheDevice) {
  const auto files_with = [](const CollectionOptions& options) {
    const TemporaryDirectory directory;
    {
      const auto collection = open(directory, options);
      EXPECT_TRUE(collection->start().ok());
      run_kernel("kernel");
      // The slowest sampler takes 50 samples a second.
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }  // Ends by itself.
    return load(directory.path()).files;
  };
  const auto plain = files_with({.profiler_level = "Level0"});
  EXPECT_THAT(plain, Contains("stars_soc.data.0"));
  for (const char* const file : {"ffts_profile.data.0", "l2_cache.data.0", "nic.data.0",
                                 "hccs.data.0", "npu_mem.data.0", "host_cpu.data"}) {
    EXPECT_THAT(plain, Not(Contains(file)));
  }
  const auto full = files_with({.profiler_level = "Level2",
                                .aic_metrics = "ACL_AICORE_PIPE_UTILIZATION",
                                .l2_cache = true,
                                .profile_memory = true,
                                .sys_io = true,
                                .sys_interconnection = true,
                                .host_sys = {"cpu"}});
  EXPECT_THAT(full, Contains("ffts_profile.data.0"));
  EXPECT_THAT(full, Contains("nic.data.0"));
  EXPECT_THAT(full, Contains("hccs.data.0"));
  EXPECT_THAT(full, Contains("npu_mem.data.0"));
  EXPECT_THAT(full, Contains("host_cpu.data"));
}

TEST_F(CollectionTest, HostIsSampledIfTheLibraryCan) {
  const TemporaryDirectory directory;
  const auto samples = [&](std::vector<std::string> wanted) {
    return open(directory, {.host_sys = std::move(wanted)})->host_samples();
  };
  EXPECT_THAT(samples({"cpu", "mem"}), ElementsAre("cpu", "mem"));
  EXPECT_THAT(samples({"numa", "cpu", "osrt", "disk"}), ElementsAre("cpu", "disk"));
  EXPECT_THAT(samples({"osrt", "mem"}), ElementsAre("mem"));
  EXPECT_THAT(samples({"numa"}), IsEmpty());
  EXPECT_THAT(samples({}), IsEmpty());
}

TEST_F(CollectionTest, OneAtATime) {
  const TemporaryDirectory directory;
  auto first = open(directory, {});
  const auto second = Collection::open(simulated_client(), directory.path().native(), {});
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("aclprofInit failed with code 100002"));
  first.reset();
  EXPECT_NE(open(directory, {}), nullptr);
}

TEST_F(CollectionTest, CallsOutOfTurnDoNothing) {
  const TemporaryDirectory directory;
  const auto collection = open(directory, {.profiler_level = "Level1"});
  EXPECT_TRUE(collection->stop().ok());
  EXPECT_TRUE(collection->warmup().ok());
  EXPECT_TRUE(collection->warmup().ok());
  EXPECT_TRUE(collection->start().ok());
  EXPECT_TRUE(collection->start().ok());
  EXPECT_TRUE(collection->warmup().ok());
  EXPECT_TRUE(collection->stop().ok());
  EXPECT_TRUE(collection->stop().ok());
  EXPECT_TRUE(collection->finalize().ok());
  EXPECT_TRUE(collection->finalize().ok());
  EXPECT_EQ(prof_directories(directory.path()).size(), 1u);
}

TEST_F(CollectionTest, WarmedUpButNeverStarted) {
  const TemporaryDirectory directory;
  {
    const auto collection = open(directory, {.profiler_level = "Level1"});
    EXPECT_TRUE(collection->warmup().ok());
    EXPECT_TRUE(collection->stop().ok());
  }
  EXPECT_THAT(prof_directories(directory.path()), IsEmpty());
}

TEST_F(CollectionTest, AForkedChildLeavesItAlone) {
  const TemporaryDirectory directory;
  auto collection = open(directory, {.profiler_level = "Level1"});
  ASSERT_TRUE(collection->start().ok());
  const pid_t child = ::fork();
  if (child == 0) {
    const bool refused = !Collection::open(simulated_client(), "/tmp", {}).ok();
    const bool quiet = collection->stop().ok() && collection->finalize().ok();
    collection.reset();
    ::_exit(refused && quiet ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  run_kernel("of the parent");
  ASSERT_TRUE(collection->finalize().ok());
  EXPECT_THAT(load(directory.path()).operators(), ElementsAre("of the parent"));
}

TEST_F(CollectionTest, MarkersOnHostAndDevice) {
  const TemporaryDirectory directory;
  const auto collection = open(directory, {.profiler_level = "Level1", .mstx = true});
  Markers markers(simulated_client());
  EXPECT_EQ(markers.range_start("too early", "default", 0), 0u);
  ASSERT_TRUE(collection->start().ok());
  aclrtStream stream = nullptr;
  ASSERT_EQ(CANN_CALL(aclrtCreateStream)(&stream), 0);
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  markers.mark("host", "default", 0);
  markers.mark("device", "", handle);
  markers.mark("input", "data", handle);
  markers.mark("=formula", "data", 0);
  const std::uint64_t plain = markers.range_start("plain", "default", 0);
  const std::uint64_t named = markers.range_start("named", "data", handle);
  EXPECT_NE(plain, 0u);
  EXPECT_NE(named, plain);
  markers.range_end(plain, "default");
  markers.range_end(named, "other");  // Not the domain it began in.
  markers.range_end(named, "data");
  ASSERT_TRUE(collection->finalize().ok());

  const Collected collected = load(directory.path());
  const trace::Marks& marks = collected.trace.marks();
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    seen.push_back(std::string(collected.trace.strings.view(marks.domain[i])) + ":" +
                   std::string(collected.trace.strings.view(marks.message[i])));
  }
  EXPECT_THAT(seen, ::testing::UnorderedElementsAre("default:host", "default:device", "data:input",
                                                    "default:plain", "data:named"));
  // Two marks and the two ends of a range passed over the stream.
  EXPECT_EQ(collected.trace.step_marks().size(), 4u);
}

TEST_F(CollectionTest, MarkersThatAreNotTakenAreSaidOnce) {
  const TemporaryDirectory directory;
  const auto collection = open(directory, {.profiler_level = "Level1", .mstx = true});
  ASSERT_TRUE(collection->start().ok());
  Markers markers(simulated_client());
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    markers.mark("=formula", "default", 0);
    EXPECT_EQ(markers.range_start("-range", "default", 0), 0u);
    markers.mark("mark", std::string(1024, 'd'), 0);
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("the first is '=formula'"));
  EXPECT_THAT(said, HasSubstr("of 1024 bytes: its markers are not recorded"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said;
  ASSERT_TRUE(collection->finalize().ok());
}

TEST_F(CollectionTest, OldLibrariesHavePlainMarksOnly) {
  Functions old = simulated_client().functions();
  old.mstxMarkA = nullptr;
  old.mstxRangeStartA = nullptr;
  old.mstxRangeEnd = nullptr;
  old.mstxDomainCreateA = nullptr;
  const TemporaryDirectory directory;
  const auto collection = open(directory, {.profiler_level = "Level1", .mstx = true});
  ASSERT_TRUE(collection->start().ok());
  Markers markers(old);
  markers.mark("mark", "domain", 0);
  EXPECT_EQ(markers.range_start("range", "default", 0), 0u);
  EXPECT_EQ(markers.range_start("range", "domain", 0), 0u);
  markers.range_end(5, "default");
  ASSERT_TRUE(collection->finalize().ok());
  const Collected collected = load(directory.path());
  ASSERT_EQ(collected.trace.marks().size(), 1u);
  EXPECT_EQ(collected.trace.strings.view(collected.trace.marks().message[0]), "mark");
}

TEST_F(CollectionTest, ArgumentsOfOperators) {
  const TemporaryDirectory directory;
  const std::string arguments = directory / "x_op_args";
  const auto collection = open(directory, {.op_args_directory = arguments});
  ASSERT_TRUE(collection->start().ok());
  EXPECT_TRUE(std::filesystem::is_directory(arguments));
  EXPECT_TRUE(collection->finalize().ok());
}

}  // namespace
}  // namespace npuprof::cann
