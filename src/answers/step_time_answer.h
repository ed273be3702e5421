#pragma once

#include "answers/mode.h"

namespace npuprof::answers {

extern const Mode kStepTimeMode;

}  // namespace npuprof::answers
