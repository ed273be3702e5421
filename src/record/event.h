#pragma once

// What lies in the buffer of a thread between the thread, which puts it there, and the writer: a
// struct for each kind of event. An event takes 32 bytes of the ring; some have a payload behind
// them, filled up to a multiple of 32 bytes. These bytes never leave the process.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "format/framework/op_mark.h"
#include "format/framework/op_range.h"
#include "format/framework/python_tracer.h"

namespace npuprof::record {

using format::framework::OpMarkCategory;
using format::framework::OpRangeField;
using format::framework::OpScope;
using format::framework::PythonTag;

enum class EventKind : std::uint8_t {
  kSkip,
  kThread,
  kNameDefinition,
  kTextDefinition,
  kTextAttachment,
  kDefinedTextAttachment,
  kInputsAttachment,
  kRange,
  kOp,
  kAttachedOp,
  kExtendedOp,
  kMark,
  kCounter,
  kQueueMark,
  kMemory,
  kPythonCall,
  kPythonName,
  kParameters,
  kGarbage,
  kMarker,
  kMarkerStart,
  kMarkerEnd,
};

// Where the text of a name is: two bits of kind, then a number. What belongs to a thread (slots,
// depths) carries a tag of the recording above its number: a thread that was interrupted between
// two recordings may come late with an event of the old one.
class NameReference {
 public:
  enum class Place : std::uint32_t {
    kRegistered,  // Id of a registered name.
    kSlot,        // Name slot of the thread, see NameCache.
    kDepth,       // The name was attached to the operator at this depth.
  };
  static constexpr std::uint32_t kMostThreadNumbers = 1 << 10;  // Of slots, and of depths.

  constexpr NameReference() = default;
  static constexpr NameReference registered(std::uint32_t id) {
    return NameReference(Place::kRegistered, id);
  }
  static constexpr NameReference in_slot(std::uint32_t slot, std::uint32_t epoch) {
    return NameReference(Place::kSlot, slot | tag_of(epoch));
  }
  static constexpr NameReference at_depth(std::uint32_t depth, std::uint32_t epoch) {
    return NameReference(Place::kDepth, depth | tag_of(epoch));
  }

  constexpr Place place() const { return static_cast<Place>(bits_ >> kPlaceShift); }
  constexpr std::uint32_t number() const {
    return bits_ & (place() == Place::kRegistered ? kNumberMask : kMostThreadNumbers - 1);
  }
  constexpr bool is_of(std::uint32_t epoch) const {
    return place() == Place::kRegistered ||
           (bits_ & kNumberMask & ~(kMostThreadNumbers - 1)) == tag_of(epoch);
  }

 private:
  static constexpr unsigned kPlaceShift = 30;
  static constexpr std::uint32_t kNumberMask = (1u << kPlaceShift) - 1;

  constexpr NameReference(Place place, std::uint32_t number)
      : bits_(static_cast<std::uint32_t>(place) << kPlaceShift | number) {}
  static constexpr std::uint32_t tag_of(std::uint32_t epoch) {
    return epoch * kMostThreadNumbers & kNumberMask;
  }

