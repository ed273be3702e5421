#include "serve/read_profiles.h"

#include <algorithm>

namespace npuprof::serve {

Result<ReadProfiles> read_profiles(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto chosen, request.parameters.ids("ranks"));
  ReadProfiles read;
  for (std::size_t i = 0; i < request.served.store.profiles().size(); ++i) {
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), i) == chosen.end()) continue;
    const auto profile = request.served.store.get(i);
    if (!profile.ok()) {
      ++read.failed;
    } else if (*profile == nullptr) {
      ++read.pending;
    } else {
      read.numbers.push_back(i);
      read.profiles.push_back(*profile);
    }
  }
  return read;
}

void write_progress(JsonWriter& json, const ReadProfiles& read) {
  json.member("pending", read.pending).member("failed", read.failed);
}

}  // namespace npuprof::serve
