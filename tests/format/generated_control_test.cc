// The JSON files of a raw profile that an independent writer made keep their bytes when they are
// decoded and encoded again.

#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "format/framework/profiler_info.h"
#include "format/framework/profiler_metadata.h"
#include "format/host/control.h"
#include "generated_raw.h"

namespace npuprof::format {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::GeneratedRaw;

// The text after decoding and encoding, or why it cannot be decoded.
template <typename T>
std::string again(const Result<T>& decoded, std::string (*encode)(const T&)) {
  return decoded.ok() ? encode(*decoded) : decoded.error().message;
}

std::string decoded_and_encoded(const std::string& kind, const std::string& text) {
  if (kind == "info.json") return again(host::parse_info_json(text), host::make_info_json);
  if (kind == "sample.json") return again(host::parse_sample_json(text), host::make_sample_json);
  if (kind == "start_info" || kind == "end_info") {
    return again(host::parse_collection_time(text), host::make_collection_time);
  }
  if (kind == "profiler_info") {
    return again<framework::ProfilerInfo>(framework::parse_profiler_info(text), framework::to_json);
  }
  if (kind == "profiler_metadata.json") {
    return again<framework::ProfilerMetadata>(framework::parse_profiler_metadata(text),
                                              framework::to_json);
  }
  return "no decoder for " + kind;
}

// The kind of a JSON file by its name; empty for other files.
std::string kind_of(const fs::path& path) {
  const std::string name = path.filename();
  if (path.extension() == ".done") return "";
  for (const char* kind :
       {"info.json", "sample.json", "start_info", "end_info", "profiler_metadata.json"}) {
    if (name.starts_with(kind)) return kind;
  }
  if (framework::is_profiler_info_file_name(name)) return "profiler_info";
  return path.extension() == ".json" ? name : "";
}

TEST(GeneratedControl, EveryJsonFileDecodesAndEncodesToTheSameBytes) {
  if (!GeneratedRaw::is_available()) GTEST_SKIP() << GeneratedRaw::tool() << " is absent";
  for (const char* level : {"0", "1", "2"}) {
    const GeneratedRaw raw("--steps 1 --ops-per-step 4 --hccl-per-step 1 --ranks 2 --level " +
                           std::string(level));
    std::map<std::string, int> seen;
    for (std::size_t rank = 0; rank < raw.rank_count(); ++rank) {
      const fs::path directory = raw.path() / raw.rank(rank)["path"].get<std::string>();
      for (const auto& entry : fs::recursive_directory_iterator(directory)) {
        const std::string kind = entry.is_regular_file() ? kind_of(entry.path()) : "";
        if (kind.empty()) continue;
        const auto text = read_file(entry.path());
        ASSERT_TRUE(text.ok()) << entry.path();
        EXPECT_EQ(decoded_and_encoded(kind, *text), *text) << entry.path();
        ++seen[kind];
      }
    }
    // For both ranks; CANN's files for the host and for the device.
    EXPECT_EQ(seen, (std::map<std::string, int>{{"info.json", 4},
                                                {"sample.json", 4},
                                                {"start_info", 4},
                                                {"end_info", 4},
                                                {"profiler_info", 2},
                                                {"profiler_metadata.json", 2}}));
  }
}

}  // namespace
}  // namespace npuprof::format
