#pragma once

// Numbers inside sentences that compare.

#include <string>

namespace npuprof::answers {

// "1.25 ms": four digits at most, with the unit that suits the size.
std::string time_text(double ns);
// "+12.5 %", "-3.0 %"; "new" for infinity, "" for no value.
std::string change_text(double change);
// "p < 0.001" or "p = 0.042".
std::string chance_text(double chance);

}  // namespace npuprof::answers
