#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/string_pool.h"
#include "format/host/additional_node.h"
#include "load/cann_host/host_names.h"

namespace npuprof::load {

// Shapes, types and formats as the result files print them. Empty = there are no such tensors.
struct NodeTensorText {
  StringId input_shapes{};
  StringId input_dtypes{};
  StringId input_formats{};
  StringId output_shapes{};
  StringId output_dtypes{};
  StringId output_formats{};
};

// Formats tensors, each distinct list once: launches of a training step repeat with the next one.
class TensorTexts {
 public:
  explicit TensorTexts(Names& names) : names_(names) {}

  // The number of a list of tensors; equal lists have equal numbers.
  std::uint32_t number_of(std::span<const format::host::Tensor> tensors);

  // The text of a list.
  const NodeTensorText& text_of(std::uint32_t number);

  // The text of several lists, one after the other: operators with many tensors.
  const NodeTensorText& text_of(std::span<const std::uint32_t> numbers);

 private:
  struct List {
    std::vector<format::host::Tensor> tensors;
    NodeTensorText text;
    bool has_text = false;
  };
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t number_plus_1 = 0;  // 0 = free.
  };

  NodeTensorText format(std::span<const std::uint32_t> numbers);
  void grow();

  Names& names_;
  std::vector<List> lists_;
  std::vector<Slot> slots_;  // Size a power of two, at most half in use.
  std::map<std::vector<std::uint32_t>, NodeTensorText> joined_;
};

}  // namespace npuprof::load
