#include "sim/npu/kernel_template.h"

#include <algorithm>
#include <cmath>

#include "format/host/dictionary.h"
#include "format/host/enumerations.h"

namespace npuprof::sim {

namespace device = format::device;
namespace host = format::host;

namespace {

struct KindInfo {
  host::GeTaskType node_type;
  host::TaskType task_type;
  device::SqeKind sqe;
  device::SubTaskType sub_task;
};

// How each kind of kernel shows up. On chips before 15 a MIX kernel is one context of an FFTS+
// task.
KindInfo kind_info(const ChipSpec& chip, KernelCore kind) {
  const bool v6 = chip.is_v6();
  switch (kind) {
    case KernelCore::kAic:
      return {host::GeTaskType::kAiCore, host::TaskType::kKernelAicore, device::SqeKind::kAiCore,
              device::SubTaskType::kAic};
    case KernelCore::kAiv:
      return {host::GeTaskType::kAiVectorCore, host::TaskType::kKernelAivec,
              v6 ? device::SqeKind::kAiVector : device::SqeKind::kAiCore,
              device::SubTaskType::kAiv};
    case KernelCore::kMixAic:
      return {host::GeTaskType::kMixAic,
              v6 ? host::TaskType::kKernelMixAic : host::TaskType::kFftsPlus,
              device::SqeKind::kAiCore, device::SubTaskType::kMixAic};
    case KernelCore::kMixAiv:
      return {
          host::GeTaskType::kMixAiv, v6 ? host::TaskType::kKernelMixAiv : host::TaskType::kFftsPlus,
          v6 ? device::SqeKind::kAiVector : device::SqeKind::kAiCore, device::SubTaskType::kMixAiv};
    case KernelCore::kAicpu:
      return {host::GeTaskType::kAiCpu, host::TaskType::kKernelAicpu,
              v6 ? device::SqeKind::kAiCpuDevice : device::SqeKind::kAiCpu,
              device::SubTaskType::kAiCpu};
    case KernelCore::kDsa:
      return {host::GeTaskType::kDsaSqe, host::TaskType::kStarsCommon,
              v6 ? device::SqeKind::kAiVector : device::SqeKind::kDsa, device::SubTaskType::kDsa};
    case KernelCore::kDvpp:
      return {host::GeTaskType::kDvpp, host::TaskType::kStarsCommon, device::SqeKind::kVpc,
              device::SubTaskType::kAic};
  }
  return {};
}

// Tensors as records have them, in order.
std::vector<host::Tensor> tensor_records(const KernelDesc& desc) {
  std::vector<host::Tensor> records;
  records.reserve(desc.tensors.size());
  for (const bool outputs : {false, true}) {
    for (const TensorDesc& tensor : desc.tensors) {
      if (tensor.is_output != outputs) continue;
      host::Tensor record{};
      record.direction = outputs ? host::Tensor::kOutput : host::Tensor::kInput;
      record.format = static_cast<std::uint32_t>(tensor.format);
      record.data_type = static_cast<std::uint32_t>(tensor.type);
      const std::size_t dimensions = std::min(tensor.shape.size(), record.shape.size());
      for (std::size_t i = 0; i < dimensions; ++i) record.shape[i] = tensor.shape[i];
      records.push_back(record);
    }
  }
  return records;
}

}  // namespace

KernelTemplate::KernelTemplate(const ChipSpec& chip, const MetricSelection& metrics,
                               KernelDesc desc)
    : chip_(&chip),
      desc_(std::move(desc)),
      nominal_(estimate(chip, chip.aic_mhz, desc_)),
      pmu_(chip, metrics, desc_, nominal_),
      overhead_ns_(std::llround(nominal_.overhead_ns)),
      last_mhz_(chip.aic_mhz),
      last_busy_ns_(nominal_.busy_ns) {
  name_hash = host::string_hash(desc_.name);
  l2_counters = l2_cache_counters(chip, nominal_);
  translation_counters = smmu_counters(nominal_);
  make_task_record(chip);
  make_node_records();
}

double KernelTemplate::busy_ns_slow(std::uint32_t mhz) const {
  last_mhz_ = mhz;
  last_busy_ns_ = estimate(*chip_, mhz, desc_).busy_ns;
  return last_busy_ns_;
}

std::string_view KernelTemplate::core_name() const {
  return host::ge_task_type_name(node.task_type);
}

void KernelTemplate::make_task_record(const ChipSpec& chip) {
  const KindInfo kind = kind_info(chip, desc_.kind);
  sqe = kind.sqe;
  sub_task_type = kind.sub_task;
  has_context = is_mix(desc_.kind) && !chip.is_v6();

  track.header = host::header_of<host::TaskTrack>(0, 0);
  track.task_type = static_cast<std::uint64_t>(kind.task_type);
  track.kernel_name = name_hash;
  host::KernelExtension extension{};
  extension.block_count = static_cast<std::uint16_t>(desc_.block_count);
  extension.argument_bytes = static_cast<std::uint16_t>(64 + 8 * desc_.tensors.size());
  extension.ratio_and_schedule =
      host::KernelExtension::encode(static_cast<std::uint8_t>(desc_.mix_ratio), 0);
  track.extension = host::make_extension(extension);
}

void KernelTemplate::make_node_records() {
  node.header = host::header_of<host::NodeBasicInfo>(0, 0);
  node.op_name = name_hash;
  node.task_type = static_cast<std::uint32_t>(kind_info(*chip_, desc_.kind).node_type);
  node.op_type = host::string_hash(desc_.type);
  node.blocks = host::NodeBasicInfo::encode_blocks(static_cast<std::uint16_t>(desc_.block_count),
                                                   static_cast<std::uint16_t>(desc_.mix_ratio));
  node.op_flag = desc_.hf32 ? 1 : 0;

  attributes.header = host::header_of<host::NodeAttrInfo>(0, 0);
  attributes.op_name = name_hash;
  attributes.attributes = desc_.attributes.empty() ? 0 : host::string_hash(desc_.attributes);

  contexts.header = host::header_of<host::ContextIdInfo>(0, 0);
  contexts.op_name = name_hash;
  contexts.context_count = 1;  // Context 0.

  const std::vector<host::Tensor> all = tensor_records(desc_);
  for (std::size_t first = 0; first < all.size(); first += host::TensorInfo::kMaxTensors) {
    const std::size_t count = std::min(all.size() - first, host::TensorInfo::kMaxTensors);
    host::TensorInfo record{};
    record.header = host::make_header(
        host::TensorInfo::kKind,
        host::TensorInfo::payload_length(static_cast<std::uint32_t>(count)), 0, 0);
    record.op_name = name_hash;
    record.tensor_count = static_cast<std::uint32_t>(count);
    for (std::size_t i = 0; i < count; ++i) record.tensors[i] = all[first + i];
    tensors.push_back(record);
  }
}

}  // namespace npuprof::sim
