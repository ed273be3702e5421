#pragma once

// What lies in the buffer of a thread between the thread, which puts it there, and the writer.
// Every event is 32 bytes; some have a payload behind them, filled up to a multiple of 32 bytes.
// These bytes never leave the process.

#include <cstddef>
#include <cstdint>

namespace npuprof::record {

enum class EventKind : std::uint8_t {
  kSkip,            // Nothing up to the end of the ring.
  kThread,          // number: id of the thread that the following events are of.
  kNameDefinition,  // Payload: the text of name slot `name`; `number` bytes.
  kAttachment,      // Payload: more about the operator at depth `name`; see Attachment.
  kRange,           // begin, end, name; detail: OpScope.
  kOp,              // The same, and `number` is the sequence number. Payload: OpExtension, or none.
  kMark,            // begin, name.
  kCounter,         // begin, name; number: bits of a double.
  kQueueMark,       // begin, name; number: correlation; detail: OpMarkCategory.
  kMemory,          // begin; payload: MemoryPayload.
  kPythonCall,      // begin; number: key; detail: PythonTag.
  kPythonName,      // number: key; end: bytes of the payload, a text.
  kParameters,      // number: key; end: bytes of the payload, a text; detail: 1 = of an optimizer.
  kGarbage,         // begin, end.
  kMarker,          // begin; number: id; name: domain; end: bytes of the payload, the message.
  kMarkerStart,     // The same.
  kMarkerEnd,       // begin; number: id; detail: 1 = of a push.
  kTextDefinition,  // Payload: text `number` of the thread; end: its bytes.
  kAttachedOp,      // Like kOp, without payload: payload_units is the depth of what is attached.
};

struct Event {
  std::uint64_t begin;  // Ticks.
  std::uint64_t end;    // Ticks, or as the kind says.
  std::int64_t number;
  std::uint32_t name;
  EventKind kind;
  std::uint8_t detail;
  std::uint16_t payload_units;  // Of kEventBytes, behind the event.
};
inline constexpr std::size_t kEventBytes = 32;
static_assert(sizeof(Event) == kEventBytes);

inline constexpr std::uint64_t units_of(const Event& event) {
  return event.kind == EventKind::kAttachedOp ? 1 : 1 + std::uint64_t{event.payload_units};
}

inline constexpr std::size_t payload_units(std::size_t bytes) {
  return (bytes + kEventBytes - 1) / kEventBytes;
}

// Event::name says where the text is: two bits of kind, then a number. What belongs to a thread
// (slots, depths) carries a tag of the recording above its number: a thread that was interrupted
// between two recordings may come late with an event of the old one.
enum class NamePlace : std::uint32_t {
  kRegistered = 0,  // Id of a registered name.
  kSlot = 1,        // Name slot of the thread, see NameCache.
  kAtDepth = 2,     // The name was attached to the operator at this depth.
};
inline constexpr unsigned kNamePlaceShift = 30;
inline constexpr std::uint32_t kNameNumberMask = (1u << kNamePlaceShift) - 1;

inline constexpr std::uint32_t make_name(NamePlace place, std::uint32_t number) {
  return static_cast<std::uint32_t>(place) << kNamePlaceShift | number;
}
inline constexpr NamePlace name_place(std::uint32_t name) {
  return static_cast<NamePlace>(name >> kNamePlaceShift);
}
inline constexpr std::uint32_t name_number(std::uint32_t name) { return name & kNameNumberMask; }

inline constexpr unsigned kTagShift = 10;
inline constexpr std::uint32_t kUntaggedMask = (1u << kTagShift) - 1;
inline constexpr std::uint32_t epoch_tag(std::uint32_t epoch) {
  return epoch << kTagShift & kNameNumberMask;
}

// What may be attached to an operator or range between its begin and its end. Texts have the number
// of their field in torch.op_range (format::framework::OpRangeField); inputs are in the binary form
// of op_inputs.h. In Event::detail, with kFirstAttachment added if it is the first of its operator.
inline constexpr std::uint8_t kInputsAttachment = 64;
// Added to the number of a field: the text was defined before, `number` says which one it is.
inline constexpr std::uint8_t kDefinedAttachment = 32;
inline constexpr std::uint8_t kFirstAttachment = 128;

// Depth of an operator whose attachments belong to the next kOp of the buffer, and not to an open
// one.
inline constexpr std::uint32_t kImmediateDepth = 0;
inline constexpr std::uint32_t kNoDepth = 0xFFFFFFFF;

// Payload of kOp.
struct OpExtension {
  std::uint64_t forward_thread;
  std::uint64_t start_thread_id;  // 0: the thread of the buffer.
  std::uint32_t depth;            // Its attachments, or kNoDepth.
  std::uint32_t is_async;
};
static_assert(sizeof(OpExtension) <= kEventBytes);

// Payload of kMemory; members as in format::framework::MemoryUsageFixed.
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
static_assert(sizeof(MemoryPayload) <= 2 * kEventBytes);

}  // namespace npuprof::record
