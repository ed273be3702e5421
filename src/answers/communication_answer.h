#pragma once

#include "answers/mode.h"

namespace npuprof::answers {

extern const Mode kCommunicationMode;

}  // namespace npuprof::answers
