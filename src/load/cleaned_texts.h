#pragma once

#include <cstddef>
#include <string>

#include "base/string_pool.h"
#include "trace/losses.h"

namespace npuprof::load {

// Says that texts which came since the last report could not be kept as they were in `file`.
inline void report_cleaned_texts(StringPool& strings, const std::string& file,
                                 trace::Losses& losses) {
  const std::size_t count = strings.take_cleaned();
  if (count == 0) return;
  losses.add(file, 0, count,
             std::to_string(count) +
                 " texts are no UTF-8 or hold zero bytes: U+FFFD stands for each wrong byte");
}

}  // namespace npuprof::load
