#pragma once

// Mode `advisor`: what known reasons of lost time a profile shows, with evidence and an estimate of
// what could be gained. A first table lists findings, largest gain first; each finding has a table
// of evidence of its own, named `advisor_<check>`. report/html/advisor_page.h makes a page of it.

#include <string_view>
#include <vector>

#include "answers/mode.h"
#include "base/result.h"

namespace npuprof::answers {

extern const Mode kAdvisorMode;

// The names of `--silence a,b`. Fails if there is no check of a name.
Result<std::vector<std::string_view>> silenced_checks(std::string_view list);

}  // namespace npuprof::answers
