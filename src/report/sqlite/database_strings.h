#pragma once

// The texts of a database: tables hold numbers, STRING_IDS says what they mean. A text of the trace
// keeps its number in the trace's pool; texts that only the database has are numbered after those.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_pool.h"
#include "report/sqlite/bulk_database.h"

namespace npuprof::report::sqlite {

class DatabaseStrings {
 public:
  explicit DatabaseStrings(const StringPool& pool) : pool_(pool), used_(pool.size()) {}

  // The number of a text of the trace; use() must have been called for it before STRING_IDS is
  // written.
  std::int64_t id(StringId text) const { return to_index(text); }
  // The number of any other text. Not for several threads at once.
  std::int64_t id(std::string_view text);

  void use(StringId text) { used_[to_index(text)] = true; }
  void use(const std::vector<StringId>& texts) {
    for (const StringId text : texts) use(text);
  }

  // Writes STRING_IDS: the last table, as readers take it for the mark of a complete file.
  void write(BulkDatabase& database) const;

 private:
  const StringPool& pool_;
  std::vector<bool> used_;
  StringPool own_;
};

}  // namespace npuprof::report::sqlite
