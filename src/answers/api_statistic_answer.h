#pragma once

#include "answers/mode.h"

namespace npuprof::answers {

extern const Mode kApiStatisticMode;

}  // namespace npuprof::answers
