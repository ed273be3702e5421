#pragma once

#include <cstdint>
#include <string_view>

namespace npuprof::format::host {

// Whether records may be deleted once the storage limit is reached. `unaging` data is reported once
// (model load, captured graphs, dictionaries); `aging` data comes with every iteration.
enum class Age : std::uint8_t { kUnaging, kAging };

// The record family of a file in `host/data`, the second part of its name.
enum class Module : std::uint8_t {
  kApiEvent,    // 40-byte call intervals, api_event.h
  kCompact,     // 64-byte records, compact.h
  kAdditional,  // 256-byte records, additional.h; also the text dictionaries, dictionary.h
  kVariable,    // records of any length, variable.h
};

std::string_view age_name(Age age);           // "unaging", "aging"
std::string_view module_name(Module module);  // "api_event", "compact", "additional", "variable"

// Names one kind of record: the tag is part of the file name and selects the payload layout; level
// and type stand in the record header and are only a name for the same thing.
struct RecordKind {
  Module module;
  std::string_view tag;
  std::uint16_t level;
  std::uint32_t type;
};

}  // namespace npuprof::format::host
