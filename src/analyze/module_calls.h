#pragma once

// Calls of modules, and which of them an operator belongs to, thread by thread.
//
// Modules are marks of the domain "Module"; without these, calls of nn.Module that were recorded
// with Python's stack, or those of MindSpore's nn.Cell. An operator belongs to the innermost module
// of its own thread that contains it; one that MindSpore ran on another thread, to the module in
// which it was handed on. What autograd runs belongs to the module whose forward operator it is the
// gradient of; what it runs between two such operators, to the innermost module that contains both
// of these, unless it is a collective.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyze/operator_work.h"
#include "trace/table.h"
#include "trace/trace.h"

namespace npuprof::analyze {

struct ModuleCalls {
  NPUPROF_TABLE(ModuleCalls);
  NPUPROF_COLUMN(trace::Text, name);  // The name of the frame if it comes from Python.
  NPUPROF_COLUMN(trace::Time, start_ns);
  NPUPROF_COLUMN(trace::Time, end_ns);
  NPUPROF_COLUMN(std::uint32_t, parent);  // A row before this one; kNone = none.
  NPUPROF_COLUMN(std::uint32_t, depth);   // 1 at the top.
  NPUPROF_TABLE_END();
};

struct ModuleMembership {
  ModuleCalls calls;  // By start, outer ones first.
  bool is_from_python = false;
  // By row of FrameworkOps, known of those that were asked for: the call, kNone = outside of all.
  std::vector<std::uint32_t> call_of_op;
  std::vector<std::uint8_t> is_backward;
};

// Of operators with work, and of `others`, which say nothing of what lies between them.
ModuleMembership module_membership(const trace::Trace& trace, const OperatorWork& work,
                                   std::span<const std::uint32_t> others = {});

// Without what says that it is a module.
std::string_view plain_module_name(std::string_view name);

}  // namespace npuprof::analyze
