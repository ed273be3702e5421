// The files of FRAMEWORK: records of type, length and value, and the texts in their fields.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/framework/gc_record.h"
#include "format/framework/memory_usage.h"
#include "format/framework/op_mark.h"
#include "format/framework/op_range.h"
#include "format/framework/param_tensor_info.h"
#include "format/framework/python_tracer.h"
#include "fuzz/input.h"

namespace npuprof::fuzz {
namespace {

using namespace format::framework;

void use_tensor(const TensorText& tensor) {
  use(tensor.impl_address);
  use(tensor.storage);
  use(tensor.dtype);
  use(tensor.sizes);
  use(tensor.strides);
  std::string text;
  append_tensor(text, tensor);
  require(parse_tensor(text) == tensor);
}

void use_tensors(std::optional<std::string_view> list) { use(for_each_tensor(list, use_tensor)); }

// A decoded record, encoded again, decodes to the same bytes: nothing of it was lost.
template <TlvRecord T>
void check_round_trip(const T& record) {
  std::vector<std::byte> first;
  append(record, first);
  std::vector<std::byte> second;
  const TlvReport report =
      for_each_tlv_record<T>(first, [&](const T& again) { append(again, second); });
  require(report.whole() && report.records == 1 && first == second);
}

template <TlvRecord T, typename Visit>
void decode_tlv(Bytes data, Visit&& visit) {
  const TlvReport report = for_each_tlv_record<T>(data, [&](const T& record) {
    use_record(record.fixed);
    check_round_trip(record);
    visit(record);
  });
  use(report.records);
  if (report.truncated_at) require(*report.truncated_at < data.size());
}

void op_ranges(Bytes data) {
  decode_tlv<OpRange>(data, [](const OpRange& op) {
    use(op.fixed.op_scope());
    use(profiler_step_id(op.name).value_or(""));
    for_each_input(op, [](const OpInput& input) {
      use(input.shape);
      if (input.kind == InputKind::kTensor || input.kind == InputKind::kTensorList)
        use_tensors(input.detail);
    });
  });
}

void op_marks(Bytes data) {
  decode_tlv<OpMark>(data, [](const OpMark& mark) {
    if (const auto category = mark.fixed.mark_category()) use(*category);
    use(mark.name);
  });
}

void memory_usages(Bytes data) {
  decode_tlv<MemoryUsage>(data, [](const MemoryUsage& usage) {
    use(usage.fixed.device());
    use(usage.fixed.memory_component());
    use(usage.fixed.memory_event());
  });
}

void python_name(std::string_view value) {
  std::string text;
  if (const auto frame = parse_python_frame(value)) {
    append_python_frame(text, *frame);
    require(parse_python_frame(text).has_value());
  }
  text.clear();
  if (const auto module = parse_python_module(value)) {
    append_python_module(text, *module);
    require(parse_python_module(text) == module);
  }
}

void python_hashes(Bytes data) {
  decode_tlv<PythonHash>(data, [](const PythonHash& hash) { python_name(hash.value); });
}

void module_parameters(std::optional<std::string_view> field) {
  use(for_each_module_parameter(field, [](const ModuleParameter& parameter) {
    use(parameter.name);
    use_tensor(parameter.tensor);
    if (parameter.gradient) use_tensor(*parameter.gradient);
  }));
}

void optimizer_parameters(std::optional<std::string_view> field) {
  use(for_each_optimizer_parameter(field, [](const OptimizerParameter& parameter) {
    use_tensor(parameter.tensor);
    if (parameter.gradient) use_tensor(*parameter.gradient);
    use(for_each_optimizer_state(parameter.states, [](const OptimizerState& state) {
      use(state.name);
      use_tensor(state.tensor);
    }));
  }));
}

void parameters(Bytes data) {
  decode_tlv<ParamTensorInfo>(data, [](const ParamTensorInfo& info) {
    module_parameters(info.module_parameters);
    optimizer_parameters(info.optimizer_parameters);
  });
}

// The grammars of the fields alone: found much sooner than inside a record.
void tensor_texts(Bytes data) { use_tensors(as_text(data)); }
void module_parameter_texts(Bytes data) { module_parameters(as_text(data)); }
void optimizer_parameter_texts(Bytes data) { optimizer_parameters(as_text(data)); }
void python_names(Bytes data) { python_name(as_text(data)); }

constexpr Decoder kDecoders[] = {
    op_ranges,
    op_marks,
    memory_usages,
    python_hashes,
    parameters,
    tensor_texts,
    module_parameter_texts,
    optimizer_parameter_texts,
    python_names,
    [](Bytes data) {
      decode_records<PythonCall>(data, [](const PythonCall& call) { use(call.is_return()); });
    },
    decode_plain_records<GcRecord>,
};

}  // namespace
}  // namespace npuprof::fuzz

// Random bytes seldom meet the lengths of a record, so half of the changes keep them right: the
// value of one record is changed, and its length with it.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  using npuprof::format::framework::Tlv;
  using npuprof::format::framework::TlvHeader;
  using npuprof::format::framework::TlvReader;
  if (size < 2 || seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<std::size_t> begins;  // Of records.
  TlvReader reader({reinterpret_cast<const std::byte*>(data) + 1, size - 1});
  std::size_t begin = 1;
  for (Tlv item; reader.next(item); begin = 1 + reader.offset()) begins.push_back(begin);
  if (begins.empty()) return LLVMFuzzerMutate(data, size, max_size);
  const std::size_t record = begins[seed / 2 % begins.size()];
  const std::size_t value = record + sizeof(TlvHeader);
  auto header = npuprof::format::load<TlvHeader>(reinterpret_cast<std::byte*>(data) + record);
  const std::vector<std::uint8_t> rest(data + value + header.length, data + size);
  const std::size_t room = max_size - value - rest.size();
  if (room == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<std::uint8_t> changed(data + value, data + value + header.length);
  changed.resize(room);
  const std::size_t length = LLVMFuzzerMutate(changed.data(), header.length, room);
  header.length = static_cast<std::uint32_t>(length);
  npuprof::format::store(reinterpret_cast<std::byte*>(data) + record, header);
  std::copy_n(changed.begin(), length, data + value);
  std::copy(rest.begin(), rest.end(), data + value + length);
  return value + length + rest.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return npuprof::fuzz::run_one(npuprof::fuzz::kDecoders, data, size);
}
