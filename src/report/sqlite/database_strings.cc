#include "report/sqlite/database_strings.h"

namespace npuprof::report::sqlite {

std::int64_t DatabaseStrings::id(std::string_view text) {
  if (const auto known = pool_.find(text)) {
    use(*known);
    return id(*known);
  }
  return static_cast<std::int64_t>(pool_.size() + to_index(own_.intern(text)));
}

void DatabaseStrings::write(BulkDatabase& database) const {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t i = 0; i < used_.size(); ++i) {
    if (used_[i]) ids.push_back(i);
  }
  const std::size_t of_trace = ids.size();
  // The empty string of the own pool is that of the trace's.
  const std::size_t own = own_.size() - 1;
  database.table({"STRING_IDS", {{"id", Affinity::kInteger, true}, {"value", Affinity::kText}}},
                 of_trace + own, [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     const bool is_own = i >= of_trace;
                     const std::size_t own_id = i - of_trace + 1;
                     auto& row = sink.row(is_own ? static_cast<std::int64_t>(pool_.size() + own_id)
                                                 : std::int64_t{ids[i]});
                     row.null();
                     row.text(is_own ? own_.view(StringId{static_cast<std::uint32_t>(own_id)})
                                     : pool_.view(StringId{ids[i]}));
                     row.end_row();
                   }
                 });
}

}  // namespace npuprof::report::sqlite
