#pragma once

// What a collection is asked for in the words of CANN's interface.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/prof/collection_settings.h"

namespace npuprof::sim {

struct CannSwitches {
  std::uint64_t bits = 0;               // NPUPROF_PROF_...
  int metrics = 0;                      // As CANN numbers them.
  std::map<int, std::string> settings;  // NPUPROF_CONFIG_... to a value that is valid.
};

CollectionSettings settings_of(const CannSwitches& switches);

// A whole number between the two; nothing if the text is something else.
std::optional<std::uint32_t> number_in(std::string_view text, std::uint32_t low,
                                       std::uint32_t high);
// "cpu,mem"; nothing if something in the list cannot be sampled.
std::optional<HostSystem> host_system(std::string_view list);

}  // namespace npuprof::sim
