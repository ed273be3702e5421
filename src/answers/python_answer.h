#pragma once

#include "answers/mode.h"

namespace npuprof::answers {

extern const Mode kPythonMode;

}  // namespace npuprof::answers
