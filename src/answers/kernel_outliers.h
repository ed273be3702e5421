#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/kernel_groups.h"
#include "answers/table.h"

namespace npuprof::answers {

// What to call a group: its name where it has one, else its type, with the shapes that set it
// apart.
std::string kernel_group_text(const trace::Trace& trace, const analyze::KernelGroup& group);

// Where the time of the kernels goes: the group with the largest share.
std::string largest_kernel_sentence(const trace::Trace& trace,
                                    const std::vector<analyze::KernelGroup>& groups);

// Groups whose slowest call is far from what is usual, most time above the median first.
std::vector<const analyze::KernelGroup*> kernel_outliers(
    const std::vector<analyze::KernelGroup>& groups);
// Nothing if there are none.
std::optional<std::string> outlier_sentence(
    const trace::Trace& trace, const std::vector<const analyze::KernelGroup*>& outliers);
Table outlier_table(const trace::Trace& trace, const analyze::OperatorRows& rows,
                    const std::vector<const analyze::KernelGroup*>& outliers);

}  // namespace npuprof::answers
