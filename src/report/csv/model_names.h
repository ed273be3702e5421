#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "trace/host/graph_names.h"
#include "trace/trace.h"

namespace npuprof::report {

// Names of graphs by their numbers. Keeps a reference.
class ModelNames {
 public:
  explicit ModelNames(const trace::Trace& trace) : trace_(trace) {
    const trace::GraphNames& graphs = trace.graph_names();
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      names_.insert_or_assign(graphs.model_id[i], graphs.name[i]);
    }
  }

  // Empty if it is not known.
  std::string_view find(std::uint32_t model) const {
    const auto name = names_.find(model);
    return name == names_.end() ? std::string_view() : trace_.strings.view(name->second);
  }

 private:
  const trace::Trace& trace_;
  std::unordered_map<std::uint32_t, StringId> names_;
};

}  // namespace npuprof::report
