#pragma once

// Which of its inputs an operator changes. Profiles do not say; PyTorch's naming rules do.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "format/framework/data_type.h"

namespace npuprof::analyze {

class OperatorWrites {
 public:
  // Of an operator's name as it is recorded, `aten::add_`.
  static OperatorWrites of(std::string_view name);

  // Whether the name is that of an operator of PyTorch's registry at all: namespace::name. Ranges
  // of the program and of the autograd engine are none.
  bool is_operator() const { return is_operator_; }

  // Whether a call with inputs of these kinds changes the one at `position`.
  bool writes(std::size_t position, std::span<const format::framework::InputKind> kinds) const;

 private:
  struct Variant {
    std::uint8_t inputs;
    std::uint8_t outputs;
  };

  bool is_operator_ = false;
  std::uint32_t positions_ = 0;    // Bits of inputs that every call changes.
  std::vector<Variant> variants_;  // Calls that get their outputs as last inputs.
};

}  // namespace npuprof::analyze
