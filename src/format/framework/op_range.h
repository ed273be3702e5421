#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

#include "format/framework/data_type.h"
#include "format/framework/text_list.h"
#include "format/framework/tlv.h"
#include "format/record.h"

namespace npuprof::format::framework {

// at::RecordScope: what kind of code an operator range is.
enum class OpScope : std::uint8_t {
  kFunction = 0,
  kBackwardFunction = 1,
  kTorchscriptFunction = 2,
  kKernelFunctionDtype = 3,
  kCustomClass = 4,
  kBuildFeature = 5,
  kLiteInterpreter = 6,
  kUserScope = 7,
  kStaticRuntimeOp = 8,
  kStaticRuntimeModel = 9,
};

// Fixed part of a record of `torch.op_range`: one operator, user scope or profiler step.
//
// | offset | width | field           | unit, meaning                                             |
// |--------|-------|-----------------|-----------------------------------------------------------|
// |      0 |     8 | start           | host ticks, see record_clock.h                            |
// |      8 |     8 | end             | host ticks                                                |
// |     16 |     8 | sequence_number | joins a forward op to its backward op; -1 = none          |
// |     24 |     8 | process_id      | OS process id                                             |
// |     32 |     8 | start_thread_id | OS thread id; the thread of the range                     |
// |     40 |     8 | end_thread_id   | OS thread id at the end                                   |
// |     48 |     8 | forward_thread  | 0 = forward op; else the thread that ran the forward op   |
// |        |       |                 | of this backward op: an ordinal, from our hooks an OS id  |
// |     56 |     1 | scope           | OpScope                                                   |
// |     57 |     1 | is_async        | 0 or 1                                                    |
struct OpRangeFixed {
  I64 start;
  I64 end;
  I64 sequence_number = -1;
  U64 process_id;
  U64 start_thread_id;
  U64 end_thread_id;
  U64 forward_thread;
  U8 scope;
  U8 is_async;

  OpScope op_scope() const { return static_cast<OpScope>(scope.get()); }

  static constexpr void visit(auto& self, auto&& field) {
    field("start", self.start);
    field("end", self.end);
    field("sequence_number", self.sequence_number);
    field("process_id", self.process_id);
    field("start_thread_id", self.start_thread_id);
    field("end_thread_id", self.end_thread_id);
    field("forward_thread", self.forward_thread);
    field("scope", self.scope);
    field("is_async", self.is_async);
  }
};
static_assert(sizeof(OpRangeFixed) == 58);

// Type 1 once was "is async" (now in the fixed part), 30 is reserved; neither is written.
enum class OpRangeField : std::uint16_t {
  kName = 2,
  kInputDtypes = 3,
  kInputShapes = 4,
  kInputTensors = 5,
  kInputTensorLists = 6,
  kInputScalars = 7,
  kStack = 8,
  kModuleHierarchy = 9,
  kExtraArgs = 10,
};

// | field            | text                                                                    |
// |------------------|-------------------------------------------------------------------------|
// | name             | of the operator                                                         |
// | input_dtypes     | one name per input (data_type.h), joined with ';'                       |
// | input_shapes     | dimensions of each input (text_list.h); as many inputs as input_dtypes  |
// | input_tensors    | the tensor inputs alone (tensor_text.h)                                 |
// | input_tensor_lists | the tensor-list inputs alone (tensor_text.h)                          |
// | input_scalars    | ScalarKind names of the scalar inputs alone, joined with ';'            |
// | stack            | frames "file(line): function", innermost first, joined with ';'         |
// | module_hierarchy | joined with ';'                                                         |
// | extra_args       | "key:value" joined with ';'                                             |
struct OpRange {
  using Fixed = OpRangeFixed;
  static constexpr std::uint16_t kType = 1;

  OpRangeFixed fixed;
  std::string_view name;
  std::optional<std::string_view> input_dtypes;
  std::optional<std::string_view> input_shapes;
  std::optional<std::string_view> input_tensors;
  std::optional<std::string_view> input_tensor_lists;
  std::optional<std::string_view> input_scalars;
  std::optional<std::string_view> stack;
  std::optional<std::string_view> module_hierarchy;
  std::optional<std::string_view> extra_args;

  static constexpr void visit_fields(auto& self, auto&& field) {
    field("name", OpRangeField::kName, self.name);
    field("input_dtypes", OpRangeField::kInputDtypes, self.input_dtypes);
    field("input_shapes", OpRangeField::kInputShapes, self.input_shapes);
    field("input_tensors", OpRangeField::kInputTensors, self.input_tensors);
    field("input_tensor_lists", OpRangeField::kInputTensorLists, self.input_tensor_lists);
    field("input_scalars", OpRangeField::kInputScalars, self.input_scalars);
    field("stack", OpRangeField::kStack, self.stack);
    field("module_hierarchy", OpRangeField::kModuleHierarchy, self.module_hierarchy);
    field("extra_args", OpRangeField::kExtraArgs, self.extra_args);
  }
};

// Names with a meaning of their own.
inline constexpr std::string_view kProfilerStepPrefix = "ProfilerStep#";
inline constexpr std::string_view kMstxPrefix = "mstx_";
// The wrapper that precedes its backward op in the file.
inline constexpr std::string_view kEvaluateFunctionPrefix = "autograd::engine::evaluate_function: ";

// Ours: a range of no length whose extra_args are this and a number is the value of a counter.
inline constexpr std::string_view kCounterArgument = "counter:";
// The value; nothing if the text is none of a counter.
std::optional<double> counter_value(std::string_view extra_args);
// Ours too: the floating-point operations of an operator are an argument of this name.
inline constexpr std::string_view kFlopsArgument = "flops:";
std::optional<std::uint64_t> flops_value(std::string_view extra_args);

// The step id of a step marker's name: the text after its last '#'.
std::optional<std::string_view> profiler_step_id(std::string_view op_name);

// One input of an operator, put together from the fields that describe inputs.
struct OpInput {
  InputKind kind = InputKind::kNone;
  std::string_view dtype;
  std::string_view shape;                  // Dimensions, see text_list.h.
  std::optional<std::string_view> detail;  // Tensor, tensor list or ScalarKind name, if recorded.
};

// Calls visit(const OpInput&) for each input, in order. input_tensors, input_tensor_lists and
// input_scalars list only the inputs of their kind; walking the dtypes assigns them again.
template <std::invocable<const OpInput&> Visit>
void for_each_input(const OpRange& op, Visit&& visit) {
  TextItems dtypes(op.input_dtypes, ';');
  TextItems shapes(op.input_shapes, ';');
  TextItems tensors(op.input_tensors, ')');
  TextItems lists(op.input_tensor_lists, '}');
  TextItems scalars(op.input_scalars, ';');
  while (const auto dtype = dtypes.next()) {
    OpInput input{.kind = input_kind(*dtype), .dtype = *dtype, .shape = {}, .detail = {}};
    input.shape = shapes.next().value_or(std::string_view());
    if (input.kind == InputKind::kTensor) input.detail = tensors.next();
    if (input.kind == InputKind::kTensorList) input.detail = lists.next();
    if (input.kind == InputKind::kScalar) input.detail = scalars.next();
    visit(static_cast<const OpInput&>(input));
  }
}

}  // namespace npuprof::format::framework
