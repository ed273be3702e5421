#pragma once

#include "answers/mode.h"

namespace npuprof::answers {

extern const Mode kDataPipelineMode;

}  // namespace npuprof::answers
