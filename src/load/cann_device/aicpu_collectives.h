#pragma once

#include <vector>

#include "format/device/aicpu.h"
#include "format/device/task_identity.h"
#include "load/cann_device/aicpu_files.h"
#include "load/cann_device/device_part.h"
#include "trace/task_batches.h"

namespace npuprof::load {

// What AI CPUs report of the collectives they run: DeviceCollectives.
class AicpuCollectives {
 public:
  AicpuCollectives(const DeviceConfig& config, format::device::StreamMode mode,
                   const TextOfHash& text_of_hash, DevicePart& out)
      : config_(config), mode_(mode), text_of_hash_(text_of_hash), out_(out) {}

  // Ignores records of other types.
  void add(const format::device::AiCpuRecord& record);

  // Sets the batches from the flips that the AI CPUs reported: they put tasks on a stream before
  // the device gets to its own record of the flip. `device_batches` aligns the two, should one of
  // them have begun earlier.
  void finish(const trace::TaskBatches& device_batches);

 private:
  void add_op(const format::device::AiCpuHcclOp& op);
  void add_mark(const format::device::AiCpuMainStreamMark& mark);
  void add_task(const format::device::AiCpuHcclTask& task);
  void append(std::uint8_t kind, std::uint64_t syscnt, std::uint16_t stream, std::uint32_t task);
  format::device::TaskIdentity decode(std::uint16_t stream, std::uint16_t task) const;
  StringId text(std::uint64_t hash);

  const DeviceConfig& config_;
  format::device::StreamMode mode_;
  const TextOfHash& text_of_hash_;
  DevicePart& out_;
  std::vector<trace::BatchBegin> flips_;
};

}  // namespace npuprof::load
