#include "sim/workload/live_tensors.h"

#include <algorithm>

#include "sim/workload/operator.h"

namespace npuprof::sim {
namespace {

// Tensor objects lie beside each other in the host's memory.
constexpr std::uint64_t kFirstObject = 0x5600'0000'0000;
constexpr std::uint64_t kObjectBytes = 192;
// Device memory taken before the profile began lies below that of the simulated allocator.
constexpr std::uint64_t kFirstOlderAddress = 0x1200'0000'0000;
constexpr std::uint64_t kBlockBytes = 512;

}  // namespace

void CallTensors::add_list(std::vector<format::framework::TensorText> list) {
  list_views_.emplace_back(lists_.emplace_back(std::move(list)));
}

ProgramTensor LiveTensors::make(std::uint64_t storage, ElementType type,
                                std::span<const std::uint32_t> shape) {
  const std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  return {kFirstObject + kObjectBytes * objects_++, storage, framework_type(type), sizes,
          device_index_};
}

void LiveTensors::add_result(std::uint64_t address, std::uint64_t bytes) {
  if (address != 0) results_.push_back({address, bytes});
}

void LiveTensors::remove(std::uint64_t address) {
  views_.erase(address);
  const auto found =
      std::find_if(results_.rbegin(), results_.rend(),
                   [address](const Storage& result) { return result.address == address; });
  if (found != results_.rend()) results_.erase(std::next(found).base());
}

bool LiveTensors::is_used(std::uint64_t address) const {
  return std::find(used_.begin(), used_.end(), address) != used_.end();
}

const ProgramTensor* LiveTensors::find_parameter(
    const TensorDesc& input, std::span<const std::vector<Parameter>* const> modules) const {
  for (const std::vector<Parameter>* module : modules) {
    for (const Parameter& parameter : *module) {
      if (parameter.type == input.type && parameter.shape == input.shape &&
          !is_used(parameter.tensor.storage())) {
        return &parameter.tensor;
      }
    }
  }
  return nullptr;
}

const LiveTensors::Storage* LiveTensors::find_result(std::uint64_t bytes) const {
  const std::size_t first = results_.size() - std::min(results_.size(), kMostRecent);
  const Storage* larger = nullptr;
  for (std::size_t i = results_.size(); i-- > first;) {
    const Storage& result = results_[i];
    if (result.bytes < bytes || is_used(result.address)) continue;
    if (result.bytes == bytes) return &result;
    if (larger == nullptr) larger = &result;
  }
  return larger;
}

std::uint64_t LiveTensors::older_address(std::uint64_t bytes) {
  const std::uint64_t address = kFirstOlderAddress + older_bytes_;
  older_bytes_ += (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  return address;
}

const ProgramTensor& LiveTensors::older_tensor(const TensorDesc& input) {
  std::deque<ProgramTensor>& tensors = older_[{input.type, input.shape}];
  for (const ProgramTensor& tensor : tensors) {
    if (!is_used(tensor.storage())) return tensor;
  }
  return tensors.emplace_back(make(older_address(byte_count(input)), input.type, input.shape));
}

const ProgramTensor& LiveTensors::view(std::uint64_t address, const TensorDesc& input) {
  auto& views = views_[address];
  const ViewKey key{input.type, input.shape};
  const auto found = views.find(key);
  if (found != views.end()) return found->second;
  return views.emplace(key, make(address, input.type, input.shape)).first->second;
}

CallTensors LiveTensors::inputs(std::span<const TensorDesc> inputs,
                                std::span<const std::vector<Parameter>* const> modules) {
  CallTensors call;
  used_.clear();
  for (const TensorDesc& input : inputs) {
    const ProgramTensor* tensor = find_parameter(input, modules);
    if (tensor == nullptr) {
      const Storage* result = find_result(byte_count(input));
      tensor = result != nullptr ? &view(result->address, input) : &older_tensor(input);
    }
    used_.push_back(tensor->storage());
    call.add(*tensor);
  }
  return call;
}

const ProgramTensor& LiveTensors::gradient(const Parameter& parameter) {
  const auto found = gradients_.find(parameter.tensor.storage());
  if (found != gradients_.end()) return found->second;
  const auto bytes = static_cast<std::uint64_t>(parameter.tensor.bytes());
  return gradients_
      .emplace(parameter.tensor.storage(),
               make(older_address(bytes), parameter.type, parameter.shape))
      .first->second;
}

}  // namespace npuprof::sim
