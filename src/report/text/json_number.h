#pragma once

#include <cmath>

#include "report/text/text_buffer.h"

namespace npuprof::report {

// A number in JSON. Damaged records may hold values that are none, for which JSON has no text.
inline void put_json_number(TextBuffer& out, double value) {
  if (std::isfinite(value)) {
    out.real(value);
  } else {
    out.text("null");
  }
}

}  // namespace npuprof::report
