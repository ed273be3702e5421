#pragma once

#include <cstdint>
#include <vector>

#include "format/device/task_types.h"
#include "format/host/additional_node.h"
#include "format/host/compact_node.h"
#include "format/host/compact_task.h"
#include "sim/model/kernel.h"
#include "sim/model/pmu.h"

namespace npuprof::sim {

// A kernel with everything worked out that is the same for all its launches: its time, its counters
// and its records, of which a launch only sets thread and time.
class KernelTemplate {
 public:
  KernelTemplate(const ChipSpec& chip, const MetricSelection& metrics, KernelDesc desc);

  const KernelDesc& desc() const { return desc_; }
  const KernelEstimate& nominal() const { return nominal_; }
  const PmuTemplate& pmu() const { return pmu_; }

  // How long the cores are busy at this clock.
  double busy_ns(std::uint32_t mhz) const {
    if (mhz == last_mhz_) return last_busy_ns_;
    return busy_ns_slow(mhz);
  }
  std::int64_t overhead_ns() const { return overhead_ns_; }

  // The name of the kind of core in results: "AI_CORE", "MIX_AIC", ...
  std::string_view core_name() const;

  // Records without thread and time.
  format::host::TaskTrack track{};
  format::host::NodeBasicInfo node{};
  format::host::NodeAttrInfo attributes{};
  format::host::ContextIdInfo contexts{};
  std::vector<format::host::TensorInfo> tensors;  // One per five tensors.

  std::uint64_t name_hash = 0;
  bool has_context = false;  // MIX on chips before 15: timed by FFTS+ context 0.
  format::device::SqeKind sqe = format::device::SqeKind::kAiCore;
  format::device::SubTaskType sub_task_type = format::device::SubTaskType::kAic;
  L2Counters l2_counters{};
  L2Counters translation_counters{};

  // Kept by the device the kernel belongs to.
  std::uint32_t truth_type = 0;
  double slowdown = 1;                   // A fault of its type.
  mutable std::uint32_t collection = 0;  // The collection whose dictionary has the strings.

 private:
  void make_task_record(const ChipSpec& chip);
  void make_node_records();
  double busy_ns_slow(std::uint32_t mhz) const;

  const ChipSpec* chip_;
  KernelDesc desc_;
  KernelEstimate nominal_;
  PmuTemplate pmu_;
  std::int64_t overhead_ns_ = 0;
  mutable std::uint32_t last_mhz_ = 0;
  mutable double last_busy_ns_ = 0;
};

}  // namespace npuprof::sim
