// Decodes every device file of directories that the reference generator writes, encodes it again
// and compares the bytes, then compares what was found with the generator's own account.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "format/device/aicpu.h"
#include "format/device/ffts_profile.h"
#include "format/device/frequency.h"
#include "format/device/memory_samples.h"
#include "format/device/stars_soc.h"
#include "format/device/task_identity.h"
#include "format/device/task_types.h"
#include "format/device/ts_track.h"
#include "format/host/names.h"
#include "generated_raw.h"

namespace npuprof::format::device {
namespace {

namespace fs = std::filesystem;

// The slices of each file of device_<N>/data, in order.
using DeviceData = std::map<std::string, std::vector<std::string>>;

DeviceData read_device_data(const fs::path& directory) {
  std::map<std::string, std::map<std::uint32_t, std::string>> found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    if (!host::is_raw_file(name)) continue;
    const auto parsed = host::parse_device_file_name(name);
    EXPECT_TRUE(parsed) << name;
    if (!parsed) continue;
    found[std::string(parsed->base)][parsed->slice] = read_file(entry.path()).value();
  }
  DeviceData data;
  for (auto& [base, slices] : found) {
    for (auto& [number, bytes] : slices) data[base].push_back(std::move(bytes));
  }
  return data;
}

// Copies a record field by field, in place of a writer that fills a new one.
template <Record T>
T encode_again(const T& decoded) {
  T copy{};
  std::vector<std::vector<std::byte>> fields;
  T::visit(decoded, [&](const char*, const auto& field) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&field);
    fields.emplace_back(bytes, bytes + sizeof(field));
  });
  std::size_t index = 0;
  T::visit(copy, [&](const char*, auto& field) {
    std::memcpy(static_cast<void*>(&field), fields[index++].data(), sizeof(field));
  });
  return copy;
}

// Visits every record of a file, checks that it can be written again, returns how many there are.
template <Record T>
std::size_t check_file(const std::vector<std::string>& slices,
                       const std::function<void(const T&)>& visit) {
  std::vector<Bytes> spans;
  std::string whole;
  for (const std::string& slice : slices) {
    spans.push_back(as_bytes(slice));
    whole += slice;
  }
  std::string again;
  std::size_t count = 0;
  const std::size_t lost = for_each_record<T>(spans, Leftover::kAtBegin, [&](const T& record) {
    ++count;
    again += as_text(bytes_of(encode_again(record)));
    visit(record);
  });
  EXPECT_EQ(lost, 0u);
  EXPECT_TRUE(again == whole) << "encoding changed the bytes";
  return count;
}

struct Found {
  std::map<std::string, std::size_t> records;  // By file.
  std::size_t tasks = 0;
  std::size_t mix_kernels = 0;
  std::size_t context_pmus = 0;
  std::size_t flips = 0;
};

Found check_task_logs(const DeviceData& data) {
  Found found;
  unsigned sequence = 0;
  std::uint64_t last_syscnt = 0;
  std::map<std::pair<int, int>, int> open;
  found.records["stars_soc.data"] =
      check_file<FftsPlusLog>(data.at("stars_soc.data"), [&](const FftsPlusLog& log) {
        EXPECT_TRUE(log.head.has_magic());
        EXPECT_EQ(log.head.sequence(), sequence++ % 16);
        EXPECT_GE(log.syscnt, last_syscnt);
        last_syscnt = log.syscnt;
        EXPECT_TRUE(sqe_kind_of(ChipFamily::kStars, log.head.sqe_type()));
        const auto id = decode_task_identity({log.raw_stream, log.raw_task}, StreamMode::kNormal,
                                             log.head.sqe_type());
        if (log.head.function() == StarsFunction::kTaskStart) {
          EXPECT_EQ(open[std::pair(id.stream, id.task)]++, 0);
        } else if (log.head.function() == StarsFunction::kTaskEnd) {
          EXPECT_EQ(--open[std::pair(id.stream, id.task)], 0);
          ++found.tasks;
        } else if (log.head.function() == StarsFunction::kFftsPlusStart) {
          EXPECT_EQ(core_kind(log.ffts_type(), log.sub_task_type()), CoreKind::kMixAic);
          ++found.mix_kernels;
        } else {
          EXPECT_EQ(log.head.function(), StarsFunction::kFftsPlusEnd);
        }
      });
  return found;
}

