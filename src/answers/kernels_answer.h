#pragma once

#include "answers/mode.h"

namespace npuprof::answers {

extern const Mode kKernelsMode;

}  // namespace npuprof::answers
