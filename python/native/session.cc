#include "session.h"

#include <atomic>
#include <stdexcept>
#include <utility>

namespace npuprof::python {
namespace {

std::atomic<bool> ranges_wanted{false};

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

std::uint32_t host_sys_bits(const std::vector<std::string>& names) {
  std::uint32_t bits = 0;
  for (const std::string& name : names) {
    if (name == "cpu") bits |= NPUPROF_HOST_CPU;
    if (name == "mem") bits |= NPUPROF_HOST_MEMORY;
    if (name == "disk") bits |= NPUPROF_HOST_DISK;
    if (name == "network") bits |= NPUPROF_HOST_NETWORK;
  }
  return bits;
}

npuprof_session* open_recorder(const std::string& directory, const SessionConfig& config) {
  const std::vector<const char*> include = pointers_to(config.mstx_domain_include);
  const std::vector<const char*> exclude = pointers_to(config.mstx_domain_exclude);
  npuprof_options options;
  npuprof_options_init(&options);
  options.rank = config.rank;
  options.markers = config.npu && config.mstx ? 1 : 0;
  options.domain_include = include.data();
  options.domain_include_count = include.size();
  options.domain_exclude = exclude.data();
  options.domain_exclude_count = exclude.size();
  options.host_sys = config.npu ? host_sys_bits(config.host_sys) : 0;
  return npuprof_session_open_directory(directory.c_str(), &options);
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

Session::Session(const std::string& result_directory, SessionConfig config)
    : config_(std::move(config)), recorder_(open_recorder(result_directory, config_)) {
  if (recorder_ == nullptr) throw std::runtime_error("cannot write to " + result_directory);
  if (!config_.info_json.empty()) {
    (void)npuprof_session_info_json(recorder_, config_.info_json.c_str());
  }
}

Session::~Session() { (void)npuprof_session_finalize(recorder_, nullptr); }

std::int64_t Session::start() {
  check(npuprof_session_start(recorder_));
  ranges_wanted = config_.cpu;
  return npuprof_session_start_ns(recorder_);
}

void Session::stop() { check(npuprof_session_stop(recorder_, nullptr)); }

void Session::finalize() {
  check(npuprof_session_finalize(std::exchange(recorder_, nullptr), nullptr));
}

bool Session::records_ranges() { return ranges_wanted.load(std::memory_order_relaxed); }

}  // namespace npuprof::python
