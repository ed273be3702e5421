#include "sim/torch/op_template.h"

#include <string_view>
#include <utility>

#include "format/framework/text_list.h"
#include "format/framework/tlv.h"
#include "sim/torch/program_tensor.h"

namespace npuprof::sim {
namespace {

using format::framework::InputKind;
using format::framework::OpScope;

std::string_view dtype_of(const TemplateInput& input) {
  switch (input.kind) {
    case InputKind::kTensor:
      return format::framework::traits_of(input.type).name;
    case InputKind::kTensorList:
      return format::framework::kTensorListInput;
    case InputKind::kScalar:
      return format::framework::kScalarInput;
    case InputKind::kScalarList:
      return format::framework::kScalarListInput;
    case InputKind::kNone:
      break;
  }
  return format::framework::kNoInput;
}

std::string dtypes_text(const std::vector<TemplateInput>& inputs) {
  std::string text;
  format::framework::append_joined(
      text, inputs, ';',
      [](std::string& out, const TemplateInput& input) { out += dtype_of(input); });
  return text;
}

std::string shapes_text(const std::vector<TemplateInput>& inputs) {
  std::string text;
  format::framework::append_joined(text, inputs, ';',
                                   [](std::string& out, const TemplateInput& input) {
                                     format::framework::append_dimensions(out, input.sizes);
                                   });
  return text;
}

std::string scalars_text(const std::vector<TemplateInput>& inputs) {
  std::string text;
  for (const TemplateInput& input : inputs) {
    if (input.kind != InputKind::kScalar) continue;
    if (!text.empty()) text += ';';
    text += format::framework::scalar_kind_name(input.scalar);
  }
  return text;
}

std::string modules_text(const std::vector<std::string>& modules) {
  std::string text;
  format::framework::append_joined(
      text, modules, ';', [](std::string& out, const std::string& module) { out += module; });
  return text;
}

}  // namespace

TemplateInput TemplateInput::tensor(ElementType type, std::span<const std::uint32_t> shape) {
  return tensor(framework_type(type), std::vector<std::int64_t>(shape.begin(), shape.end()));
}

TemplateInput TemplateInput::tensor(format::framework::DataType type,
                                    std::vector<std::int64_t> sizes) {
  TemplateInput input;
  input.kind = InputKind::kTensor;
  input.type = type;
  input.sizes = std::move(sizes);
  return input;
}

TemplateInput TemplateInput::tensor_list() { return {.kind = InputKind::kTensorList}; }

TemplateInput TemplateInput::scalar_of(format::framework::ScalarKind kind) {
  return {.kind = InputKind::kScalar, .scalar = kind};
}

TemplateInput TemplateInput::scalar_list() { return {.kind = InputKind::kScalarList}; }

TemplateInput TemplateInput::none() { return {}; }

OpTemplate::OpTemplate(const OpDescription& description, const FrameworkOptions& options)
    : scope_(static_cast<std::uint8_t>(description.scope)) {
  format::framework::OpRange op;
  op.fixed.scope = scope_;
  op.name = description.name;
  std::string dtypes;
  std::string shapes;
  if (options.record_shapes && !description.inputs.empty()) {
    dtypes = dtypes_text(description.inputs);
    shapes = shapes_text(description.inputs);
    op.input_dtypes = dtypes;
    op.input_shapes = shapes;
  }
  details_offset_ = encoded_size(op);

  std::string scalars;
  if (options.tensor_details()) {
    scalars = scalars_text(description.inputs);
    if (!scalars.empty()) op.input_scalars = scalars;
  }
  // Backward functions run without the Python frames of the call they belong to.
  const bool has_frames = description.scope != OpScope::kBackwardFunction;
  if (options.with_stack && has_frames && !description.stack.empty()) {
    op.stack = description.stack;
  }
  std::string modules;
  if (options.with_modules && has_frames && !description.modules.empty()) {
    modules = modules_text(description.modules);
    op.module_hierarchy = modules;
  }
  append(op, record_);
}

}  // namespace npuprof::sim
