#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "format/framework/file_names.h"
#include "format/framework/profiler_info.h"
#include "format/framework/tlv.h"
#include "load/discover.h"
#include "temporary_directory.h"

namespace npuprof::load::testing {

// Bytes of a FRAMEWORK file, made record by record.
class RawBytes {
 public:
  template <format::framework::TlvRecord T>
  RawBytes& add(const T& record) {
    format::framework::append(record, bytes_);
    return *this;
  }
  template <format::Record T>
  RawBytes& add_bare(const T& record) {
    return add_bytes(format::bytes_of(record));
  }
  RawBytes& add_bytes(Bytes bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  void cut(std::size_t count) { bytes_.resize(bytes_.size() - count); }
  std::size_t size() const { return bytes_.size(); }
  std::string_view text() const { return as_text(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// A `*_ascend_pt` directory.
class RawProfile {
 public:
  RawProfile() {
    profile.kind = ProfileKind::kPyTorch;
    profile.path = directory_.path();
  }

  void put(std::string_view framework_file, std::string_view content) {
    profile.framework = directory_ / "FRAMEWORK";
    EXPECT_TRUE(make_directories(profile.framework).ok());
    EXPECT_TRUE(write_file(profile.framework / framework_file, content).ok());
  }
  void put(std::string_view framework_file, const RawBytes& bytes) {
    put(framework_file, bytes.text());
  }
  void put_info(std::string_view content) {
    profile.profiler_info = directory_ / "profiler_info_3.json";
    profile.rank = 3;
    EXPECT_TRUE(write_file(profile.profiler_info, content).ok());
  }
  void put_info(const format::framework::ProfilerInfo& info) { put_info(to_json(info)); }
  void put_metadata(std::string_view content) {
    profile.profiler_metadata = directory_ / "profiler_metadata.json";
    EXPECT_TRUE(write_file(profile.profiler_metadata, content).ok());
  }
  // A control file of the CANN data, such as "info.json".
  void put_host(std::string_view name, std::string_view content) {
    if (profile.cann.empty()) profile.cann.emplace_back();
    profile.cann[0].path = directory_ / "PROF_1";
    profile.cann[0].host = profile.cann[0].path / "host";
    EXPECT_TRUE(make_directories(profile.cann[0].host).ok());
    EXPECT_TRUE(write_file(profile.cann[0].host / name, content).ok());
  }

  Profile profile;

 private:
  npuprof::testing::TemporaryDirectory directory_;
};

// Info of a profile whose stamps are nanoseconds and already wall-clock times.
inline format::framework::ProfilerInfo plain_info() {
  format::framework::ProfilerInfo info;
  info.rank_id = 3;
  return info;
}

}  // namespace npuprof::load::testing
