#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace npuprof {

// The number of a string in a StringPool. Ids are dense and count up from 0, the empty string, so
// a value-initialised column holds empty strings.
enum class StringId : std::uint32_t {};
inline constexpr StringId kEmptyString{0};

constexpr std::uint32_t to_index(StringId id) { return static_cast<std::uint32_t>(id); }

// Keeps each distinct string once and gives it an id, in order of first appearance. The views it
// returns stay valid as long as the pool (also when it is moved). Looking up and interning a known
// string does not allocate. Any number of threads may call const functions at once; interning needs
// the pool alone: threads fill a pool each, merged in a fixed order.
class StringPool {
 public:
  StringPool();
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;
  StringPool(const StringPool&) = delete;
  StringPool& operator=(const StringPool&) = delete;
  ~StringPool() = default;

  StringId intern(std::string_view text);
  std::optional<StringId> find(std::string_view text) const;

  // `id` must come from this pool.
  std::string_view view(StringId id) const { return views_[to_index(id)]; }

  // The number of strings, the empty one included; ids are below it.
  std::size_t size() const { return views_.size(); }

  // Texts that are not clean (base/utf8.h) are kept as clean_text() makes them: names are cleaned
  // here, whichever file they come from. Returns how many there were since the last call, each
  // text counted once.
  std::size_t take_cleaned() {
    const std::size_t before = std::exchange(taken_, cleaned_.size());
    return taken_ - before;
  }

  // Interns all strings of `other`; result[to_index(id of other)] is the id here.
  std::vector<StringId> merge(const StringPool& other);

 private:
  // Open addressing, linear probing. Half of the hash sits beside the id, so probing past a
  // different string hardly ever touches its text. Id 0 marks a free slot: the empty string is
  // answered before the table is looked at.
  struct Slot {
    std::uint32_t hash;
    std::uint32_t id;
  };

  StringId intern_clean(std::string_view text);
  StringId intern_new(std::string_view text, std::uint32_t hash, std::size_t at);
  std::size_t find_slot(std::string_view text, std::uint32_t hash) const;
  void rebuild(std::size_t slot_count);
  std::string_view store(std::string_view text);

  std::vector<std::string_view> views_;
  std::vector<Slot> slots_;  // Size a power of two, at most 5/8 in use.
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* free_begin_ = nullptr;
  std::size_t free_bytes_ = 0;
  std::unordered_map<std::string, StringId> cleaned_;  // By the text as it came.
  std::size_t taken_ = 0;
};

}  // namespace npuprof
