#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "format/framework/data_type.h"
#include "format/framework/op_range.h"
#include "sim/model/element_type.h"
#include "sim/torch/framework_options.h"

namespace npuprof::sim {

// One input of an operator, as its dtype and shape are written.
struct TemplateInput {
  format::framework::InputKind kind = format::framework::InputKind::kNone;
  format::framework::DataType type = format::framework::DataType::kFloat;      // Tensors.
  format::framework::ScalarKind scalar = format::framework::ScalarKind::kInt;  // Scalars.
  std::vector<std::int64_t> sizes;                                             // Tensors.

  static TemplateInput tensor(ElementType type, std::span<const std::uint32_t> shape);
  static TemplateInput tensor(format::framework::DataType type, std::vector<std::int64_t> sizes);
  static TemplateInput tensor_list();
  static TemplateInput scalar_of(format::framework::ScalarKind kind);
  static TemplateInput scalar_list();
  static TemplateInput none();
};

// What all calls of one operator at one place of the program have in common.
struct OpDescription {
  std::string name;
  format::framework::OpScope scope = format::framework::OpScope::kFunction;
  std::vector<TemplateInput> inputs;
  std::string stack;                 // Frames, innermost first, joined with ';'; empty = none.
  std::vector<std::string> modules;  // TorchScript module hierarchy; empty in eager programs.
};

// An OpDescription encoded once, with what the options leave out left out, so that writing a call
// is a copy of these bytes and a fill of the fixed part.
class OpTemplate {
 public:
  OpTemplate(const OpDescription& description, const FrameworkOptions& options);

  // The whole record, numbers of the fixed part zero but for the scope.
  Bytes record() const { return record_; }
  // Where the fields with tensor addresses would stand.
  std::size_t details_offset() const { return details_offset_; }
  std::uint8_t scope() const { return scope_; }

 private:
  std::vector<std::byte> record_;
  std::size_t details_offset_ = 0;
  std::uint8_t scope_ = 0;
};

}  // namespace npuprof::sim
