#pragma once

// `npuprof analyze compare BASE OTHER`: what of one profile takes longer in another.
//
// Both are requests as for a mode: profiles loaded, linked, and cut to the steps that were asked
// for (different ones on each side are fine). Either can be a timeline of PyTorch on a GPU: kernels
// are then set side by side by classes (matmul, attention, ...), operators and modules by name.
//
//   answers::Request base{.trace = a, .results = results_of_a};
//   answers::Request other{.trace = b, .results = results_of_b};
//   NPUPROF_ASSIGN_OR_RETURN(answers::Answer answer, answers::compare_profiles(base, other));
//
// Tables: overall, steps, modules, operators, kernels, kernel_classes, communication, api, memory;
// those without rows are left out. Rows are in order of their difference, largest first.
// Differences are per step. `significance` says whether steps differ by more than they do among
// themselves; with fewer than three steps on one side it says "not tested", and the verdict comes
// from a plain threshold of 5 %.

#include "answers/answer.h"
#include "answers/mode.h"
#include "base/result.h"

namespace npuprof::answers {

Result<Answer> compare_profiles(const Request& base, const Request& other);

}  // namespace npuprof::answers
