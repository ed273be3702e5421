#pragma once

#include "answers/mode.h"

namespace npuprof::answers {

extern const Mode kHostLeadMode;

}  // namespace npuprof::answers
