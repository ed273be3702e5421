#pragma once

// Numbers as people say them, for sentences. Cells of tables are numbers: writers choose their
// form.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/count_text.h"

namespace npuprof::answers {

std::string duration_text(std::int64_t duration_ns);  // "850 ns", "12.3 us", "4.56 s"
std::string bytes_text(std::int64_t bytes);           // "512 B", "1.50 GB"; 1 KB = 1024 B
std::string share_text(double share);                 // 0.123 is "12.3 %".
// Names of templates go on for lines: what is beyond 80 characters is cut.
std::string short_text(std::string_view text);

}  // namespace npuprof::answers
