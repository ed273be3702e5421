#include "record/session_files.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_writer.h"
#include "format/framework/tlv.h"
#include "record/collection_files.h"

namespace npuprof::record {
namespace {

using format::framework::ExtraKey;
using format::framework::ProfilerInfo;
using format::framework::ProfilerMetadata;

constexpr std::size_t kLongestMetadataText = 4096;
constexpr std::size_t kMostMetadata = 50 * 1024;

// A random UUID of version 4, as 32 digits.
std::string make_trace_id() {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::random_device random;
  std::string id;
  for (int word = 0; word < 4; ++word) {
    std::uint32_t bits = random();
    for (int digit = 0; digit < 8; ++digit, bits >>= 4) id += kDigits[bits & 15];
  }
  id[12] = '4';
  id[16] = kDigits[8 + (random() & 3)];
  return id;
}

std::vector<ProfilerMetadata::Variable> recorded_environment() {
  std::vector<ProfilerMetadata::Variable> variables;
  for (const std::string_view name : format::framework::kRecordedEnvironment) {
    const char* const value = std::getenv(std::string(name).c_str());
    variables.push_back({std::string(name), value != nullptr ? value : ""});
  }
  return variables;
}

}  // namespace

SessionFiles::SessionFiles(std::filesystem::path directory, ProfilerInfo info)
    : directory_(std::move(directory)), info_(std::move(info)) {
  metadata_.environment = recorded_environment();
  metadata_.trace_id = make_trace_id();
}

// Stamps are nanoseconds of CLOCK_MONOTONIC_RAW. What a reader adds to get wall-clock time is the
// difference of the two end times, so the end is set here already.
void SessionFiles::set_start(const ClockStart& clock) {
  {
    const std::lock_guard lock(mutex_);
    info_.start.syscnt_enable = false;
    info_.start.start_cnt = 0;
    info_.start.start_monotonic_ns = clock.monotonic_ns;
  }
  set_end(clock);
}

void SessionFiles::set_end(const ClockStart& clock) {
  const std::lock_guard lock(mutex_);
  info_.end.collection_time_end_ns = clock.wall_ns();
  info_.end.monotonic_time_end_ns = clock.monotonic_ns;
  info_changed_ = true;
}

std::int64_t SessionFiles::start_monotonic_ns() const {
  const std::lock_guard lock(mutex_);
  return info_.start.start_monotonic_ns;
}

void SessionFiles::set_settings(ProfilerInfo info) {
  const std::lock_guard lock(mutex_);
  info_.common = std::move(info.common);
  info_.experimental = std::move(info.experimental);
  info_.config_extra = std::move(info.config_extra);
  info_.torch_npu_version = std::move(info.torch_npu_version);
  info_.cann_version = std::move(info.cann_version);
  info_.simulated = info.simulated;
  info_changed_ = true;
}

void SessionFiles::set_recorder(ProfilerInfo::Recorder recorder) {
  const std::lock_guard lock(mutex_);
  info_.recorder = std::move(recorder);
  info_changed_ = true;
}

Status SessionFiles::add_metadata(std::string_view key, std::string_view text) {
  std::string json = "\"";
  append_json_escaped(json, text);
  return add_value(key, json + "\"", text.size());
}

Status SessionFiles::add_metadata_json(std::string_view key, std::string_view json) {
  return add_value(key, std::string(json), json.size());
}

Status SessionFiles::add_value(std::string_view key, std::string json, std::size_t value_bytes) {
  if (key.empty() || key.size() > kLongestMetadataText || value_bytes > kLongestMetadataText) {
    return Error{ErrorCode::kInvalidArgument, "metadata keys and values have 1 to 4096 bytes; '" +
                                                  std::string(key.substr(0, 80)) +
                                                  "' was left out"};
  }
  if (!nlohmann::json::accept(json) || !is_valid_utf8(key)) {
    return Error{ErrorCode::kInvalidArgument, "the metadata '" + std::string(key.substr(0, 80)) +
                                                  "' is no valid JSON, or no valid UTF-8"};
  }
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(metadata_.user.begin(), metadata_.user.end(),
                                  [&](const ExtraKey& each) { return each.name == key; });
  const std::size_t replaced =
      known != metadata_.user.end() ? known->name.size() + known->json.size() : 0;
  const std::size_t total = metadata_bytes_ - replaced + key.size() + json.size();
  if (total > kMostMetadata) {
    return Error{ErrorCode::kInvalidArgument,
                 "there is room for 50 KiB of metadata; '" + std::string(key) + "' was left out"};
  }
  metadata_bytes_ = total;
  if (known != metadata_.user.end()) {
    known->json = std::move(json);
  } else {
    metadata_.user.push_back({std::string(key), std::move(json)});
  }
  metadata_changed_ = true;
  return ok_status();
}

Status SessionFiles::write() {
  const std::lock_guard lock(mutex_);
  if (info_changed_) {
    NPUPROF_RETURN_IF_ERROR(replace_file(
        directory_ / format::framework::profiler_info_file_name(info_.rank_id), to_json(info_)));
    info_changed_ = false;
  }
  if (metadata_changed_) {
    NPUPROF_RETURN_IF_ERROR(
        replace_file(directory_ / format::framework::kProfilerMetadataFile, to_json(metadata_)));
    metadata_changed_ = false;
  }
  return ok_status();
}

}  // namespace npuprof::record
