#pragma once

#include <string>

#include "answers/answer.h"

namespace npuprof::report {

struct AdvisorPage {
  std::string profile;  // Where it is, as the user wrote it.
  bool simulated = false;
};

// A page of what mode `advisor` answered: findings first, the evidence of each below. It holds all
// it needs, has no scripts, and shows names of the profile as text, whatever is in them. Long
// tables are cut; the page says so.
std::string advisor_html(const answers::Answer& answer, const AdvisorPage& page);

}  // namespace npuprof::report
