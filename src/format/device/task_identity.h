#pragma once

// Which task a STARS record is about. Chips 5, 7, 8 and 11 store stream and task in two 16-bit
// words whose high bits may say that parts of them changed places; chips 15 and 16 store a 32-bit
// task id alone. HWTS and ts_track records need stream_of_track() at most.

#include <cstdint>
#include <optional>

namespace npuprof::format::device {

// Context of a task that is no sub-task of an FFTS+ task.
inline constexpr std::uint32_t kNoContext = 0xFFFFFFFF;

// Largest number of streams in normal mode; ts_track and HWTS records have no other.
inline constexpr std::uint16_t kStreamLimit = 0x800;
// The same in expanded mode.
inline constexpr std::uint16_t kExpandedStreamLimit = 0x8000;

// Expanded mode is announced by the host (record expand_stream_spec).
enum class StreamMode : std::uint8_t { kNormal, kExpanded };

struct TaskIdentity {
  std::uint16_t stream = 0;
  std::uint16_t task = 0;
  friend bool operator==(const TaskIdentity&, const TaskIdentity&) = default;
};

// The two words as stored.
struct RawTaskIdentity {
  std::uint16_t stream = 0;
  std::uint16_t task = 0;
  friend bool operator==(const RawTaskIdentity&, const RawTaskIdentity&) = default;
};

// The ways one identity can be stored. All decode alike; a writer needs only kPlain.
enum class RawIdentityForm : std::uint8_t {
  kPlain,             // Stream word holds the stream, task word the task.
  kTaskBitsInStream,  // Bit 12 of the stream word: its bits 13..15 are those of the task.
  kSwapped,           // Bit 13 (expanded mode: 15) of the stream word: the words changed places.
};

TaskIdentity decode_task_identity(RawTaskIdentity raw, StreamMode mode, std::uint8_t sqe_type);

// The words for `identity`, or nothing if the stream does not fit the mode or the form does not
// exist for it (expanded mode has no kTaskBitsInStream and, for SQE types 3 and 4, no kSwapped).
std::optional<RawTaskIdentity> encode_task_identity(TaskIdentity identity, StreamMode mode,
                                                    std::uint8_t sqe_type,
                                                    RawIdentityForm form = RawIdentityForm::kPlain);

// Stream of a HWTS or ts_track record: the low 11 bits.
constexpr std::uint16_t stream_of_track(std::uint32_t field) {
  return static_cast<std::uint16_t>(field & (kStreamLimit - 1));
}

}  // namespace npuprof::format::device