  std::uint32_t bits_ = 0;
};

// Depth of an operator whose attachments belong to the next event of the buffer, and not to an open
// operator.
inline constexpr std::uint32_t kImmediateDepth = 0;
inline constexpr std::uint32_t kNoDepth = 0xFFFFFFFF;

// ---- What is needed to tell of the rest. These say which recording they are of. ----

// Nothing up to the end of the ring.
struct SkipEvent {
  EventKind kind = EventKind::kSkip;
};

// The following events are of this thread.
struct ThreadEvent {
  EventKind kind = EventKind::kThread;
  std::uint32_t epoch;
  std::uint32_t thread_id;
};

// Payload: the text of a name slot.
struct NameDefinitionEvent {
  EventKind kind = EventKind::kNameDefinition;
  std::uint32_t epoch;
  std::uint32_t slot;
  std::uint32_t text_bytes;
  std::size_t payload_bytes() const { return text_bytes; }
};

// Payload: a text that attachments may refer to.
struct TextDefinitionEvent {
  EventKind kind = EventKind::kTextDefinition;
  std::uint32_t epoch;
  std::uint32_t text_number;
  std::uint32_t text_bytes = 0;
  std::size_t payload_bytes() const { return text_bytes; }
};

// What may be attached to an operator or range between its begin and its end. The first attachment
// of an operator replaces those of the one that was at that depth before.

// Payload: the text of a field of torch.op_range.
struct TextAttachmentEvent {
  EventKind kind = EventKind::kTextAttachment;
  bool is_first;
  OpRangeField field;
  std::uint32_t epoch;
  std::uint32_t depth;
  std::uint32_t text_bytes;
  std::size_t payload_bytes() const { return text_bytes; }
};

// The same with a text that was defined before.
struct DefinedTextAttachmentEvent {
  EventKind kind = EventKind::kDefinedTextAttachment;
  bool is_first;
  OpRangeField field;
  std::uint32_t epoch;
  std::uint32_t depth;
  std::uint32_t text_number;
};

// Payload: inputs in the binary form of op_inputs.h.
struct InputsAttachmentEvent {
  EventKind kind = EventKind::kInputsAttachment;
  bool is_first;
  std::uint32_t epoch;
  std::uint32_t depth;
  std::uint32_t inputs_bytes;
  std::size_t payload_bytes() const { return inputs_bytes; }
};

// ---- What the program did. ----

// A range or operator without sequence number, to which nothing is attached.
struct RangeEvent {
  EventKind kind = EventKind::kRange;
  OpScope scope;
  NameReference name;
  std::uint64_t begin_ticks;
  std::uint64_t end_ticks;
};

// An operator to which nothing is attached.
struct OpEvent {
  EventKind kind = EventKind::kOp;
  OpScope scope;
  NameReference name;
  std::uint64_t begin_ticks;
  std::uint64_t end_ticks;
  std::int64_t sequence;
};

// A range or operator with attachments.
struct AttachedOpEvent {
  EventKind kind = EventKind::kAttachedOp;
  OpScope scope;
  std::uint16_t depth;  // Of the attachments.
  NameReference name;
  std::uint64_t begin_ticks;
  std::uint64_t end_ticks;
  std::int64_t sequence;  // -1: none.
};

struct OpExtension {
  std::uint64_t forward_thread;
  std::uint64_t start_thread_id;  // 0: the thread of the buffer.
  std::uint32_t depth;            // Its attachments, or kNoDepth.
  bool is_async;
};

// Any operator. Payload: OpExtension.
struct ExtendedOpEvent {
  EventKind kind = EventKind::kExtendedOp;
  OpScope scope;
  NameReference name;
  std::uint64_t begin_ticks;
  std::uint64_t end_ticks;
  std::int64_t sequence;  // -1: none.
  static constexpr std::size_t payload_bytes() { return sizeof(OpExtension); }
};

struct MarkEvent {
  EventKind kind = EventKind::kMark;
  NameReference name;
  std::uint64_t ticks;
};

struct CounterEvent {
  EventKind kind = EventKind::kCounter;
  NameReference name;
  std::uint64_t ticks;
  double value;
};

struct QueueMarkEvent {
  EventKind kind = EventKind::kQueueMark;
  NameReference name;
  std::uint64_t ticks;
  std::uint64_t correlation;
  OpMarkCategory category;
};

// Members as in format::framework::MemoryUsageFixed.
struct MemoryPayload {
  std::int64_t address;
  std::int64_t size;
  std::int64_t total_allocated;
  std::int64_t total_reserved;
  std::int64_t total_active;
  std::int64_t stream;
  std::int8_t device_type;
  std::int8_t device_index;
  std::uint8_t component;
  std::uint8_t event;
  std::uint8_t allocator;
};

// Payload: MemoryPayload.
struct MemoryEvent {
  EventKind kind = EventKind::kMemory;
  std::uint64_t ticks;
  static constexpr std::size_t payload_bytes() { return sizeof(MemoryPayload); }
};

struct PythonCallEvent {
  EventKind kind = EventKind::kPythonCall;
  PythonTag tag;
  std::uint64_t ticks;
  std::uint64_t key;
};

// Payload: what a key of Python calls means.
struct PythonNameEvent {
  EventKind kind = EventKind::kPythonName;
  std::uint32_t text_bytes = 0;
  std::uint64_t ticks;
  std::uint64_t key;
  std::size_t payload_bytes() const { return text_bytes; }
};

// Payload: the parameters of a module or an optimizer.
struct ParametersEvent {
  EventKind kind = EventKind::kParameters;
  bool is_optimizer;
  std::uint32_t text_bytes = 0;
  std::uint64_t ticks;
  std::uint64_t key;
  std::size_t payload_bytes() const { return text_bytes; }
};

struct GarbageEvent {
  EventKind kind = EventKind::kGarbage;
  std::uint64_t begin_ticks;
  std::uint64_t end_ticks;
};

// A marker that is no range. Payload: the message.
struct MarkerEvent {
  EventKind kind = EventKind::kMarker;
  std::uint32_t domain;
  std::uint64_t ticks;
  std::uint64_t id;
  std::uint32_t message_bytes;
  std::size_t payload_bytes() const { return message_bytes; }
};

// Payload: the message.
struct MarkerStartEvent {
  EventKind kind = EventKind::kMarkerStart;
  std::uint32_t domain;
  std::uint64_t ticks;
  std::uint64_t id;
  std::uint32_t message_bytes;
  std::size_t payload_bytes() const { return message_bytes; }
};

struct MarkerEndEvent {
  EventKind kind = EventKind::kMarkerEnd;
  std::uint32_t domain;
  std::uint64_t ticks;
  std::uint64_t id;
};

// ---- Any of them: a unit of the ring. ----

union Event {
  Event() : skip{} {}
  EventKind kind() const { return skip.kind; }  // The first member of all.

