#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/host/api_event.h"
#include "format/host/compact_task.h"
#include "format/host/levels.h"
#include "format/host/msproftx.h"
#include "format/host/record_kind.h"
#include "record/slice_writer.h"

namespace npuprof::record {

// Writes `host/data`: what the layers of CANN report about one process. Any number of threads may
// call it; records of a kind are in the order of the calls. Names of types and strings enter the
// dictionaries when they are first used.
//
// Failures to write are kept; close() returns the first.
class HostReporter {
 public:
  explicit HostReporter(std::filesystem::path data_directory);
  HostReporter(const HostReporter&) = delete;
  HostReporter& operator=(const HostReporter&) = delete;
  ~HostReporter();

  // The id of a string, entered into the hash dictionary at its first use. Empty text has id 0,
  // which readers take for "none".
  std::uint64_t hash(std::string_view text);

  // Gives a type a name other than that of format::host::type_name(). Must come before its first
  // use, or else the dictionary has both and the last counts.
  void name_type(std::uint16_t level, std::uint32_t type, std::string_view name);

  // Enters a type into its dictionary before its first use.
  void declare_type(std::uint16_t level, std::uint32_t type);

  // A call interval, or one end of it (an event).
  void api(format::host::Age age, const format::host::ApiEvent& event);

  // A compact or additional record; its layout says which file it belongs to.
  template <typename Layout>
  void record(format::host::Age age, const Layout& layout) {
    const std::lock_guard lock(mutex_);
    if constexpr (requires { layout.header; }) use_type(layout.header.level, layout.header.type);
    if constexpr (requires { layout.kernel_name; }) {
      use_type(format::host::kLevelRuntime, static_cast<std::uint32_t>(layout.task_type));
    }
    writer_of<Layout>(age).append(layout);
  }

  // A record of a kind without a layout of ours, as a program hands it over: the tag names the
  // file.
  void raw_record(format::host::Age age, format::host::Module module, std::string_view tag,
                  Bytes record);

  // A mark or range of the user; its header is set here. Long messages become several records.
  void mark(format::host::Age age, format::host::Msproftx mark, std::string_view message);

  // Hands what is buffered to the operating system: this much survives if the process is killed.
  // The first failure so far.
  Status flush();

  Status close();

 private:
  struct Kind {
    format::host::Age age;
    format::host::Module module;
    std::string tag;
    SliceWriter writer;
  };

  // Slots that find the writer of a layout without looking at names: slot = position of the layout
  // among those ever used, twice, for both ages.
  static std::size_t next_slot();
  template <typename Layout>
  static std::size_t slot_of() {
    static const std::size_t slot = next_slot();
    return slot;
  }

  template <typename Layout>
  SliceWriter& writer_of(format::host::Age age) {
    const std::size_t slot = slot_of<Layout>() * 2 + (age == format::host::Age::kAging ? 1 : 0);
    if (slot < slots_.size() && slots_[slot] != nullptr) return *slots_[slot];
    return remember(slot, writer_named(age, Layout::kKind.module, Layout::kKind.tag));
  }

  SliceWriter& writer_named(format::host::Age age, format::host::Module module,
                            std::string_view tag);
  SliceWriter& remember(std::size_t slot, SliceWriter& writer);

  // Enters a type into the dictionary at its first use.
  void use_type(std::uint16_t level, std::uint32_t type) {
    const std::uint64_t key = format::host::type_key(level, type);
    // Most calls repeat one of a few types: ask a small table before the set.
    std::uint64_t& recent = recent_types_[(type ^ type >> 16 ^ level) % recent_types_.size()];
    if (recent == key) return;
    recent = key;
    enter_type(level, type);
  }
  void enter_type(std::uint16_t level, std::uint32_t type);

  std::filesystem::path directory_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Kind>> kinds_;
  std::vector<SliceWriter*> slots_;
  SliceWriter* api_writers_[2] = {nullptr, nullptr};
  SliceWriter hash_dictionary_;
  SliceWriter type_dictionary_;
  std::unordered_set<std::uint64_t> hashes_;
  std::unordered_set<std::uint64_t> types_;  // Level in the upper, type in the lower half.
  std::unordered_map<std::uint64_t, std::string> type_names_;
  std::array<std::uint64_t, 256> recent_types_{};
  std::string line_;
};

}  // namespace npuprof::record
