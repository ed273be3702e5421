// Lines of the Model Context Protocol, in parts of any size, and statements of SQL.

#include "query/mcp_lines.h"

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/shared_results.h"
#include "fuzz/input.h"
#include "query/mcp_server.h"
#include "query/sql_session.h"
#include "trace/trace.h"

namespace npuprof::fuzz {
namespace {

// A profile without rows.
class EmptyProfile : public query::ProfileSource {
 public:
  const std::vector<query::ProfileFacts>& profiles() const override { return facts_; }
  Result<query::OpenedProfile> open(std::size_t, const query::ProfilePart&) override {
    return query::OpenedProfile{.owner = nullptr,
                                .request = {.trace = trace_, .results = results_}};
  }

 private:
  std::vector<query::ProfileFacts> facts_ = {{0, "empty"}};
  trace::Trace trace_;
  analyze::SharedResults results_{trace_};
};

void lines_in_parts(Bytes data) {
  if (data.empty()) return;
  constexpr std::size_t kLongest = 200;
  const std::size_t part = std::to_integer<std::size_t>(data[0]) + 1;
  const std::string_view text = as_text(data.subspan(1));
  query::LineBuffer lines(kLongest);
  for (std::size_t i = 0; i < text.size(); i += part) {
    lines.add(text.substr(i, part));
    while (const auto line = lines.next()) {
      require(line->text.size() <= kLongest && line->text.find('\n') == std::string::npos);
    }
  }
  if (const auto line = lines.last()) use(line->text);
  require(!lines.last());
}

void messages(Bytes data) {
  static EmptyProfile profile;
  static query::McpServer server(profile, "0");
  query::LineBuffer lines(query::kLongestMcpLine);
  lines.add(as_text(data));
  lines.add("\n");
  while (const auto line = lines.next()) {
    const auto answer = server.answer(line->text);
    require(!answer || (answer->find('\n') == std::string::npos && !answer->empty()));
  }
}

void statements(Bytes data) {
  static EmptyProfile profile;
  static query::SqlSession session =
      query::SqlSession::open(profile.open(0, {}).value().request).value();
  session.set_limits({.instructions = 100'000, .rows = 10, .bytes = 1 << 20});
  std::string_view sql = as_text(data);
  while (!sql.empty()) {
    const auto answer = session.run_next(sql);
    if (!answer.ok() || !answer->has_value()) break;
  }
}

constexpr Decoder kDecoders[] = {lines_in_parts, messages, statements};

}  // namespace
}  // namespace npuprof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return npuprof::fuzz::run_one(npuprof::fuzz::kDecoders, data, size);
}
