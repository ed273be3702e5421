#include "profiler_session.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/log.h"

namespace npuprof::python {
namespace {

std::atomic<bool> ranges_wanted{false};

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

std::uint32_t host_sys_bit(std::string_view name) {
  if (name == "cpu") return NPUPROF_HOST_CPU;
  if (name == "mem") return NPUPROF_HOST_MEMORY;
  if (name == "disk") return NPUPROF_HOST_DISK;
  return name == "network" ? NPUPROF_HOST_NETWORK : 0;
}

// What the recorder has to sample of the host, since CANN samples nothing. What neither samples is
// said.
std::uint32_t host_sys_for_recorder(const std::vector<std::string>& wanted,
                                    const std::vector<std::string>& by_cann) {
  std::uint32_t bits = 0;
  std::vector<std::string_view> missing;
  for (const std::string& name : wanted) {
    const std::uint32_t bit = by_cann.empty() ? host_sys_bit(name) : 0;
    bits |= bit;
    const bool is_sampled =
        bit != 0 || std::find(by_cann.begin(), by_cann.end(), name) != by_cann.end();
    if (!is_sampled) missing.push_back(name);
  }
  if (!missing.empty()) {
    log::warning("host_sys: {} cannot be sampled here, which needs tools of CANN; it is left out",
                 fmt::join(missing, ", "));
  }
  return bits;
}

// `device` may be null.
npuprof_session* open_recorder(const std::string& directory, const SessionConfig& config,
                               const DeviceSide* device) {
  const std::vector<const char*> include = pointers_to(config.mstx_domain_include);
  const std::vector<const char*> exclude = pointers_to(config.mstx_domain_exclude);
  npuprof_options options;
  npuprof_options_init(&options);
  options.rank = config.rank;
  // Those of Python go to CANN if it collects; C++ code of the program has only the recorder.
  options.markers = config.npu && config.device.mstx ? 1 : 0;
  options.domain_include = include.data();
  options.domain_include_count = include.size();
  options.domain_exclude = exclude.data();
  options.domain_exclude_count = exclude.size();
  if (device != nullptr) {
    options.host_sys = host_sys_for_recorder(config.device.host_sys, device->host_samples());
  }
  return npuprof_session_open_directory(directory.c_str(), &options);
}

// The text of a profiler_info.json; empty if nothing is to be said.
std::string with_simulated(const std::string& info_json, bool is_simulated) {
  nlohmann::json info = nlohmann::json::parse(info_json, nullptr, false);
  if (!info.is_object()) info = nlohmann::json::object();
  if (is_simulated) info["simulated"] = true;
  return info.empty() ? "" : info.dump();
}

void check(int code) {
  switch (code) {
    case NPUPROF_OK:
    case NPUPROF_LOSSES:  // The recorder has said so.
      return;
    case NPUPROF_BUSY:
      throw std::runtime_error("another session of this process is recording");
    case NPUPROF_WRONG_STATE:
      throw std::runtime_error("it comes out of turn");
    case NPUPROF_FORKED:
      throw std::runtime_error("the session belongs to the parent process");
    default:
      throw std::runtime_error("the reason was printed to standard error");
  }
}

}  // namespace

ProfilerSession::ProfilerSession(const std::string& result_directory, SessionConfig config)
    : config_(std::move(config)) {
  if (config_.npu) device_ = std::make_unique<DeviceSide>(result_directory, config_.device);
  if (!config_.recorder) return;
  recorder_ = open_recorder(result_directory, config_, device_.get());
  if (recorder_ == nullptr) throw std::runtime_error("cannot write to " + result_directory);
  const std::string info = with_simulated(config_.info_json, is_simulated());
  if (!info.empty()) (void)npuprof_session_info_json(recorder_, info.c_str());
}

ProfilerSession::~ProfilerSession() { (void)npuprof_session_finalize(recorder_, nullptr); }

void ProfilerSession::warmup() {
  if (device_ != nullptr) device_->warmup();
}

// The device first: it takes long, and that shall not be seen as the program's own time.
std::int64_t ProfilerSession::start() {
  if (device_ != nullptr) device_->start();
  if (recorder_ == nullptr) return npuprof_timestamp_ns();
  check(npuprof_session_start(recorder_));
  ranges_wanted = config_.cpu;
  return npuprof_session_start_ns(recorder_);
}

void ProfilerSession::stop() {
  const int code = recorder_ != nullptr ? npuprof_session_stop(recorder_, nullptr) : NPUPROF_OK;
  if (device_ != nullptr) device_->stop();
  check(code);
}

void ProfilerSession::finalize() {
  if (device_ != nullptr) device_->finalize();
  if (!config_.recorder) return;
  check(npuprof_session_finalize(std::exchange(recorder_, nullptr), nullptr));
}

bool ProfilerSession::records_ranges() { return ranges_wanted.load(std::memory_order_relaxed); }

}  // namespace npuprof::python
