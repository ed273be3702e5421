#include "load/cann_host/host_names.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "format/host/dictionary.h"
#include "load/cleaned_texts.h"

namespace npuprof::load {
namespace {

constexpr std::size_t kFirstNameSlots = 256;

// What old profiles without an entry mean by these runtime types.
constexpr std::uint32_t kDynamicEnable = 27;
constexpr std::uint32_t kDynamicDisable = 28;

std::vector<Bytes> bytes_of(std::span<const HostSlice> slices) {
  std::vector<Bytes> bytes;
  for (const HostSlice& slice : slices) bytes.push_back(slice.file.bytes());
  return bytes;
}

void report_bad_lines(const format::host::DictionaryCounts& counts,
                      std::span<const HostSlice> slices, trace::Losses& losses) {
  if (counts.bad_lines == 0 || slices.empty()) return;
  losses.add(slices[0].path.native(), 0, counts.bad_lines,
             std::to_string(counts.bad_lines) + " lines of the dictionary cannot be read.");
}

}  // namespace

std::size_t NameTable::slot_of(std::uint64_t key) const {
  // Keys are hashes whose low bits are good, or small numbers; the multiplication serves the
  // latter.
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(key * 0x9E3779B97F4A7C15 >> 32) & mask;
  while (slots_[at].id_plus_1 != 0 && slots_[at].key != key) at = (at + 1) & mask;
  return at;
}

void NameTable::grow() {
  std::vector<Slot> old(std::max(kFirstNameSlots, slots_.size() * 2));
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.id_plus_1 != 0) slots_[slot_of(slot.key)] = slot;
  }
}

void NameTable::set(std::uint64_t key, StringId id) {
  if (used_ >= slots_.size() / 2) grow();
  Slot& slot = slots_[slot_of(key)];
  if (slot.id_plus_1 == 0) ++used_;
  slot = {key, to_index(id) + 1};
}

std::optional<StringId> NameTable::find(std::uint64_t key) const {
  if (slots_.empty()) return std::nullopt;
  const Slot& slot = slots_[slot_of(key)];
  if (slot.id_plus_1 == 0) return std::nullopt;
  return StringId{slot.id_plus_1 - 1};
}

HostDictionaries::HostDictionaries(const HostFiles& files, StringPool& strings,
                                   trace::Losses& losses)
    : strings_(&strings) {
  using format::host::Module;
  const auto hash_slices = files.open(Module::kAdditional, "hash_dic", losses);
  report_bad_lines(
      format::host::read_hash_dictionary(bytes_of(hash_slices),
                                         [&](std::uint64_t hash, std::string_view text) {
                                           hashes_.set(hash, strings.intern(text));
                                         }),
      hash_slices, losses);
  if (!hash_slices.empty()) report_cleaned_texts(strings, hash_slices[0].path.native(), losses);
  if (hash_slices.empty()) {
    missing_hash_file_ = (files.directory() / "unaging.additional.hash_dic.slice_0").native();
  }
  const auto type_slices = files.open(Module::kAdditional, "type_info_dic", losses);
  report_bad_lines(format::host::read_type_dictionary(
                       bytes_of(type_slices),
                       [&](std::uint16_t level, std::uint32_t type, std::string_view name) {
                         types_.set(format::host::type_key(level, type), strings.intern(name));
                       }),
                   type_slices, losses);
  if (!type_slices.empty()) report_cleaned_texts(strings, type_slices[0].path.native(), losses);
  if (type_slices.empty()) {
    losses.add((files.directory() / "unaging.additional.type_info_dic.slice_0").native(), 0, 0,
               "The dictionary of calls is missing: some calls are shown as numbers.");
  }
}

void HostDictionaries::report_missing_hashes(trace::Losses& losses) const {
  if (missing_hash_file_.empty() || !has_unknown_hash_->load()) return;
  losses.add(missing_hash_file_, 0, 0,
             "The dictionary of names is missing: operators are shown as numbers.");
}

StringId Names::of_hash(std::uint64_t hash) {
  if (hash == 0) return kEmptyString;
  if (const auto known = dictionaries_.find_hash(hash)) return *known;
  if (hash == format::host::string_hash("")) return kEmptyString;
  dictionaries_.note_unknown_hash();
  char digits[kMaxIntegerChars];
  return intern({digits, static_cast<std::size_t>(write_unsigned(digits, hash) - digits)});
}

StringId Names::of_type(std::uint16_t level, std::uint32_t type) {
  if (const auto known = dictionaries_.find_type(level, type)) return *known;
  if (const auto name = format::host::type_name(level, type); !name.empty()) return intern(name);
  if (level == format::host::kLevelRuntime && type == kDynamicEnable) {
    return intern("DYNAMIC_ENABLE");
  }
  if (level == format::host::kLevelRuntime && type == kDynamicDisable) {
    return intern("DYNAMIC_DISABLE");
  }
  char digits[kMaxIntegerChars];
  return intern({digits, static_cast<std::size_t>(write_unsigned(digits, type) - digits)});
}

}  // namespace npuprof::load
