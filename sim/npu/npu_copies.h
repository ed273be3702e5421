#pragma once

#include <cstdint>

#include "format/host/enumerations.h"
#include "sim/npu/npu_samples.h"
#include "sim/npu/task_issuer.h"

namespace npuprof::sim {

// Memory that is copied and filled on a stream.
class NpuCopies {
 public:
  // Copies that are longer take several tasks.
  static constexpr std::uint64_t kMostTaskBytes = 64ull << 20;

  NpuCopies(NpuState& npu, TaskIssuer& issuer, NpuSamples& samples)
      : npu_(npu), issuer_(issuer), samples_(samples) {}

  TaskRun copy(std::uint32_t thread, StreamNumber stream, format::host::MemcpyDirection direction,
               std::uint64_t bytes, std::int64_t begin_ns);
  TaskRun fill(std::uint32_t thread, StreamNumber stream, std::uint64_t bytes,
               std::int64_t begin_ns);

 private:
  NpuState& npu_;
  TaskIssuer& issuer_;
  NpuSamples& samples_;
};

}  // namespace npuprof::sim
