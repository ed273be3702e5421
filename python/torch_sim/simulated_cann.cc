#include "simulated_cann.h"

#include <cstdlib>
#include <memory>
#include <mutex>

#include <dlfcn.h>

#include "recording.h"

namespace npuprof::torch_sim {
namespace {

constexpr const char* kLibrary = "libnpusim_cann.so";

std::mutex library_mutex;
const SimulatedCann* opened = nullptr;  // For good.

template <typename Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  return function != nullptr;
}

// Null if a function is missing.
const SimulatedCann* take(void* library) {
  auto cann = std::make_unique<SimulatedCann>();
  const bool is_whole = find(library, "aclInit", cann->aclInit) &&
                        find(library, "aclrtSetDevice", cann->aclrtSetDevice) &&
                        find(library, "aclrtGetDeviceCount", cann->aclrtGetDeviceCount) &&
                        find(library, "aclrtGetSocName", cann->aclrtGetSocName) &&
                        find(library, "aclrtSynchronizeDevice", cann->aclrtSynchronizeDevice) &&
                        find(library, "aclrtCreateStream", cann->aclrtCreateStream) &&
                        find(library, "aclrtSynchronizeStream", cann->aclrtSynchronizeStream) &&
                        find(library, "aclrtMalloc", cann->aclrtMalloc) &&
                        find(library, "aclrtFree", cann->aclrtFree) &&
                        find(library, "aclrtMemcpy", cann->aclrtMemcpy) &&
                        find(library, "aclrtMemcpyAsync", cann->aclrtMemcpyAsync) &&
                        find(library, "npusimLaunchKernel", cann->npusimLaunchKernel);
  if (!is_whole) return nullptr;
  (void)cann->aclInit(nullptr);  // Somebody else may have done it.
  const char* const name = cann->aclrtGetSocName();
  const auto chip = sim::find_chip(name != nullptr ? name : "");
  if (!chip.ok() || cann->aclrtGetDeviceCount(&cann->device_count) != NPUPROF_ACL_SUCCESS ||
      cann->device_count == 0) {
    return nullptr;
  }
  cann->chip = chip.value();
  return cann.release();
}

}  // namespace

const SimulatedCann* simulated_cann_in_use() {
  if (is_forked_child()) return nullptr;
  const std::lock_guard lock(library_mutex);
  if (opened != nullptr) return opened;
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_NOLOAD);
  if (library != nullptr) opened = take(library);
  return opened;
}

const SimulatedCann* open_simulated_cann(const std::string& path, std::string& failure) {
  if (const SimulatedCann* const present = simulated_cann_in_use()) return present;
  const std::lock_guard lock(library_mutex);
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    failure = reason != nullptr ? reason : path;
    return nullptr;
  }
  opened = take(library);
  if (opened == nullptr) failure = path + " is not the simulated library of this version";
  return opened;
}

std::int32_t default_device(const SimulatedCann& cann) {
  static const unsigned long place = [] {
    const char* const rank = std::getenv("LOCAL_RANK");
    return rank != nullptr ? std::strtoul(rank, nullptr, 10) : 0;
  }();
  return static_cast<std::int32_t>(place % cann.device_count);
}

}  // namespace npuprof::torch_sim
