#pragma once

#include "answers/mode.h"

namespace npuprof::answers {

extern const Mode kHeadOverheadMode;

}  // namespace npuprof::answers
