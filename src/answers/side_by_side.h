#pragma once

// The answer about one profile with that about another beside it. In tables whose rows have names
// (Table::comparison), columns that can be compared are followed by their values in the other
// answer and by the differences, other less base, unless they are counts that do not differ. Rows
// that only the other has come last. All other tables stay as they are.

#include <cstddef>

#include "answers/answer.h"

namespace npuprof::answers {

// How many steps the two answers are about; where they differ, differences of sums are per step.
struct ComparedSteps {
  std::size_t base = 1;
  std::size_t other = 1;
};

Answer side_by_side(Answer base, const Answer& other, const ComparedSteps& steps);

}  // namespace npuprof::answers
