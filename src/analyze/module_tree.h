#pragma once

// Modules of the model as ranges in time, and which of them an operator belongs to by time alone:
// the tree that other tools build, whose tables have to come out the same. What is known of threads
// is used by module_totals.h.
//
//   marks of domain "Module" (+ forward/backward pairs) -> ranges -> nested by time

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/string_pool.h"
#include "trace/trace.h"

namespace npuprof::analyze {

inline constexpr std::string_view kModuleDomain = "Module";

// Names of modules and their paths (`GPTModel/DecoderLayer`), by numbers of its own.
class ModulePaths {
 public:
  explicit ModulePaths(const StringPool& names) : names_(&names) {}

  StringId own(StringId name_of_trace);
  StringId join(StringId path, StringId name);  // Both of this pool; an empty path adds nothing.
  StringId backward(StringId name);             // "[Backward]" before it.
  StringId numbered(StringId name, std::uint32_t number);  // `name_3`.
  std::string_view view(StringId id) const { return texts_.view(id); }

 private:
  const StringPool* names_;
  StringPool texts_;
  std::vector<StringId> own_;                           // By number of the trace's pool.
  std::unordered_map<std::uint64_t, StringId> joined_;  // By path and name.
};

// A time in which a module ran.
struct ModuleRange {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  StringId name{};         // Of ModulePaths.
  StringId parent_path{};  // Empty at the top. This and the rest are set by nest_modules().
  StringId path{};
  std::uint32_t parent = trace::kNone;
  std::uint32_t depth = 0;   // 1 at the top.
  bool is_backward = false;  // Also if a module around it is.
};

// Sets parents and paths of the modules and gives the module of each operator, kNone = none. `rows`
// are those of the operators in FrameworkOps.
//
// In order of start, longer ones first, each module or operator belongs to the innermost module
// that contains all of it. Modules that do not contain it are over then: nothing that comes later
// belongs to them. Modules more than 20 deep have no operators.
std::vector<std::uint32_t> nest_modules(std::vector<ModuleRange>& modules, ModulePaths& paths,
                                        const trace::FrameworkOps& ops,
                                        std::span<const std::uint32_t> rows);

// Start/end ranges of the domain, in order of the marks.
std::vector<ModuleRange> marked_modules(const trace::Trace& trace, ModulePaths& paths);

// Adds the ranges in which autograd ran what belongs to the modules, which it nests: the operators
// of the backward pass in order of time, cut where the module of the forward operator changes. Each
// is put into a range that has the path of the module's parents for a name and is longer by 1 ns at
// both ends.
void add_backward_modules(const trace::Trace& trace, std::vector<ModuleRange>& modules,
                          ModulePaths& paths);

}  // namespace npuprof::analyze
