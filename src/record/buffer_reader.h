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
  explicit BufferReader(std::uint32_t epoch) : tag_(epoch_tag(epoch)) {}

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

  void read_event(const Event& event, EventOutput& output);
  void attach(const Event& event);
  void define_text(const Event& event);
  void put_op(const Event& event, EventOutput& output);
  void put_inputs(std::string_view inputs, format::framework::OpRange& op);
  void put_zero_length(const Event& event, std::string_view extra, EventOutput& output);
  void put_counter(const Event& event, EventOutput& output);
  void put_queue_mark(const Event& event, EventOutput& output);
  void put_memory(const Event& event, EventOutput& output);
  void put_keyed(const Event& event, EventOutput& output);
  void put_marker(const Event& event, EventOutput& output);

  Attached& attached(std::uint32_t depth);
  std::string_view name_of(const Event& event);
  static std::string_view payload(const Event& event, std::size_t bytes) {
    return {reinterpret_cast<const char*>(&event + 1), bytes};
  }

  bool is_of_this_recording(const Event& event) const {
    return name_place(event.name) == NamePlace::kRegistered ||
           (name_number(event.name) & ~kUntaggedMask) == tag_;
  }

  std::uint32_t tag_;
  std::uint32_t thread_id_ = 0;
  std::uint64_t thread_count_ = 0;
  std::array<std::string, kUntaggedMask + 1> names_;
  std::vector<std::string> texts_;  // That the thread defined.
  std::deque<Attached> attached_;   // By depth. Names point into it while it grows.
  OpInputTexts input_texts_;
  std::string flops_text_;
  std::string text_;
};

}  // namespace npuprof::record
