#include "report/sqlite/database_strings.h"

#include "format/results/session_columns.h"
#include "report/tables/stored_table.h"

namespace npuprof::report::sqlite {
namespace {

struct NumberedText {
  std::int64_t id;
  std::string_view text;
};
constexpr auto kTextTable =
    stored_table(format::results::string_ids::kTable,
                 column(format::results::string_ids::kId, &NumberedText::id),
                 column(format::results::string_ids::kValue, &NumberedText::text));

}  // namespace

std::int64_t DatabaseStrings::id(std::string_view text) {
  if (const auto known = pool_.find(text)) {
    use(*known);
    return id(*known);
  }
  return static_cast<std::int64_t>(pool_.size() + to_index(own_.intern(text)));
}

void DatabaseStrings::write(BulkDatabase& database) const {
  std::vector<NumberedText> texts;
  for (std::uint32_t i = 0; i < used_.size(); ++i) {
    if (used_[i]) texts.push_back({i, pool_.view(StringId{i})});
  }
  // The empty string of the own pool is that of the trace's.
  for (std::uint32_t i = 1; i < own_.size(); ++i) {
    texts.push_back({static_cast<std::int64_t>(pool_.size() + i), own_.view(StringId{i})});
  }
  write_stored_table<kTextTable>(texts, database);
}

}  // namespace npuprof::report::sqlite
