#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

struct sqlite3;

namespace npuprof::testing {

// A result database whose rows can be compared with those of another one: numbers of strings,
// connections, tasks, collectives and call chains, which each writer gives out as it likes, are
// replaced by what they stand for.
class DatabaseRows {
 public:
  explicit DatabaseRows(const std::filesystem::path& path);
  ~DatabaseRows();
  DatabaseRows(const DatabaseRows&) = delete;
  DatabaseRows& operator=(const DatabaseRows&) = delete;

  std::set<std::string> columns(const std::string& table) const;
  // All rows of a table as text `column=value ...`, the columns in the order given.
  std::multiset<std::string> rows(const std::string& table, const std::set<std::string>& columns,
                                  const std::string& where = "1") const;
  std::multiset<std::string> query(const std::string& sql) const;

 private:
  sqlite3* handle_ = nullptr;
};

// Expects the same rows in both, in the columns that both have. `but` names columns to leave out.
void expect_same_rows(const DatabaseRows& ours, const DatabaseRows& theirs,
                      const std::string& table, const std::set<std::string>& but = {},
                      const std::string& where = "1");

}  // namespace npuprof::testing
