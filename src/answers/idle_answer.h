#pragma once

#include "answers/mode.h"

namespace npuprof::answers {

extern const Mode kIdleMode;

}  // namespace npuprof::answers
