#pragma once

#include "answers/mode.h"

namespace npuprof::answers {

extern const Mode kOpStatisticMode;

}  // namespace npuprof::answers
