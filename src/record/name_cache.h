#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace npuprof::record {

// The texts that one thread uses as names again and again. A text in the cache has a slot, and the
// writer knows the text of each slot; any other text travels with its event. Slots are never given
// to another text (until clear()), so a slot means the same from the begin of a range to its end.
// Texts are compared, not pointers: programs use one address for different names.
class NameCache {
 public:
  static constexpr std::size_t kSlots = 256;
  static constexpr std::size_t kLongestText = 118;

  enum class Answer : std::uint8_t {
    kKnown,  // `slot` has the text.
    kNew,    // `slot` was given to the text just now; the writer has to be told.
    kNone,   // The text has no slot.
  };
  struct Lookup {
    Answer answer;
    std::uint32_t slot;
  };

  Lookup find(std::string_view text) {
    if (text.size() > kLongestText) return {Answer::kNone, 0};
    const std::uint32_t hash = hash_of(text);
    for (std::uint32_t probe = 0; probe < kProbes; ++probe) {
      const std::uint32_t index = (hash + probe) % kSlots;
      const Slot& slot = slots_[index];
      if (slot.hash == hash && slot.length == text.size() &&
          std::memcmp(slot.text, text.data(), text.size()) == 0) [[likely]] {
        return {Answer::kKnown, index};
      }
      if (slot.hash == 0) return admit(text, hash, index);
    }
    return {Answer::kNone, 0};
  }

  // Takes the last slot that was given away back: the writer could not be told of it.
  void forget(std::uint32_t slot) { slots_[slot] = Slot{}; }

  void clear() {
    slots_.fill(Slot{});
    seen_.fill(0);
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;  // 0 = free.
    std::uint16_t length = 0;
    char text[kLongestText + 4] = {};
  };
  static_assert(sizeof(Slot) == 128);
  static constexpr std::uint32_t kProbes = 4;

  // Only a text that comes a second time gets a slot: names made up once (a step's number in them)
  // would fill the cache.
  Lookup admit(std::string_view text, std::uint32_t hash, std::uint32_t index) {
    std::uint32_t& seen = seen_[hash % seen_.size()];
    if (seen != hash) {
      seen = hash;
      return {Answer::kNone, 0};
    }
    Slot& slot = slots_[index];
    slot.hash = hash;
    slot.length = static_cast<std::uint16_t>(text.size());
    std::memcpy(slot.text, text.data(), text.size());
    return {Answer::kNew, index};
  }

  static std::uint64_t load_8(const char* data) {
    std::uint64_t value;
    std::memcpy(&value, data, sizeof(value));
    return value;
  }

  // Looks at 32 bytes at most; texts that differ elsewhere share a hash and go to the next slot.
  // Never 0.
  static std::uint32_t hash_of(std::string_view text) {
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
    const char* data = text.data();
    const std::size_t size = text.size();
    std::uint64_t mixed = size;
    if (size >= 16) {
      mixed += load_8(data) * 3 + load_8(data + size / 2 - 4) * 5 + load_8(data + size - 8) * 7;
      mixed = (mixed ^ mixed >> 29) * kFactor + load_8(data + size - 16);
    } else if (size >= 8) {
      mixed += load_8(data) * 3 + load_8(data + size - 8) * 7;
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        mixed = mixed << 8 ^ mixed >> 56 ^ static_cast<unsigned char>(data[i]);
      }
    }
    mixed = (mixed ^ mixed >> 32) * kFactor;
    return static_cast<std::uint32_t>(mixed >> 32) | 1u;
  }

  std::array<Slot, kSlots> slots_{};
  std::array<std::uint32_t, 1024> seen_{};
};

}  // namespace npuprof::record
