#pragma once

// What communication groups are called, and who is in them, as far as the profile tells.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

struct GroupFacts {
  std::string name;                        // "tp"; the communicator's own where there is no other.
  std::vector<std::int64_t> global_ranks;  // By rank within the group; empty = not known.
};

// By the number that stands for a group in CollectiveOps.
std::map<std::string, GroupFacts, std::less<>> group_facts(const trace::Trace& trace);

}  // namespace npuprof::analyze
