#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answers/mode.h"
#include "answers/table.h"
#include "base/result.h"

namespace npuprof::query {

// What a statement may take; one that takes more ends with an error.
struct SqlLimits {
  std::optional<std::chrono::milliseconds> time;  // Nothing = as long as it wants.
  std::uint64_t instructions = 0;                 // Of SQLite's machine, about; 0 = any number.
  std::size_t rows = 0;                           // The rest are counted, not kept; 0 = all.
  std::size_t bytes = std::size_t{4} << 30;       // Of the result.
  const std::atomic<bool>* stop = nullptr;        // Set by whoever wants the statement to end.
};

struct SqlAnswer {
  answers::Table table;
  std::size_t rows = 0;  // All of them, also those that were not kept.
};

// What can be asked for: a view, a table, or a table of an answer that has been made.
struct SqlName {
  enum class Kind : std::uint8_t { kView, kTable, kAnswer };
  std::string name;
  std::string about;                // One sentence or nothing.
  std::optional<std::size_t> rows;  // Of tables that need not be computed.
  Kind kind = Kind::kTable;
};

struct SqlColumn {
  std::string name;
  std::string type;   // Empty in views where it is not known.
  std::string about;  // Empty if the name says all.
};

// A profile as a database that can be read and nothing else: statements reach no files, change
// nothing and load no code. Tables are those of the model (trace_module.h), what is derived from
// them (derived_tables.h), answers (answer_tables.h) and views (views.h). For one thread at a time.
class SqlSession {
 public:
  // What the request refers to must live as long.
  static Result<SqlSession> open(const answers::Request& request);
  SqlSession(SqlSession&&) noexcept;
  SqlSession& operator=(SqlSession&&) noexcept;
  ~SqlSession();

  void set_limits(const SqlLimits& limits);

  // One statement; what comes behind it may be blank, or a comment.
  Result<answers::Table> run(std::string_view sql);
  // The same; says how many rows there are.
  Result<SqlAnswer> ask(std::string_view sql);
  // The first statement of several, which is taken from `sql`, also if it fails. Nothing = there
  // are none left.
  Result<std::optional<SqlAnswer>> run_next(std::string_view& sql);

  // By name; views first.
  std::vector<SqlName> names() const;
  // Nothing = there is no such table or view.
  Result<std::vector<SqlColumn>> columns_of(std::string_view name);

 private:
  class State;
  explicit SqlSession(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// Whether a text is one or more whole statements, so that a prompt need not ask for more.
bool is_complete_statement(const std::string& sql);

}  // namespace npuprof::query
