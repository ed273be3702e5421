// Reads back a raw profile that an independent writer made, one that the vendor's parsers accept.

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "format/host/additional.h"
#include "format/host/api_event.h"
#include "format/host/compact.h"
#include "format/host/control.h"
#include "format/host/dictionary.h"
#include "format/host/names.h"
#include "format/round_trip.h"
#include "shared_data.h"
#include "temporary_directory.h"

namespace npuprof::format::host {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::shared_data_path;
using npuprof::testing::TemporaryDirectory;

struct Decoded {
  std::size_t records = 0;
  std::string encoded;
};
using Decoder = std::function<Decoded(Bytes)>;

template <Record T>
Decoded decode_records(Bytes bytes) {
  Decoded result;
  const std::size_t lost =
      for_each_record<T>(std::span(&bytes, 1), Leftover::kAtEnd, [&](const T& record) {
        T copy{};
        // Field by field, so that a field the layout forgot is lost.
        const auto places = format::testing::places_of(record);
        for (const auto& place : places) {
          std::memcpy(reinterpret_cast<std::byte*>(&copy) + place.offset,
                      reinterpret_cast<const std::byte*>(&record) + place.offset, place.width);
        }
        result.encoded += as_text(bytes_of(copy));
        ++result.records;
      });
  EXPECT_EQ(lost, 0u);
  return result;
}

template <Record T>
Decoded decode_with_header(Bytes bytes) {
  for_each_record<T>(std::span(&bytes, 1), Leftover::kAtEnd, [](const T& record) {
    EXPECT_EQ(record.header.magic, kMagic);
    EXPECT_EQ(record.header.level, T::kKind.level);
  });
  return decode_records<T>(bytes);
}

Decoded decode_hashes(Bytes bytes) {
  Decoded result;
  const auto counts =
      read_hash_dictionary(std::span(&bytes, 1), [&](std::uint64_t hash, std::string_view text) {
        append_hash_entry(result.encoded, hash, text);
      });
  EXPECT_EQ(counts.bad_lines, 0u);
  result.records = counts.entries;
  return result;
}

Decoded decode_types(Bytes bytes) {
  Decoded result;
  const auto counts = read_type_dictionary(
      std::span(&bytes, 1), [&](std::uint16_t level, std::uint32_t type, std::string_view name) {
        append_type_entry(result.encoded, level, type, name);
      });
  EXPECT_EQ(counts.bad_lines, 0u);
  result.records = counts.entries;
  return result;
}

const std::map<std::string, Decoder, std::less<>>& decoders() {
  static const std::map<std::string, Decoder, std::less<>> table = {
      {"api_event.data", decode_records<ApiEvent>},
      {"compact.task_track", decode_with_header<TaskTrack>},
      {"compact.node_basic_info", decode_with_header<NodeBasicInfo>},
      {"compact.memcpy_info", decode_with_header<MemcpyInfo>},
      {"compact.hccl_op_info", decode_with_header<HcclOpInfo>},
      {"additional.tensor_info", decode_with_header<TensorInfo>},
      {"additional.context_id_info", decode_with_header<ContextIdInfo>},
      {"additional.hccl_info", decode_with_header<HcclInfo>},
      {"additional.hash_dic", decode_hashes},
      {"additional.type_info_dic", decode_types},
  };
  return table;
}

class GeneratedRaw : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const fs::path tool = shared_data_path("tools/gen_raw.py");
    if (!fs::exists(tool)) GTEST_SKIP() << tool << " is absent";
    const std::string command = "python3 '" + tool.native() + "' '" + directory_.path().native() +
                                "' --steps 2 --ops-per-step 40 --hccl-per-step 2 --slice-bytes "
                                "20000 --level " +
                                std::to_string(GetParam()) + " > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    manifest_ = nlohmann::json::parse(read_file(directory_ / "manifest.json").value());
    const fs::path rank = directory_.path() / manifest_["ranks"][0]["path"].get<std::string>();
    for (const auto& entry : fs::directory_iterator(rank)) {
      if (parse_prof_directory_name(entry.path().filename().native())) {
        host_ = entry.path() / "host";
      }
    }
    ASSERT_FALSE(host_.empty());
  }

  TemporaryDirectory directory_;
  nlohmann::json manifest_;
  fs::path host_;
};

TEST_P(GeneratedRaw, EveryDataFileDecodesAndEncodesToTheSameBytes) {
  std::map<std::string, std::size_t> records;
  for (const auto& entry : fs::directory_iterator(host_ / "data")) {
    const std::string name = entry.path().filename();
    const auto file = MappedFile::open(entry.path());
    ASSERT_TRUE(file.ok());
    if (!is_raw_file(name)) {
      const std::string base = name.substr(0, name.rfind('.'));
      EXPECT_EQ(parse_done(file->text()), fs::file_size(host_ / "data" / base)) << name;
      continue;
    }
    const auto parsed = parse_host_file_name(name);
    ASSERT_TRUE(parsed) << name;
    const auto decoder =
        decoders().find(std::string(module_name(parsed->module)) + "." + std::string(parsed->tag));
    ASSERT_NE(decoder, decoders().end()) << name;
    const Decoded decoded = decoder->second(file->bytes());
    EXPECT_TRUE(decoded.encoded == file->text()) << name;
    std::string kind = make_host_file_prefix(parsed->age, parsed->module, parsed->tag);
    kind.pop_back();  // The manifest's keys end in "slice".
    records[kind] += decoded.records;
  }
  std::size_t kinds = 0;
  for (const auto& [kind, count] : manifest_["ranks"][0]["records"].items()) {
    if (!kind.starts_with("aging.")) continue;
    EXPECT_EQ(records[kind], count.get<std::size_t>()) << kind;
    ++kinds;
  }
  EXPECT_EQ(records.size(), kinds + 2);  // And the two dictionaries.
  EXPECT_GT(records["unaging.additional.hash_dic.slice"], 5u);
}

TEST_P(GeneratedRaw, ControlFilesAreUnderstood) {
  const auto info_text = read_file(host_ / "info.json").value();
  const auto info = parse_info_json(info_text);
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->platform_version, 5);
  ASSERT_EQ(info->cpus.size(), 1u);
  EXPECT_EQ(info->cpus[0].frequency_mhz, 100.0);
  EXPECT_TRUE(info->device_info.empty());
  const auto sample_text = read_file(host_ / "sample.json").value();
  const auto sample = parse_sample_json(sample_text);
  ASSERT_TRUE(sample.ok());
  EXPECT_EQ(sample->level(), GetParam());
  const auto start_text = read_file(host_ / "start_info").value();
  const auto start = parse_collection_time(start_text);
  ASSERT_TRUE(start.ok());
  EXPECT_EQ(start->begin_us, 1736408883369312);
  const auto log_text = read_file(host_ / "host_start.log").value();
  EXPECT_EQ(make_clock_log(parse_clock_log(log_text)), log_text);
}

INSTANTIATE_TEST_SUITE_P(Levels, GeneratedRaw, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace npuprof::format::host
