#include "record/buffer_reader.h"

#include <cstring>

#include "base/text.h"
#include "format/framework/gc_record.h"
#include "format/framework/memory_usage.h"
#include "format/framework/op_mark.h"
#include "format/framework/op_range.h"
#include "format/framework/param_tensor_info.h"
#include "format/framework/python_tracer.h"
#include "record/op_flops.h"
#include "record/registry.h"

namespace npuprof::record {
namespace {

namespace framework = format::framework;
using framework::OpRange;

std::uint64_t position_after(const ThreadBuffer& buffer, std::uint64_t position) {
  const Event& event = buffer.at(position);
  return position +
         (event.kind() == EventKind::kSkip ? buffer.units_to_wrap(position) : units_of(event));
}

// Whether it is something that the program did, and not only what is needed to tell of it. Ranges
// of markers count by their begin.
bool is_counted(EventKind kind) {
  switch (kind) {
    case EventKind::kSkip:
    case EventKind::kThread:
    case EventKind::kNameDefinition:
    case EventKind::kTextDefinition:
    case EventKind::kTextAttachment:
    case EventKind::kDefinedTextAttachment:
    case EventKind::kInputsAttachment:
    case EventKind::kMarkerEnd:
      return false;
    default:
      return true;
  }
}

constexpr OpExtension kNoExtension{
    .forward_thread = 0, .start_thread_id = 0, .depth = kNoDepth, .is_async = false};

template <typename Payload, typename KnownEvent>
Payload load_payload(const KnownEvent& event) {
  Payload payload;
  std::memcpy(&payload, payload_of(event).data(), sizeof(payload));
  return payload;
}

}  // namespace

void BufferReader::read(ThreadBuffer& buffer, std::uint64_t end, EventOutput& output) {
  constexpr std::uint64_t kUnitsAtOnce = 4096;  // Then the room is given back.
  std::uint64_t position = buffer.consumed();
  std::uint64_t given_back = position;
  try {
    while (position < end) {
      visit_event(buffer.at(position), [&](const auto& event) {
        if (is_wanted(event, output)) read_known(event, output);
      });
      position = position_after(buffer, position);
      if (position - given_back < kUnitsAtOnce) continue;
      buffer.consume(position);
      given_back = position;
    }
  } catch (...) {
    buffer.consume(position);
    throw;
  }
  buffer.consume(position);
}

std::uint64_t BufferReader::discard(ThreadBuffer& buffer, std::uint64_t end) {
  std::uint64_t events = 0;
  std::uint64_t position = buffer.consumed();
  while (position < end) {
    events += is_counted(buffer.at(position).kind()) ? 1 : 0;
    position = position_after(buffer, position);
  }
  buffer.consume(position);
  return events;
}

template <typename KnownEvent>
bool BufferReader::is_wanted(const KnownEvent& event, const EventOutput& output) const {
  if constexpr (requires { event.name; }) {
    if (!event.name.is_of(epoch_)) return false;
  }
  if constexpr (requires { event.epoch; }) {
    return event.epoch == epoch_;
  } else if constexpr (requires { event.scope; }) {
    return output.covers(event.begin_ticks, event.end_ticks);
  } else if constexpr (requires { event.begin_ticks; }) {
    return output.covers(event.begin_ticks, event.begin_ticks);
  } else if constexpr (requires { event.ticks; }) {
    return output.covers(event.ticks, event.ticks);
  }
  return true;
}

void BufferReader::read_known(const SkipEvent&, EventOutput&) {}

void BufferReader::read_known(const ThreadEvent& event, EventOutput&) {
  thread_id_ = event.thread_id;
  ++thread_count_;
}

void BufferReader::read_known(const NameDefinitionEvent& event, EventOutput&) {
  names_[event.slot] = payload_of(event);
}

void BufferReader::read_known(const TextDefinitionEvent& event, EventOutput&) {
  if (event.text_number >= ThreadBuffer::kMostTexts) return;
  if (event.text_number >= texts_.size()) texts_.resize(event.text_number + 1);
  texts_[event.text_number] = payload_of(event);
}

void BufferReader::read_known(const TextAttachmentEvent& event, EventOutput&) {
  attach_text(attached_by(event.is_first, event.depth), event.field, payload_of(event));
}

void BufferReader::read_known(const DefinedTextAttachmentEvent& event, EventOutput&) {
  Attached& target = attached_by(event.is_first, event.depth);
  if (event.text_number >= texts_.size()) return;
  attach_text(target, event.field, texts_[event.text_number]);
}

void BufferReader::read_known(const InputsAttachmentEvent& event, EventOutput&) {
  Attached& target = attached_by(event.is_first, event.depth);
  target.inputs = payload_of(event);
  target.present |= 1u << kInputsBit;
}

BufferReader::Attached& BufferReader::attached(std::uint32_t depth) {
  if (depth >= attached_.size()) attached_.resize(depth + 1);
  return attached_[depth];
}

BufferReader::Attached& BufferReader::attached_by(bool is_first, std::uint32_t depth) {
  Attached& target = attached(depth);
  if (is_first) target.present = 0;
  return target;
}

void BufferReader::attach_text(Attached& target, OpRangeField field, std::string_view text) {
  const auto index = static_cast<std::size_t>(field);
  if (index >= Attached::kTexts) return;
  target.texts[index] = text;
  target.present |= 1u << index;
}

std::string_view BufferReader::text_of(NameReference name) {
  switch (name.place()) {
    case NameReference::Place::kRegistered:
      return Registry::instance().name(name.number());
    case NameReference::Place::kSlot:
      return names_[name.number()];
    case NameReference::Place::kDepth:
      return attached(name.number()).texts[static_cast<std::size_t>(OpRangeField::kName)];
  }
  return {};
}

void BufferReader::read_known(const RangeEvent& event, EventOutput& output) {
  put_op(event, -1, kNoExtension, output);
}

void BufferReader::read_known(const OpEvent& event, EventOutput& output) {
  put_op(event, event.sequence, kNoExtension, output);
}

void BufferReader::read_known(const AttachedOpEvent& event, EventOutput& output) {
  OpExtension extension = kNoExtension;
  extension.depth = event.depth;
  put_op(event, event.sequence, extension, output);
}

void BufferReader::read_known(const ExtendedOpEvent& event, EventOutput& output) {
  put_op(event, event.sequence, load_payload<OpExtension>(event), output);
}

template <typename KnownEvent>
void BufferReader::put_op(const KnownEvent& event, std::int64_t sequence,
                          const OpExtension& extension, EventOutput& output) {
  OpRange op;
  op.fixed = {
      .start = output.to_ns(event.begin_ticks),
      .end = output.to_ns(event.end_ticks),
      .sequence_number = sequence,
      .process_id = output.pid(),
      .start_thread_id = extension.start_thread_id != 0 ? extension.start_thread_id : thread_id_,
      .end_thread_id = thread_id_,
      .forward_thread = extension.forward_thread,
      .scope = static_cast<std::uint8_t>(event.scope),
      .is_async = static_cast<std::uint8_t>(extension.is_async)};
  op.name = text_of(event.name);
  if (extension.depth <= ThreadBuffer::kMaxDepth) {
    const Attached& more = attached(extension.depth);
    OpRange::visit_fields(op, [&](const char*, OpRangeField field, auto& member) {
      if (field != OpRangeField::kName && more.has(field)) {
        member = more.texts[static_cast<std::size_t>(field)];
      }
    });
    if ((more.present >> kInputsBit & 1) != 0) put_inputs(more.inputs, op);
  }
  output.files().put(FrameworkFile::kOpRange, op);
  output.count_event();
}

void BufferReader::put_inputs(std::string_view inputs, OpRange& op) {
  make_input_texts(inputs, input_texts_);
  if (input_texts_.has_inputs) op.input_dtypes = input_texts_.dtypes;
  if (input_texts_.has_inputs) op.input_shapes = input_texts_.shapes;
  if (input_texts_.has_tensors) op.input_tensors = input_texts_.tensors;
  if (input_texts_.has_lists) op.input_tensor_lists = input_texts_.tensor_lists;
  if (input_texts_.has_scalars) op.input_scalars = input_texts_.scalars;
  if (const std::uint64_t flops = operator_flops(op.name, inputs)) {
    flops_text_ = framework::kFlopsArgument;
    append_integer(flops_text_, flops);
    op.extra_args = flops_text_;
  }
}

void BufferReader::read_known(const MarkEvent& event, EventOutput& output) {
  put_zero_length(event.name, event.ticks, {}, output);
}

void BufferReader::read_known(const CounterEvent& event, EventOutput& output) {
  text_ = framework::kCounterArgument;
  append_double(text_, event.value);
  put_zero_length(event.name, event.ticks, text_, output);
}

// Marks and counters have no file of their own: they are ranges that end when they begin.
void BufferReader::put_zero_length(NameReference name, std::uint64_t ticks, std::string_view extra,
                                   EventOutput& output) {
  OpRange op;
  op.fixed = {.start = output.to_ns(ticks),
              .end = output.to_ns(ticks),
              .sequence_number = -1,
              .process_id = output.pid(),
              .start_thread_id = thread_id_,
              .end_thread_id = thread_id_,
              .forward_thread = 0,
              .scope = static_cast<std::uint8_t>(OpScope::kUserScope),
              .is_async = 0};
  op.name = text_of(name);
  if (!extra.empty()) op.extra_args = extra;
  output.files().put(FrameworkFile::kOpRange, op);
  output.count_event();
}

void BufferReader::read_known(const QueueMarkEvent& event, EventOutput& output) {
  output.files().put(
      FrameworkFile::kOpMark,
      framework::OpMark{.fixed = {.time = output.to_ns(event.ticks),
                                  .category = static_cast<std::uint64_t>(event.category),
                                  .correlation_id = event.correlation,
                                  .thread_id = thread_id_,
                                  .process_id = output.pid()},
                        .name = text_of(event.name)});
  output.count_event();
}

void BufferReader::read_known(const MemoryEvent& event, EventOutput& output) {
  const auto memory = load_payload<MemoryPayload>(event);
  output.files().put(FrameworkFile::kMemoryUsage,
                     framework::MemoryUsage{.fixed = {.address = memory.address,
                                                      .time = output.to_ns(event.ticks),
                                                      .size = memory.size,
                                                      .total_allocated = memory.total_allocated,
                                                      .total_reserved = memory.total_reserved,
                                                      .total_active = memory.total_active,
                                                      .stream = memory.stream,
                                                      .device_type = memory.device_type,
                                                      .device_index = memory.device_index,
                                                      .component = memory.component,
                                                      .event = memory.event,
                                                      .allocator = memory.allocator,
                                                      .thread_id = thread_id_,
                                                      .process_id = output.pid()}});
  output.count_event();
}

void BufferReader::read_known(const PythonCallEvent& event, EventOutput& output) {
  output.files().put_bare(
      FrameworkFile::kPythonCalls,
      framework::PythonCall{.time = static_cast<std::uint64_t>(output.to_ns(event.ticks)),
                            .thread_id = thread_id_,
                            .process_id = output.pid(),
                            .key = event.key,
                            .tag = static_cast<std::uint8_t>(event.tag)});
  output.count_event();
}

void BufferReader::read_known(const PythonNameEvent& event, EventOutput& output) {
  output.files().put(
      FrameworkFile::kPythonNames,
      framework::PythonHash{.fixed = {.key = event.key}, .value = payload_of(event)});
  output.count_event();
}

void BufferReader::read_known(const ParametersEvent& event, EventOutput& output) {
  framework::ParamTensorInfo info{.fixed = {.key = event.key}};
  (event.is_optimizer ? info.optimizer_parameters : info.module_parameters) = payload_of(event);
  output.files().put(FrameworkFile::kParameters, info);
  output.count_event();
}

void BufferReader::read_known(const GarbageEvent& event, EventOutput& output) {
  output.files().put_bare(
      FrameworkFile::kGarbage,
      framework::GcRecord{.process_id = output.pid(),
                          .start = static_cast<std::uint64_t>(output.to_ns(event.begin_ticks)),
                          .end = static_cast<std::uint64_t>(output.to_ns(event.end_ticks))});
  output.count_event();
}

void BufferReader::read_known(const MarkerEvent& event, EventOutput& output) {
  output.marker({event.id, event.ticks, thread_id_, event.domain}, payload_of(event));
}

void BufferReader::read_known(const MarkerStartEvent& event, EventOutput& output) {
  output.marker_start({event.id, event.ticks, thread_id_, event.domain}, payload_of(event));
}

void BufferReader::read_known(const MarkerEndEvent& event, EventOutput& output) {
  output.marker_end({event.id, event.ticks, thread_id_, event.domain});
}

}  // namespace npuprof::record
