#include "base/string_pool.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/utf8.h"

namespace npuprof {
namespace {

constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kChunkBytes = 256 * 1024;

std::uint64_t load_64(const char* at) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

std::uint64_t load_32(const char* at) {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

// Both halves of the 128-bit product, folded: every bit of either factor reaches the result.
std::uint64_t multiply_fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// The fractional parts of the golden ratio and of the square roots of 2 and 3, made odd.
constexpr std::uint64_t kMix0 = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kMix1 = 0x6A09E667F3BCC909;
constexpr std::uint64_t kMix2 = 0xBB67AE8584CAA73B;

// Not defended against chosen collisions: those make a crafted profile slow, not wrong.
std::uint32_t hash_text(std::string_view text) {
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t state = kMix2 ^ left;
  while (left > 16) {
    state = multiply_fold(load_64(at) ^ kMix0, load_64(at + 8) ^ state);
    at += 16;
    left -= 16;
  }
  // The last 1 to 16 bytes as two words that may overlap, so that no byte is read one by one.
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (left >= 8) {
    low = load_64(at);
    high = load_64(at + left - 8);
  } else if (left >= 4) {
    low = load_32(at);
    high = load_32(at + left - 4);
  } else {
    const auto byte = [at](std::size_t i) {
      return std::uint64_t{static_cast<unsigned char>(at[i])};
    };
    low = byte(0) << 16 | byte(left / 2) << 8 | byte(left - 1);
  }
  const std::uint64_t mixed = multiply_fold(low ^ kMix1, high ^ state);
  return static_cast<std::uint32_t>(multiply_fold(mixed, kMix0) >> 32);
}

}  // namespace

StringPool::StringPool() : views_{std::string_view()}, slots_(kFirstSlots) {}

// The slot that holds `text`, or the free slot where it belongs.
std::size_t StringPool::find_slot(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot slot = slots_[at];
    if (slot.id == 0 || (slot.hash == hash && views_[slot.id] == text)) return at;
  }
}

std::optional<StringId> StringPool::find(std::string_view text) const {
  if (text.empty()) return kEmptyString;
  const std::uint32_t id = slots_[find_slot(text, hash_text(text))].id;
  if (id != 0) return StringId{id};
  if (cleaned_.empty()) return std::nullopt;
  const auto cleaned = cleaned_.find(std::string(text));
  return cleaned == cleaned_.end() ? std::nullopt : std::optional(cleaned->second);
}

StringId StringPool::intern(std::string_view text) {
  if (text.empty()) return kEmptyString;
  const std::uint32_t hash = hash_text(text);
  const std::size_t at = find_slot(text, hash);
  if (slots_[at].id != 0) return StringId{slots_[at].id};
  if (is_clean_text(text)) return intern_new(text, hash, at);
  const auto [cleaned, is_new] = cleaned_.try_emplace(std::string(text));
  if (is_new) cleaned->second = intern_clean(clean_text(text));
  return cleaned->second;
}

StringId StringPool::intern_clean(std::string_view text) {
  if (text.empty()) return kEmptyString;
  const std::uint32_t hash = hash_text(text);
  const std::size_t at = find_slot(text, hash);
  return slots_[at].id != 0 ? StringId{slots_[at].id} : intern_new(text, hash, at);
}

// `at` is the free slot where the text belongs.
StringId StringPool::intern_new(std::string_view text, std::uint32_t hash, std::size_t at) {
  if (views_.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("a string pool holds at most 2^32 strings");
  }
  const auto id = static_cast<std::uint32_t>(views_.size());
  views_.push_back(store(text));
  slots_[at] = {hash, id};
  if (views_.size() > slots_.size() / 8 * 5) rebuild(slots_.size() * 2);
  return StringId{id};
}

std::vector<StringId> StringPool::merge(const StringPool& other) {
  std::vector<StringId> ids;
  ids.reserve(other.size());
  for (const std::string_view text : other.views_) ids.push_back(intern_clean(text));
  for (const auto& [text, id] : other.cleaned_) cleaned_.try_emplace(text, ids[to_index(id)]);
  return ids;
}

void StringPool::rebuild(std::size_t slot_count) {
  std::vector<Slot> old(slot_count);
  old.swap(slots_);
  const std::size_t mask = slot_count - 1;
  for (const Slot& slot : old) {
    if (slot.id == 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].id != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

std::string_view StringPool::store(std::string_view text) {
  if (text.size() > free_bytes_) {
    if (text.size() > kChunkBytes / 4) {
      // A long text gets a chunk of its own; the one in use keeps its free rest.
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(text.size()));
      std::memcpy(chunks_.back().get(), text.data(), text.size());
      return {chunks_.back().get(), text.size()};
    }
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(kChunkBytes));
    free_begin_ = chunks_.back().get();
    free_bytes_ = kChunkBytes;
  }
  std::memcpy(free_begin_, text.data(), text.size());
  const std::string_view stored(free_begin_, text.size());
  free_begin_ += text.size();
  free_bytes_ -= text.size();
  return stored;
}

}  // namespace npuprof
