#pragma once

// The profiles of a cluster that have been read, for answers about all of them.

#include <cstddef>
#include <memory>
#include <vector>

#include "base/json_writer.h"
#include "serve/requests.h"

namespace npuprof::serve {

// Profiles that have been read; all others begin to be.
struct ReadProfiles {
  std::vector<std::size_t> numbers;
  std::vector<std::shared_ptr<const ShownProfile>> profiles;
  std::size_t pending = 0;
  std::size_t failed = 0;
};

// Those that `ranks` names, or all.
Result<ReadProfiles> read_profiles(const Request& request);

void write_progress(JsonWriter& json, const ReadProfiles& read);

}  // namespace npuprof::serve
