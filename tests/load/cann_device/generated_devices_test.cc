// Devices of a generated training run: what the generator says it wrote must be found again.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "load/cann_device/cann_device.h"
#include "load/discover.h"
#include "raw_device.h"
#include "shared_data.h"
#include "temporary_directory.h"
#include "trace/device/aicpu_nodes.h"
#include "trace/device/device_memory.h"
#include "trace/device/device_tasks.h"
#include "trace/device/frequencies.h"
#include "trace/device/memory_bandwidth.h"
#include "trace/device/module_memory.h"
#include "trace/device/pmu_records.h"

namespace npuprof::load {
namespace {

class GeneratedDevices : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const std::filesystem::path tool = npuprof::testing::shared_data_path("tools/gen_raw.py");
    if (!std::filesystem::exists(tool)) GTEST_SKIP() << tool << " is absent";
    const std::string command = fmt::format(
        "python3 '{}' '{}' --steps 2 --ops-per-step 40 --hccl-per-step 3 --ranks 2 "
        "--mix-every 10 --slice-bytes 5000 --level {} > /dev/null",
        tool.native(), directory_.path().native(), GetParam());
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    manifest_ = nlohmann::json::parse(read_file(directory_ / "manifest.json").value());
  }

  npuprof::testing::TemporaryDirectory directory_;
  nlohmann::json manifest_;
};

TEST_P(GeneratedDevices, HoldWhatWasWritten) {
  for (const auto& rank : manifest_["ranks"]) {
    const auto found = discover(directory_.path() / rank["path"].get<std::string>());
    ASSERT_TRUE(found.ok());
    trace::Trace trace;
    trace::Losses losses;
    load_cann_devices(found->profiles.at(0).cann, trace, losses);
    EXPECT_TRUE(losses.empty()) << testing::describe(losses);
    const auto& counts = rank["counts"];
    const std::size_t tasks = counts["device_tasks"];
    const std::size_t mix_kernels = counts["mix_kernels"];
    const std::size_t kernels = counts["kernels"];
    const std::size_t aicpu_kernels = counts["aicpu_kernels"];
    EXPECT_EQ(trace.device_tasks().size(), tasks + mix_kernels);
    EXPECT_GT(mix_kernels, 2u);
    const std::size_t slaves = static_cast<std::size_t>(std::accumulate(
        trace.pmu_records().is_slave.begin(), trace.pmu_records().is_slave.end(), 0));
    if (GetParam() == 0) {
      EXPECT_EQ(trace.pmu_records().size(), 0u);
    } else {
      EXPECT_EQ(trace.pmu_records().size() - slaves, kernels - aicpu_kernels);
      EXPECT_EQ(slaves, mix_kernels);
      for (std::size_t row = 0; row < trace.pmu_records().size(); ++row) {
        EXPECT_EQ(trace.pmu_records().block_count[row], trace.pmu_records().is_slave[row] * 40u);
      }
    }
    EXPECT_EQ(trace.aicpu_nodes().size(), GetParam() == 2 ? aicpu_kernels : 0);
    EXPECT_EQ(trace.frequencies().size(), 4u);
    const std::string device = std::to_string(trace.devices.at(0).id);
    EXPECT_EQ(trace.memory_bandwidth().size(), rank["records"]["hbm.data." + device + ".slice"]);
    EXPECT_EQ(trace.device_memory().size(), rank["records"]["npu_mem.app." + device + ".slice"]);
    EXPECT_EQ(trace.module_memory().size(),
              rank["records"]["npu_module_mem.data." + device + ".slice"]);
    EXPECT_TRUE(
        std::is_sorted(trace.device_tasks().start_ns.begin(), trace.device_tasks().start_ns.end()));
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, GeneratedDevices, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace npuprof::load
