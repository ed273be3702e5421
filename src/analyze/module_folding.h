#pragma once

// Modules of a model as a tree of names, and the same tree with repeated layers folded: siblings
// whose names differ in numbers only and whose inner modules are the same become one.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/row.h"

namespace npuprof::analyze {

struct NamedModule {
  std::string_view name;
  std::uint32_t parent = trace::kNone;  // Before this one.
};

struct FoldedModule {
  std::string name;
  std::uint32_t parent = trace::kNone;
  std::uint32_t depth = 0;
};

struct FoldedTree {
  std::vector<FoldedModule> modules;  // Parents before children.
  std::vector<std::uint32_t> of;      // By module of the tree: what it has become.
};

// Leaves are folded only if there are more than 8 of them: the projections of a layer are not
// alike.
FoldedTree fold_modules(const std::vector<NamedModule>& modules);

// `layers.*.mlp`: numbers that stand alone between `.`, `_`, brackets and the like.
std::string numberless_name(std::string_view name);
// One name for several that have the same numberless one: `layers.[0-31].mlp`.
std::string joint_name(const std::vector<std::string_view>& names);

}  // namespace npuprof::analyze
