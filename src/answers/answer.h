#pragma once

#include <string>
#include <vector>

#include "answers/table.h"

namespace npuprof::answers {

// What a mode says: sentences first, the most important one at the top, then tables.
struct Answer {
  std::vector<std::string> sentences;
  std::vector<Table> tables;
};

}  // namespace npuprof::answers
