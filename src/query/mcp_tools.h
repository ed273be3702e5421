#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "query/profile_source.h"
#include "query/sql_session.h"

namespace npuprof::query {

struct ToolResult {
  std::string text;
  bool is_error = false;
};

// What language models can do with profiles: ask every mode (answers/mode.h), read with SQL, and
// find out what there is. Answers are short; who wants more asks for more rows.
class McpTools {
 public:
  explicit McpTools(ProfileSource& source) : source_(source) {}

  // Name, description and input schema of each.
  nlohmann::json list() const;
  // `arguments` is an object. Nothing = there is no such tool.
  std::optional<ToolResult> call(std::string_view name, const nlohmann::json& arguments);

 private:
  // A profile that was asked about, all of it or one step.
  struct Opened {
    std::size_t number = 0;
    std::optional<std::int64_t> step;
    OpenedProfile profile;
    std::unique_ptr<SqlSession> session;
  };
  struct OpenedPair {
    Opened* base = nullptr;
    Opened* other = nullptr;
  };
  struct Asked;  // The arguments that tools have in common.

  Result<std::string> run(std::string_view name, const nlohmann::json& arguments);
  Result<std::size_t> find_number(std::optional<std::int64_t> rank, const std::string& path) const;
  Result<Opened*> open(const Asked& asked, std::optional<std::int64_t> step = {});
  Result<Opened*> open(std::size_t number, std::optional<std::int64_t> step);
  Result<SqlSession*> session_of(Opened& opened) const;
  std::string heading(const Opened& opened) const;

  Result<std::string> ask_mode(const answers::Mode& mode, const Asked& asked);
  Result<OpenedPair> open_pair(const Asked& asked);
  Result<std::string> compare(const Asked& asked);
  Result<std::string> gate(const Asked& asked);
  Result<std::string> run_sql(const Asked& asked);
  Result<std::string> describe_tables(const Asked& asked);
  std::string list_profiles() const;

  ProfileSource& source_;
  std::list<Opened> opened_;  // The last one used first.
};

}  // namespace npuprof::query
