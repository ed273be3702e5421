#pragma once

// Names of records: 64-bit hashes and (level, type) numbers, through the dictionaries of the
// profile.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/string_pool.h"
#include "format/host/levels.h"
#include "load/cann_host/host_files.h"
#include "trace/losses.h"
#include "trace/table.h"

namespace npuprof::load {

// 64-bit keys to string ids: open addressing, one cache line per look-up.
class NameTable {
 public:
  void set(std::uint64_t key, StringId id);  // Replaces.
  std::optional<StringId> find(std::uint64_t key) const;
  std::size_t size() const { return used_; }

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t id_plus_1;  // 0 = free.
  };
  std::size_t slot_of(std::uint64_t key) const;
  void grow();

  std::vector<Slot> slots_;  // Size a power of two, at most half in use.
  std::size_t used_ = 0;
};

// The two dictionaries of a collection. All their texts are in the pool of the trace.
class HostDictionaries {
 public:
  HostDictionaries() = default;
  HostDictionaries(const HostFiles& files, StringPool& strings, trace::Losses& losses);

  // `id` must come from the dictionaries.
  std::string_view view(StringId id) const { return strings_->view(id); }
  std::optional<StringId> find_hash(std::uint64_t hash) const { return hashes_.find(hash); }
  // A record has a hash that is not in the dictionary. Any thread may say so.
  void note_unknown_hash() const { has_unknown_hash_->store(true, std::memory_order_relaxed); }
  // To be called when all records have been read: a collection without names has no dictionary.
  void report_missing_hashes(trace::Losses& losses) const;
  std::optional<StringId> find_type(std::uint16_t level, std::uint32_t type) const {
    return types_.find(format::host::type_key(level, type));
  }

 private:
  const StringPool* strings_ = nullptr;
  std::string missing_hash_file_;  // Empty if it is there.
  std::shared_ptr<std::atomic<bool>> has_unknown_hash_ = std::make_shared<std::atomic<bool>>(false);
  NameTable hashes_;
  NameTable types_;
};

// Gives names while records are decoded on several threads: the pool of the trace must not change
// then, so each decoder collects new texts in `texts`, a pool of its own, whose ids carry a mark
// until adopt_names() replaces them.
class Names {
 public:
  Names(const HostDictionaries& dictionaries, StringPool& texts)
      : dictionaries_(dictionaries), texts_(texts) {}

  // The text of a hash: empty for 0 (none), its decimal digits if it is not known.
  StringId of_hash(std::uint64_t hash);
  // The text of a hash, nothing if it is not known.
  std::optional<StringId> known_hash(std::uint64_t hash) const {
    return dictionaries_.find_hash(hash);
  }
  StringId of_type(std::uint16_t level, std::uint32_t type);
  StringId intern(std::string_view text) { return mark(texts_.intern(text)); }

  // `id` must come from this object; the text is valid until the next name is added.
  std::string_view view(StringId id) const {
    if (id == kEmptyString) return {};
    return is_local(id) ? texts_.view(StringId{local_index(id)}) : dictionaries_.view(id);
  }

  static bool is_local(StringId id) { return (to_index(id) & kLocal) != 0; }
  static std::uint32_t local_index(StringId id) { return to_index(id) & ~kLocal; }

 private:
  static constexpr std::uint32_t kLocal = 0x80000000;
  static StringId mark(StringId id) {
    return id == kEmptyString ? id : StringId{to_index(id) | kLocal};
  }

  const HostDictionaries& dictionaries_;
  StringPool& texts_;
};

// Replaces the marked ids of `table` from row `first_row` on. `merged` is what merging the
// decoder's pool into the trace's gave.
inline void adopt_names(trace::AnyTable table, std::size_t first_row,
                        std::span<const StringId> merged) {
  trace::translate_texts(table, first_row, table.size(), [&](StringId id) {
    return Names::is_local(id) ? merged[Names::local_index(id)] : id;
  });
}

}  // namespace npuprof::load