  SkipEvent skip;
  ThreadEvent thread;
  NameDefinitionEvent name_definition;
  TextDefinitionEvent text_definition;
  TextAttachmentEvent text_attachment;
  DefinedTextAttachmentEvent defined_text_attachment;
  InputsAttachmentEvent inputs_attachment;
  RangeEvent range;
  OpEvent op;
  AttachedOpEvent attached_op;
  ExtendedOpEvent extended_op;
  MarkEvent mark;
  CounterEvent counter;
  QueueMarkEvent queue_mark;
  MemoryEvent memory;
  PythonCallEvent python_call;
  PythonNameEvent python_name;
  ParametersEvent parameters;
  GarbageEvent garbage;
  MarkerEvent marker;
  MarkerStartEvent marker_start;
  MarkerEndEvent marker_end;
};
inline constexpr std::size_t kEventBytes = 32;
static_assert(sizeof(Event) == kEventBytes);

// Calls `visitor` with the struct that the event is.
template <typename Visitor>
decltype(auto) visit_event(const Event& event, Visitor&& visitor) {
  switch (event.kind()) {
    case EventKind::kSkip:
      break;
    case EventKind::kThread:
      return visitor(event.thread);
    case EventKind::kNameDefinition:
      return visitor(event.name_definition);
    case EventKind::kTextDefinition:
      return visitor(event.text_definition);
    case EventKind::kTextAttachment:
      return visitor(event.text_attachment);
    case EventKind::kDefinedTextAttachment:
      return visitor(event.defined_text_attachment);
    case EventKind::kInputsAttachment:
      return visitor(event.inputs_attachment);
    case EventKind::kRange:
      return visitor(event.range);
    case EventKind::kOp:
      return visitor(event.op);
    case EventKind::kAttachedOp:
      return visitor(event.attached_op);
    case EventKind::kExtendedOp:
      return visitor(event.extended_op);
    case EventKind::kMark:
      return visitor(event.mark);
    case EventKind::kCounter:
      return visitor(event.counter);
    case EventKind::kQueueMark:
      return visitor(event.queue_mark);
    case EventKind::kMemory:
      return visitor(event.memory);
    case EventKind::kPythonCall:
      return visitor(event.python_call);
    case EventKind::kPythonName:
      return visitor(event.python_name);
    case EventKind::kParameters:
      return visitor(event.parameters);
    case EventKind::kGarbage:
      return visitor(event.garbage);
    case EventKind::kMarker:
      return visitor(event.marker);
    case EventKind::kMarkerStart:
      return visitor(event.marker_start);
    case EventKind::kMarkerEnd:
      return visitor(event.marker_end);
  }
  return visitor(event.skip);
}

inline constexpr std::size_t payload_units(std::size_t bytes) {
  return (bytes + kEventBytes - 1) / kEventBytes;
}

// Units of the ring that an event takes with its payload. (A SkipEvent: all up to the ring's end.)
inline std::uint64_t units_of(const Event& event) {
  return visit_event(event, [](const auto& known) -> std::uint64_t {
    if constexpr (requires { known.payload_bytes(); }) {
      return 1 + payload_units(known.payload_bytes());
    } else {
      return 1;
    }
  });
}

// Of an event in a ring.
template <typename KnownEvent>
std::string_view payload_of(const KnownEvent& event) {
  return {reinterpret_cast<const char*>(&event) + kEventBytes, event.payload_bytes()};
}

}  // namespace npuprof::record