void check_counters(const DeviceData& data, Found& found) {
  if (!data.contains("ffts_profile.data")) return;
  unsigned sequence = 0;
  found.records["ffts_profile.data"] =
      check_file<ContextPmu>(data.at("ffts_profile.data"), [&](const ContextPmu& record) {
        EXPECT_EQ(record.head.sequence(), sequence++ % 16);
        EXPECT_LT(record.start_syscnt, record.end_syscnt);
        if (record.head.function() == StarsFunction::kContextPmu) {
          EXPECT_TRUE(core_kind(record.ffts_type(), record.sub_task_type()));
          EXPECT_GT(record.total_cycles, 0u);
          ++found.context_pmus;
          return;
        }
        ASSERT_EQ(record.head.function(), StarsFunction::kBlockPmu);
        const auto block = load<BlockPmu>(bytes_of(record).data());
        EXPECT_TRUE(block.is_vector_core());
        EXPECT_EQ(block.ffts_type(), 4);
        EXPECT_LT(block.core_id(), 40);
      });
}

void check_samples(const DeviceData& data, Found& found) {
  const auto check = [&]<Record T>(const char* base, const std::function<void(const T&)>& visit) {
    if (data.contains(base)) found.records[base] = check_file<T>(data.at(base), visit);
  };
  check.operator()<TrackRecord>("ts_track.data", [&](const TrackRecord& record) {
    ASSERT_EQ(record.head.track_type(), TrackType::kFlip);
    EXPECT_EQ(record.as<TaskFlip>().flip_number, ++found.flips);
  });
  check.operator()<FrequencyRecord>("lpmFreqConv.data", [](const FrequencyRecord& record) {
    EXPECT_TRUE(record.has_valid_count());
    ASSERT_EQ(record.used().size(), 4u);
    EXPECT_EQ(record.used()[1].value, 1650u);
  });
  check.operator()<AiCpuRecord>("aicpu.data", [](const AiCpuRecord& record) {
    EXPECT_TRUE(record.has_magic());
    ASSERT_EQ(record.type(), AiCpuType::kNode);
    const auto node = record.as<AiCpuNode>();
    EXPECT_EQ(node.times.kernel_type, 2u);
    EXPECT_GT(node.times.run_end_tick, node.times.run_start_tick);
    EXPECT_EQ(node.times.dispatch_us, 3u);
  });
  check.operator()<HbmSample>("hbm.data",
                              [](const HbmSample& sample) { EXPECT_LT(sample.hbm_id, 4u); });
  check.operator()<NpuMemorySample>("npu_mem.app", [](const NpuMemorySample& sample) {
    EXPECT_GE(sample.hbm_bytes, std::uint64_t{6} << 30);
  });
  check.operator()<ModuleMemorySample>("npu_module_mem.data", [](const ModuleMemorySample& sample) {
    EXPECT_EQ(sample.known_bytes().value() >> 24, sample.module_id);
  });
}

class Generated : public ::testing::TestWithParam<const char*> {};

TEST_P(Generated, DecodesAndEncodesEveryDeviceFile) {
  if (!npuprof::testing::GeneratedRaw::is_available()) GTEST_SKIP() << "no reference generator";
  const npuprof::testing::GeneratedRaw raw(GetParam());
  for (std::size_t number = 0; number < raw.rank_count(); ++number) {
    const auto& rank = raw.rank(number);
    const int device = rank.at("rank").get<int>() % 8;
    fs::path prof;
    for (const auto& entry : fs::directory_iterator(raw.path() / rank.at("path"))) {
      if (entry.path().filename().native().starts_with("PROF_")) prof = entry.path();
    }
    const DeviceData data = read_device_data(prof / ("device_" + std::to_string(device)) / "data");
    Found found = check_task_logs(data);
    check_counters(data, found);
    check_samples(data, found);

    const auto& counts = rank.at("counts");
    EXPECT_EQ(found.tasks, counts.at("device_tasks"));
    EXPECT_EQ(found.mix_kernels, counts.at("mix_kernels"));
    EXPECT_EQ(found.flips, counts.at("flips"));
    if (data.contains("ffts_profile.data")) {
      EXPECT_EQ(found.context_pmus,
                counts.at("kernels").get<int>() - counts.at("aicpu_kernels").get<int>());
    }
    for (const auto& [base, slices] : data) {
      const std::string key = base + "." + std::to_string(device) + ".slice";
      EXPECT_EQ(found.records[base], rank.at("records").at(key)) << base;
    }
  }
}

// The last writes 65,600 kernels so that the task ids of a stream wrap; its small slices are cut
// inside nothing but are many.
INSTANTIATE_TEST_SUITE_P(
    Levels, Generated,
    ::testing::Values("--level 0 --ranks 2", "--level 1 --ranks 2", "--level 2 --slice-bytes 3000",
                      "--level 0 --steps 1 --ops-per-step 32800 --kernels-per-op 2 --no-memory"),
    [](const auto& parameter) { return std::string("Case") + std::to_string(parameter.index); });

}  // namespace
}  // namespace npuprof::format::device
