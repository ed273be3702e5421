#pragma once

#include "answers/mode.h"

namespace npuprof::answers {

extern const Mode kServingMode;

}  // namespace npuprof::answers
