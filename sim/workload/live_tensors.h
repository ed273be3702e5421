#pragma once

// The tensors that operators read. Programs tell types and shapes only; this finds for each input a
// tensor that it could be, so that addresses in operator records agree with those of the allocator.

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/framework/tensor_text.h"
#include "sim/model/kernel.h"
#include "sim/torch/framework_writer.h"
#include "sim/torch/program_tensor.h"

namespace npuprof::sim {

// A parameter of a module.
struct Parameter {
  std::string name;
  ElementType type = ElementType::kFloat32;
  std::vector<std::uint32_t> shape;
  ProgramTensor tensor;
};

// The tensors of one call, for FrameworkWriter::op(). Views of tensors: for use until the next one
// is removed.
class CallTensors {
 public:
  void add(const ProgramTensor& tensor) { tensors_.push_back(tensor.text()); }
  void add_list(std::vector<format::framework::TensorText> list);
  OpTensors view() const { return {tensors_, list_views_}; }

 private:
  std::vector<format::framework::TensorText> tensors_;
  std::deque<std::vector<format::framework::TensorText>> lists_;
  std::vector<std::span<const format::framework::TensorText>> list_views_;
};

class LiveTensors {
 public:
  explicit LiveTensors(std::int8_t device_index) : device_index_(device_index) {}

  // An object for a tensor of the program.
  ProgramTensor make(std::uint64_t storage, ElementType type, std::span<const std::uint32_t> shape);

  // An operator's result of `bytes` lies at `address`, until it is removed.
  void add_result(std::uint64_t address, std::uint64_t bytes);
  void remove(std::uint64_t address);

  // The tensors an operator with these inputs reads: parameters from `modules` (innermost first)
  // with the same type and shape, else the latest results that are large enough, else tensors that
  // were there before the profile began. No two inputs of a call are the same.
  CallTensors inputs(std::span<const TensorDesc> inputs,
                     std::span<const std::vector<Parameter>* const> modules);
  // The gradient of a parameter, which lives as long as it.
  const ProgramTensor& gradient(const Parameter& parameter);

 private:
  // Older results are not looked at.
  static constexpr std::size_t kMostRecent = 64;

  struct Storage {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  // What tells views of one storage from each other.
  using ViewKey = std::pair<ElementType, std::vector<std::uint32_t>>;

  const ProgramTensor* find_parameter(const TensorDesc& input,
                                      std::span<const std::vector<Parameter>* const> modules) const;
  const Storage* find_result(std::uint64_t bytes) const;
  const ProgramTensor& older_tensor(const TensorDesc& input);
  const ProgramTensor& view(std::uint64_t address, const TensorDesc& input);
  bool is_used(std::uint64_t address) const;
  std::uint64_t older_address(std::uint64_t bytes);

  std::int8_t device_index_;
  std::vector<Storage> results_;  // In the order they were made.
  std::unordered_map<std::uint64_t, std::map<ViewKey, ProgramTensor>> views_;  // By address.
  std::map<ViewKey, std::deque<ProgramTensor>> older_;
  std::unordered_map<std::uint64_t, ProgramTensor> gradients_;  // By address of the parameter.
  std::vector<std::uint64_t> used_;                             // By the call at hand.
  std::uint64_t objects_ = 0;
  std::uint64_t older_bytes_ = 0;
};

}  // namespace npuprof::sim
