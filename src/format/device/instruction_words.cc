#include "format/device/instruction_words.h"

namespace npuprof::format::device {

const std::array<std::string_view, kPipeCount> kPipeNames = {"SU",   "VEC",  "CUBE", "MTE1",
                                                             "MTE2", "MTE3", "FIXP"};

std::array<InstructionWord, 4> make_start_stamp(std::uint64_t syscnt, std::uint16_t block_id) {
  std::array<InstructionWord, 4> words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const unsigned block_byte = i < 2 ? block_id >> (8 * i) & 0xFF : 0;
    words[i] =
        InstructionWord::make(InstructionWord::kStartStamp, static_cast<std::uint16_t>(block_byte),
                              static_cast<std::uint16_t>(syscnt >> (16 * i)));
  }
  return words;
}

bool InstructionDecoder::advance(InstructionWord word) {
  if (word.bits == InstructionWord::kEndOfRun) {
    damaged_words_ += stamp_words_;
    stamp_words_ = 0;
    after_end_ = true;
    return false;
  }
  if (after_end_ && word.bits == InstructionWord::kFiller) return false;
  after_end_ = false;
  if (word.kind() == InstructionWord::kStartStamp) {
    stamp_[stamp_words_++] = word;
    if (stamp_words_ < stamp_.size()) return false;
    std::uint64_t ticks = 0;
    for (std::size_t i = 0; i < stamp_.size(); ++i) {
      ticks |= std::uint64_t{stamp_[i].delta()} << (16 * i);
    }
    stamp_syscnt_ = ticks;
    cycles_since_stamp_ = 0;
    block_id_ =
        static_cast<std::uint16_t>((stamp_[0].events() & 0xFF) | (stamp_[1].events() & 0xFF) << 8);
    stamp_words_ = 0;
    return false;
  }
  damaged_words_ += stamp_words_;
  stamp_words_ = 0;
  cycles_since_stamp_ += word.delta();
  return true;
}

std::optional<PipeEvent> InstructionDecoder::change_pipe(std::uint8_t pipe, bool busy) {
  if (busy == busy_[pipe]) return std::nullopt;
  busy_[pipe] = busy;
  if (busy) {
    busy_since_[pipe] = now();
    return std::nullopt;
  }
  return PipeEvent{pipe, false, block_id_, 0, busy_since_[pipe], now()};
}

}  // namespace npuprof::format::device
