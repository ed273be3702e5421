#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cann/collection.h"
#include "cann/markers.h"

namespace npuprof::python {

// Once in a process, aloud.
void say_that_it_is_simulated();

// What CANN does for a session. Where it cannot, that is said once and the rest goes on.
class DeviceSide {
 public:
  // Opens CANN, or the simulated NPU, which is said aloud.
  DeviceSide(const std::string& result_directory, const cann::CollectionOptions& options);
  DeviceSide(const DeviceSide&) = delete;
  DeviceSide& operator=(const DeviceSide&) = delete;
  ~DeviceSide() { finalize(); }

  bool is_simulated() const;
  // What CANN samples of the host; if nothing, the recorder may.
  std::vector<std::string> host_samples() const;

  void warmup();
  void start();
  void stop();
  void finalize();

  // Where markers go while a session with markers collects; else null.
  static cann::Markers* markers() { return active_markers.load(std::memory_order_acquire); }

 private:
  static std::atomic<cann::Markers*> active_markers;

  bool with_markers_;
  std::unique_ptr<cann::Collection> collection_;
};

}  // namespace npuprof::python
