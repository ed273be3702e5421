#include "record/buffer_reader.h"

#include <bit>
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
         (event.kind == EventKind::kSkip ? buffer.units_to_wrap(position) : units_of(event));
}

// Whether it is something that the program did, and not only what is needed to tell of it. Ranges
// of markers count by their begin.
bool is_counted(EventKind kind) {
  switch (kind) {
    case EventKind::kSkip:
    case EventKind::kThread:
    case EventKind::kNameDefinition:
    case EventKind::kTextDefinition:
    case EventKind::kAttachment:
    case EventKind::kMarkerEnd:
      return false;
    default:
      return true;
  }
}

}  // namespace

void BufferReader::read(ThreadBuffer& buffer, std::uint64_t end, EventOutput& output) {
  constexpr std::uint64_t kUnitsAtOnce = 4096;  // Then the room is given back.
  std::uint64_t position = buffer.consumed();
  std::uint64_t given_back = position;
  try {
    while (position < end) {
      read_event(buffer.at(position), output);
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
    events += is_counted(buffer.at(position).kind) ? 1 : 0;
    position = position_after(buffer, position);
  }
  buffer.consume(position);
  return events;
}

void BufferReader::read_event(const Event& event, EventOutput& output) {
  if (!is_of_this_recording(event)) return;
  switch (event.kind) {
    case EventKind::kSkip:
      return;
    case EventKind::kThread:
      thread_id_ = static_cast<std::uint32_t>(event.number);
      ++thread_count_;
      return;
    case EventKind::kNameDefinition:
      names_[name_number(event.name) & kUntaggedMask] =
          payload(event, static_cast<std::size_t>(event.number));
      return;
    case EventKind::kTextDefinition:
      return define_text(event);
    case EventKind::kAttachment:
      return attach(event);
    case EventKind::kRange:
    case EventKind::kOp:
    case EventKind::kAttachedOp:
      if (output.covers(event.begin, event.end)) put_op(event, output);
      return;
    default:
      break;
  }
  if (!output.covers(event.begin, event.begin)) return;
  switch (event.kind) {
    case EventKind::kMark:
      return put_zero_length(event, {}, output);
    case EventKind::kCounter:
      return put_counter(event, output);
    case EventKind::kQueueMark:
      return put_queue_mark(event, output);
    case EventKind::kMemory:
      return put_memory(event, output);
    case EventKind::kMarker:
    case EventKind::kMarkerStart:
    case EventKind::kMarkerEnd:
      return put_marker(event, output);
    default:
      return put_keyed(event, output);
  }
}

BufferReader::Attached& BufferReader::attached(std::uint32_t depth) {
  if (depth >= attached_.size()) attached_.resize(depth + 1);
  return attached_[depth];
}

void BufferReader::define_text(const Event& event) {
  const auto number = static_cast<std::size_t>(event.number);
  if (number >= ThreadBuffer::kMostTexts) return;
  if (number >= texts_.size()) texts_.resize(number + 1);
  texts_[number] = payload(event, event.end);
}

void BufferReader::attach(const Event& event) {
  Attached& target = attached(name_number(event.name) & kUntaggedMask);
  if ((event.detail & kFirstAttachment) != 0) target.present = 0;
  unsigned kind = event.detail & ~unsigned{kFirstAttachment};
  std::string_view bytes = payload(event, event.end);
  if ((kind & kDefinedAttachment) != 0) {
    const auto number = static_cast<std::size_t>(event.number);
    if (number >= texts_.size()) return;
    kind &= ~unsigned{kDefinedAttachment};
    bytes = texts_[number];
  }
  if (kind == kInputsAttachment) {
    target.inputs = bytes;
    target.present |= 1u << kInputsBit;
  } else if (kind < Attached::kTexts) {
    target.texts[kind] = bytes;
    target.present |= 1u << kind;
  }
}

std::string_view BufferReader::name_of(const Event& event) {
  const std::uint32_t number = name_number(event.name);
  switch (name_place(event.name)) {
    case NamePlace::kRegistered:
      return Registry::instance().name(number);
    case NamePlace::kSlot:
      return names_[number & kUntaggedMask];
    case NamePlace::kAtDepth:
      return attached(number & kUntaggedMask).texts[static_cast<std::size_t>(OpRangeField::kName)];
  }
  return {};
}

void BufferReader::put_op(const Event& event, EventOutput& output) {
  OpExtension extension{0, 0, kNoDepth, 0};
  if (event.kind == EventKind::kAttachedOp) {
    extension.depth = event.payload_units;
  } else if (event.payload_units > 0) {
    std::memcpy(&extension, &event + 1, sizeof(extension));
  }
  OpRange op;
  op.fixed = {
      .start = output.to_ns(event.begin),
      .end = output.to_ns(event.end),
      .sequence_number = event.number,
      .process_id = output.pid(),
      .start_thread_id = extension.start_thread_id != 0 ? extension.start_thread_id : thread_id_,
      .end_thread_id = thread_id_,
      .forward_thread = extension.forward_thread,
      .scope = event.detail,
      .is_async = static_cast<std::uint8_t>(extension.is_async)};
  op.name = name_of(event);
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

// Marks and counters have no file of their own: they are ranges that end when they begin.
void BufferReader::put_zero_length(const Event& event, std::string_view extra,
                                   EventOutput& output) {
  OpRange op;
  op.fixed = {.start = output.to_ns(event.begin),
              .end = output.to_ns(event.begin),
              .sequence_number = -1,
              .process_id = output.pid(),
              .start_thread_id = thread_id_,
              .end_thread_id = thread_id_,
              .forward_thread = 0,
              .scope = static_cast<std::uint8_t>(OpScope::kUserScope),
              .is_async = 0};
  op.name = name_of(event);
  if (!extra.empty()) op.extra_args = extra;
  output.files().put(FrameworkFile::kOpRange, op);
  output.count_event();
}

void BufferReader::put_counter(const Event& event, EventOutput& output) {
  text_ = framework::kCounterArgument;
  append_double(text_, std::bit_cast<double>(event.number));
  put_zero_length(event, text_, output);
}

void BufferReader::put_queue_mark(const Event& event, EventOutput& output) {
  output.files().put(
      FrameworkFile::kOpMark,
      framework::OpMark{.fixed = {.time = output.to_ns(event.begin),
                                  .category = event.detail,
                                  .correlation_id = static_cast<std::uint64_t>(event.number),
                                  .thread_id = thread_id_,
                                  .process_id = output.pid()},
                        .name = name_of(event)});
  output.count_event();
}

void BufferReader::put_memory(const Event& event, EventOutput& output) {
  MemoryPayload memory;
  std::memcpy(&memory, &event + 1, sizeof(memory));
  output.files().put(FrameworkFile::kMemoryUsage,
                     framework::MemoryUsage{.fixed = {.address = memory.address,
                                                      .time = output.to_ns(event.begin),
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

// Python calls, what their keys mean, and garbage collections.
void BufferReader::put_keyed(const Event& event, EventOutput& output) {
  FrameworkFiles& files = output.files();
  const auto key = static_cast<std::uint64_t>(event.number);
  if (event.kind == EventKind::kPythonCall) {
    files.put_bare(
        FrameworkFile::kPythonCalls,
        framework::PythonCall{.time = static_cast<std::uint64_t>(output.to_ns(event.begin)),
                              .thread_id = thread_id_,
                              .process_id = output.pid(),
                              .key = key,
                              .tag = event.detail});
  } else if (event.kind == EventKind::kPythonName) {
    files.put(FrameworkFile::kPythonNames,
              framework::PythonHash{.fixed = {.key = key}, .value = payload(event, event.end)});
  } else if (event.kind == EventKind::kParameters) {
    framework::ParamTensorInfo info{.fixed = {.key = key}};
    (event.detail != 0 ? info.optimizer_parameters : info.module_parameters) =
        payload(event, event.end);
    files.put(FrameworkFile::kParameters, info);
  } else if (event.kind == EventKind::kGarbage) {
    files.put_bare(
        FrameworkFile::kGarbage,
        framework::GcRecord{.process_id = output.pid(),
                            .start = static_cast<std::uint64_t>(output.to_ns(event.begin)),
                            .end = static_cast<std::uint64_t>(output.to_ns(event.end))});
  }
  output.count_event();
}

void BufferReader::put_marker(const Event& event, EventOutput& output) {
  const EventOutput::MarkerEnd end{static_cast<std::uint64_t>(event.number), event.begin,
                                   thread_id_, event.name};
  if (event.kind == EventKind::kMarkerEnd) return output.marker_end(end);
  const std::string_view message = payload(event, event.end);
  if (event.kind == EventKind::kMarkerStart) return output.marker_start(end, message);
  output.marker(end, message);
}

}  // namespace npuprof::record
