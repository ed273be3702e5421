#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "cann/client.h"

namespace npuprof::cann {

// Markers of the program, handed to CANN: with a stream they are seen on the device as well.
// Several threads may use it.
class Markers {
 public:
  explicit Markers(const Client& client) : Markers(client.functions()) {}
  explicit Markers(const Functions& functions) : cann_(functions) {}

  // An empty domain is "default". `stream` is the handle of one, 0 for the host only.
  void mark(const std::string& message, const std::string& domain, std::uintptr_t stream);
  // 0 if nothing was recorded.
  std::uint64_t range_start(const std::string& message, const std::string& domain,
                            std::uintptr_t stream);
  void range_end(std::uint64_t id, const std::string& domain);

 private:
  bool has_domains() const { return cann_.mstxDomainCreateA != nullptr; }
  // Null if CANN does not take the name.
  mstxDomainHandle_t handle(const std::string& domain);
  // Whether CANN takes such markers; what it does not take is said once.
  bool is_taken(const std::string& message, const std::string& domain);

  const Functions cann_;
  std::atomic<bool> has_refused_message_{false};
  std::atomic<bool> has_refused_domain_{false};
  std::mutex mutex_;
  std::unordered_map<std::string, mstxDomainHandle_t> handles_;
};

}  // namespace npuprof::cann
