#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "record/event_output.h"
#include "record/op_inputs.h"
#include "record/thread_buffer.h"

namespace npuprof::record {

// Turns the events in the buffer of one thread into records, and remembers what later events of
// that thread refer to.
class BufferReader {
 public:
  // Events of other recordings than `epoch` are left out.
  explicit BufferReader(std::uint32_t epoch) : epoch_(epoch) {}

  // Reads up to `end`, a position that the thread has published, and gives the room back. If it
  // throws, then up to the event that could not be read.
  void read(ThreadBuffer& buffer, std::uint64_t end, EventOutput& output);
  // Gives the room up to `end` back; the number of events that were there.
  static std::uint64_t discard(ThreadBuffer& buffer, std::uint64_t end);

  // Threads that recorded something through this buffer.
  std::uint64_t thread_count() const { return thread_count_; }

 private:
  // What was attached to the operator at some depth: texts of torch.op_range by field number.
  struct Attached {
    static constexpr std::size_t kTexts = 11;
    std::array<std::string, kTexts> texts;
    std::uint32_t present = 0;  // A bit for each text, and one for the inputs.
    std::string inputs;

    bool has(OpRangeField field) const {
      return (present >> static_cast<unsigned>(field) & 1) != 0;
    }
  };
  static constexpr unsigned kInputsBit = 31;

  // Whether the event belongs to this recording.
  template <typename KnownEvent>
  bool is_wanted(const KnownEvent& event, const EventOutput& output) const;

  void read_known(const SkipEvent& event, EventOutput& output);
  void read_known(const ThreadEvent& event, EventOutput& output);
  void read_known(const NameDefinitionEvent& event, EventOutput& output);
  void read_known(const TextDefinitionEvent& event, EventOutput& output);
  void read_known(const TextAttachmentEvent& event, EventOutput& output);
  void read_known(const DefinedTextAttachmentEvent& event, EventOutput& output);
  void read_known(const InputsAttachmentEvent& event, EventOutput& output);
  void read_known(const RangeEvent& event, EventOutput& output);
  void read_known(const OpEvent& event, EventOutput& output);
  void read_known(const AttachedOpEvent& event, EventOutput& output);
  void read_known(const ExtendedOpEvent& event, EventOutput& output);
  void read_known(const MarkEvent& event, EventOutput& output);
  void read_known(const CounterEvent& event, EventOutput& output);
  void read_known(const QueueMarkEvent& event, EventOutput& output);
  void read_known(const MemoryEvent& event, EventOutput& output);
  void read_known(const PythonCallEvent& event, EventOutput& output);
  void read_known(const PythonNameEvent& event, EventOutput& output);
  void read_known(const ParametersEvent& event, EventOutput& output);
  void read_known(const GarbageEvent& event, EventOutput& output);
  void read_known(const MarkerEvent& event, EventOutput& output);
  void read_known(const MarkerStartEvent& event, EventOutput& output);
  void read_known(const MarkerEndEvent& event, EventOutput& output);

  // Ranges and operators of all kinds.
  template <typename KnownEvent>
  void put_op(const KnownEvent& event, std::int64_t sequence, const OpExtension& extension,
              EventOutput& output);
  void put_inputs(std::string_view inputs, format::framework::OpRange& op);
  void put_zero_length(NameReference name, std::uint64_t ticks, std::string_view extra,
                       EventOutput& output);

  Attached& attached(std::uint32_t depth);
  Attached& attached_by(bool is_first, std::uint32_t depth);
  static void attach_text(Attached& target, OpRangeField field, std::string_view text);
  std::string_view text_of(NameReference name);

  std::uint32_t epoch_;
  std::uint32_t thread_id_ = 0;
  std::uint64_t thread_count_ = 0;
  std::array<std::string, NameReference::kMostThreadNumbers> names_;  // By slot.
  std::vector<std::string> texts_;                                    // That the thread defined.
  std::deque<Attached> attached_;  // By depth. Names point into it while it grows.
  OpInputTexts input_texts_;
  std::string flops_text_;
  std::string text_;
};

}  // namespace npuprof::record
