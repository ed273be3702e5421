#pragma once

#include "answers/mode.h"

namespace npuprof::answers {

extern const Mode kMemoryMode;

}  // namespace npuprof::answers
