#pragma once

// The instruction log of chips 15 and 16: 32-bit words, each a change in the state of a core's
// pipes some AI core cycles after the word before. A run begins with a start stamp of four words.

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/record.h"

namespace npuprof::format::device {

inline constexpr std::size_t kPipeCount = 7;
// Names by pipe number: "SU", "VEC", "CUBE", "MTE1", "MTE2", "MTE3", "FIXP".
extern const std::array<std::string_view, kPipeCount> kPipeNames;

// | bits   | meaning                                                                           |
// |--------|-----------------------------------------------------------------------------------|
// | 0..15  | AI core cycles since the word before; in a start stamp 16 bits of the time        |
// | 16..27 | events: pipe states, or what a checkpoint reports; in a start stamp of the block  |
// | 28..31 | kind: 0..6 checkpoint of a pipe, 14 start stamp, 15 state                         |
struct InstructionWord {
  static constexpr std::uint8_t kStartStamp = 14;
  static constexpr std::uint8_t kState = 15;
  static constexpr std::uint32_t kEndOfRun = 0xEFFFFFFF;
  static constexpr std::uint32_t kFiller = 0xDDDDDDDD;  // Only after kEndOfRun.

  U32 bits;

  static constexpr InstructionWord make(std::uint8_t kind, std::uint16_t events,
                                        std::uint16_t delta) {
    return {std::uint32_t{delta} | std::uint32_t{events & 0xFFFu} << 16 |
            std::uint32_t{kind & 0xFu} << 28};
  }
  constexpr std::uint16_t delta() const { return static_cast<std::uint16_t>(bits & 0xFFFF); }
  constexpr std::uint16_t events() const { return static_cast<std::uint16_t>(bits >> 16 & 0xFFF); }
  constexpr std::uint8_t kind() const { return static_cast<std::uint8_t>(bits >> 28); }

  static constexpr void visit(auto& self, auto&& field) { field("bits", self.bits); }
};
static_assert(sizeof(InstructionWord) == 4);

// The four words of a start stamp: time in their low halves (least significant first), the block's
// id in the low event bytes of the first two.
std::array<InstructionWord, 4> make_start_stamp(std::uint64_t syscnt, std::uint16_t block_id);

// A pipe at work, or (end == start, is_checkpoint) a checkpoint. Times are ticks.
struct PipeEvent {
  std::uint8_t pipe = 0;
  bool is_checkpoint = false;
  std::uint16_t block_id = 0;
  std::uint16_t checkpoint_events = 0;
  std::uint64_t start_syscnt = 0;
  std::uint64_t end_syscnt = 0;
};

// Decodes the words of one core, in order, across slices.
class InstructionDecoder {
 public:
  // `ticks_per_cycle` = system counter MHz / AI core MHz.
  explicit InstructionDecoder(double ticks_per_cycle) : ticks_per_cycle_(ticks_per_cycle) {}

  // Hands every event that ends with `word` to `visit(const PipeEvent&)`.
  template <typename Visit>
  void feed(InstructionWord word, Visit&& visit) {
    if (!advance(word)) return;
    if (word.kind() == InstructionWord::kState) {
      for (std::uint8_t pipe = 0; pipe < kPipeCount; ++pipe) {
        if (const auto event = change_pipe(pipe, (word.events() >> pipe & 1) != 0)) visit(*event);
      }
    } else if (word.kind() < kPipeCount) {
      visit(PipeEvent{word.kind(), true, block_id_, word.events(), now(), now()});
    } else {
      ++damaged_words_;
    }
  }

  // Words that make no sense: an unknown kind or a start stamp cut short.
  std::size_t damaged_words() const { return damaged_words_; }

 private:
  // Follows the time; false if the word is not an event.
  bool advance(InstructionWord word);
  std::optional<PipeEvent> change_pipe(std::uint8_t pipe, bool busy);

  // Ticks since the stamp are computed from whole cycles, so that rounding does not add up.
  std::uint64_t now() const {
    const double ticks = static_cast<double>(cycles_since_stamp_) * ticks_per_cycle_;
    return stamp_syscnt_ + static_cast<std::uint64_t>(std::llround(ticks));
  }

  double ticks_per_cycle_;
  std::uint64_t stamp_syscnt_ = 0;
  std::uint64_t cycles_since_stamp_ = 0;
  std::uint16_t block_id_ = 0xFFFF;
  std::array<bool, kPipeCount> busy_{};
  std::array<std::uint64_t, kPipeCount> busy_since_{};
  std::array<InstructionWord, 4> stamp_{};
  std::size_t stamp_words_ = 0;
  bool after_end_ = false;
  std::size_t damaged_words_ = 0;
};

}  // namespace npuprof::format::device
