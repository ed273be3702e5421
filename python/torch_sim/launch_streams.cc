#include "launch_streams.h"

#include <map>
#include <mutex>

#include "kernel_launcher.h"
#include "launching_thread.h"
#include "recording.h"

namespace npuprof::torch_sim {
namespace {

struct DefaultStreams {
  std::mutex mutex;
  std::map<std::int32_t, aclrtStream> by_device;
};

// Never destroyed: threads may still launch when the process ends.
DefaultStreams& default_streams() {
  static auto* const all = new DefaultStreams;
  return *all;
}

}  // namespace

aclrtStream make_stream(const SimulatedCann& cann, std::int32_t device) {
  if (is_forked_child()) return nullptr;
  use_device(cann, device);
  aclrtStream stream = nullptr;
  return cann.aclrtCreateStream(&stream) == NPUPROF_ACL_SUCCESS ? stream : nullptr;
}

aclrtStream default_stream(const SimulatedCann& cann, std::int32_t device) {
  DefaultStreams& all = default_streams();
  const std::lock_guard lock(all.mutex);
  const auto [entry, is_new] = all.by_device.try_emplace(device, nullptr);
  if (is_new) entry->second = make_stream(cann, device);
  return entry->second;
}

aclrtStream current_stream(const SimulatedCann& cann, std::int32_t device) {
  const auto& chosen = launching_thread().streams;
  const auto place = static_cast<std::size_t>(device);
  if (place < chosen.size() && chosen[place] != nullptr) return chosen[place];
  return default_stream(cann, device);
}

void use_stream(std::int32_t device, aclrtStream stream) {
  auto& chosen = launching_thread().streams;
  const auto place = static_cast<std::size_t>(device);
  if (place >= chosen.size()) chosen.resize(place + 1);
  chosen[place] = stream;
}

}  // namespace npuprof::torch_sim
