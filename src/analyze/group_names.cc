#include "analyze/group_names.h"

#include "format/framework/profiler_metadata.h"
#include "format/host/dictionary.h"
#include "trace/linked/collective_ops.h"

namespace npuprof::analyze {

std::map<std::string, GroupFacts, std::less<>> group_facts(const trace::Trace& trace) {
  std::map<std::string, GroupFacts, std::less<>> facts;
  const trace::CollectiveOps& ops = trace.collective_ops();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::string_view name = trace.strings.view(ops.group_name[i]);
    GroupFacts& group = facts[std::string(trace.strings.view(ops.group[i]))];
    if (!name.empty()) group.name = name;
  }
  const auto metadata = format::framework::parse_profiler_metadata(trace.session.profiler_metadata);
  if (!metadata.ok() || !metadata->parallel_groups) return facts;
  for (const auto& told : *metadata->parallel_groups) {
    const std::string number = std::to_string(format::host::string_hash(told.communication_domain));
    for (auto& [group, known] : facts) {
      if (group != number && known.name != told.communication_domain) continue;
      known.name = told.group_name.empty() ? told.communication_domain : told.group_name;
      known.global_ranks = told.global_ranks;
    }
  }
  return facts;
}

}  // namespace npuprof::analyze
