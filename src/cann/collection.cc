#include "cann/collection.h"

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"

namespace npuprof::cann {
namespace {

constexpr std::uint32_t kAicoreArguments = 1;

// Samples of the host that need tools which a machine may lack. CANN then takes none of the list.
constexpr std::array<std::string_view, 2> kNeedTools = {"numa", "osrt"};

// The process that uses CANN, 0 for none. Its threads and devices do not exist in a forked child.
std::atomic<int> user_pid{0};

Status check(const char* function, aclError code) {
  if (code != NPUPROF_ACL_SUCCESS) return call_error(function, code);
  return ok_status();
}

aclError initialize(const Functions& cann, const std::string& directory) {
  const aclError code = cann.aclprofInit(directory.c_str(), directory.size());
  if (code != NPUPROF_ACL_UNINITIALIZE || cann.aclInit == nullptr) return code;
  // The program has not begun to use its devices.
  (void)cann.aclInit(nullptr);
  return cann.aclprofInit(directory.c_str(), directory.size());
}

// Once for each name: programs collect again and again.
void say_not_simulated(std::vector<std::string> names) {
  static std::set<std::string> said;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::erase_if(names, [](const std::string& name) { return !said.insert(name).second; });
  if (names.empty()) return;
  log::warning("nothing is recorded of {}: the simulated NPU has no such data",
               fmt::join(names, ", "));
}

// Before the first call of CANN.
Status claim_process() {
  const int pid = ::getpid();
  int user = 0;
  if (!user_pid.compare_exchange_strong(user, pid) && user != pid) {
    return Error{ErrorCode::kUnsupported,
                 "CANN was in use when this process was forked, so it cannot be used in it"};
  }
  return ok_status();
}

}  // namespace

Collection::Collection(const Client& client, std::string result_directory, Switches switches,
                       std::vector<std::string> host_sys, std::string op_args_directory)
    : client_(client),
      result_directory_(std::move(result_directory)),
      switches_(std::move(switches)),
      host_sys_(std::move(host_sys)),
      op_args_directory_(std::move(op_args_directory)),
      pid_(::getpid()) {}

Collection::~Collection() {
  const Status done = finalize();
  if (!done.ok()) log::warning("{}", done.error().message);
}

Result<std::unique_ptr<Collection>> Collection::open(const Client& client,
                                                     const std::string& result_directory,
                                                     const CollectionOptions& options) {
  NPUPROF_RETURN_IF_ERROR(claim_process());
  return prepare(std::unique_ptr<Collection>(
      new Collection(client, result_directory, make_switches(options, client.features()),
                     options.host_sys, options.op_args_directory)));
}

Result<std::unique_ptr<Collection>> Collection::open_for_graphs(const Client& client,
                                                                const std::string& result_directory,
                                                                const ProfilingOptions& options) {
  NPUPROF_RETURN_IF_ERROR(claim_process());
  std::vector<std::string> left_out;
  Switches switches = make_switches(options, left_out);
  for (const std::string& key : left_out) {
    log::warning("{} is left out: CANN's interface for collectors has no switch for it", key);
  }
  return prepare(std::unique_ptr<Collection>(
      new Collection(client, result_directory, std::move(switches), options.host_sys, {})));
}

Result<std::unique_ptr<Collection>> Collection::prepare(std::unique_ptr<Collection> collection) {
  const Functions& cann = collection->client_.functions();
  NPUPROF_RETURN_IF_ERROR(check("aclprofInit", initialize(cann, collection->result_directory_)));
  collection->is_initialized_ = true;
  NPUPROF_RETURN_IF_ERROR(collection->configure());
  return collection;
}

// A setting that this CANN does not know is left out, the rest is still worth having.
Status Collection::configure() {
  for (const auto& [type, value] : switches_.settings) {
    const aclError code = set(type, value);
    if (code != NPUPROF_ACL_SUCCESS) {
      log::warning("CANN does not take setting {} = {}: {}", type, value,
                   call_error("aclprofSetConfig", code).message);
    }
  }
  choose_host_samples();
  if (client_.is_simulated()) say_not_simulated(not_simulated(switches_, host_sys_));
  return ok_status();
}

aclError Collection::set(int type, const std::string& value) const {
  const Functions& cann = client_.functions();
  if (cann.aclprofSetConfig == nullptr) return NPUPROF_ACL_PROF_MODULES_UNSUPPORTED;
  return cann.aclprofSetConfig(type, value.c_str(), value.size());
}

void Collection::choose_host_samples() {
  std::vector<std::string> wanted = host_sys_;
  for (std::size_t dropped = 0; !wanted.empty(); ++dropped) {
    const std::string list = fmt::format("{}", fmt::join(wanted, ","));
    if (set(NPUPROF_CONFIG_HOST_SYS, list) == NPUPROF_ACL_SUCCESS) {
      host_samples_ = std::move(wanted);
      return;
    }
    if (dropped == kNeedTools.size()) return;
    std::erase(wanted, kNeedTools[dropped]);
  }
}

Status Collection::make_config() {
  if (config_ != nullptr) return ok_status();
  NPUPROF_ASSIGN_OR_RETURN(std::uint32_t device, client_.current_device());
  config_ = client_.functions().aclprofCreateConfig(&device, 1, switches_.metrics, nullptr,
                                                    switches_.bits);
  if (config_ != nullptr) return ok_status();
  return Error{ErrorCode::kInternal,
               fmt::format("aclprofCreateConfig refused device {} with switches {:#x}", device,
                           switches_.bits)};
}

Status Collection::warmup() {
  const Functions& cann = client_.functions();
  if (pid_ != ::getpid() || is_started_ || is_warm_ || cann.aclprofWarmup == nullptr) {
    return ok_status();
  }
  NPUPROF_RETURN_IF_ERROR(make_config());
  NPUPROF_RETURN_IF_ERROR(check("aclprofWarmup", cann.aclprofWarmup(config_)));
  is_warm_ = true;
  return ok_status();
}

Status Collection::start() {
  if (pid_ != ::getpid() || is_started_) return ok_status();
  const Functions& cann = client_.functions();
  NPUPROF_RETURN_IF_ERROR(make_config());
  NPUPROF_RETURN_IF_ERROR(check("aclprofStart", cann.aclprofStart(config_)));
  is_started_ = true;
  // Devices that the program turns to later are collected too.
  if (cann.aclprofRegisterDeviceCallback != nullptr) (void)cann.aclprofRegisterDeviceCallback();
  return op_args_directory_.empty() ? ok_status() : start_op_args();
}

Status Collection::start_op_args() {
  const Functions& cann = client_.functions();
  if (cann.aclopStartDumpArgs == nullptr) {
    return Error{ErrorCode::kUnsupported, "this CANN cannot record arguments of operators"};
  }
  NPUPROF_RETURN_IF_ERROR(make_directories(op_args_directory_));
  NPUPROF_RETURN_IF_ERROR(check(
      "aclopStartDumpArgs", cann.aclopStartDumpArgs(kAicoreArguments, op_args_directory_.c_str())));
  dumps_op_args_ = true;
  return ok_status();
}

Status Collection::stop() {
  if (pid_ != ::getpid() || config_ == nullptr) return ok_status();
  const Functions& cann = client_.functions();
  if (std::exchange(dumps_op_args_, false)) (void)cann.aclopStopDumpArgs(kAicoreArguments);
  aclprofConfig* const config = std::exchange(config_, nullptr);
  const bool is_armed = std::exchange(is_started_, false) || is_warm_;
  is_warm_ = false;
  Status stopped = is_armed ? check("aclprofStop", cann.aclprofStop(config)) : ok_status();
  const aclError destroyed = cann.aclprofDestroyConfig(config);
  return stopped.ok() ? check("aclprofDestroyConfig", destroyed) : std::move(stopped);
}

Status Collection::finalize() {
  if (pid_ != ::getpid() || !is_initialized_) return ok_status();
  Status stopped = stop();
  is_initialized_ = false;
  const aclError code = client_.functions().aclprofFinalize();
  return stopped.ok() ? check("aclprofFinalize", code) : std::move(stopped);
}

}  // namespace npuprof::cann
