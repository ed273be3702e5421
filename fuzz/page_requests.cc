// What a page may ask the server: any path, any parameters, any headers. Replies are JSON or
// arrays, and no request gets past the guard without the token.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "analyze/shared_results.h"
#include "fuzz/input.h"
#include "serve/page_server.h"
#include "trace/framework/framework_ops.h"

namespace npuprof::fuzz {
namespace {

// A thread with two operators.
class FewOperators : public query::ProfileSource {
 public:
  FewOperators() {
    trace_.session.origin = trace::Origin::kResults;
    auto& ops = trace_.framework_ops();
    trace::FrameworkOps::columns(ops, [](const char*, auto& column) { column.resize(2); });
    ops.start_ns.assign({1'000'000, 1'000'100});
    ops.end_ns.assign({1'001'000, 1'000'200});
    ops.name.assign({trace_.strings.intern("aten::mm"), trace_.strings.intern("aten::add")});
  }
  const std::vector<query::ProfileFacts>& profiles() const override { return facts_; }
  Result<query::OpenedProfile> open(std::size_t, const query::ProfilePart&) override {
    return query::OpenedProfile{.request = {.trace = trace_, .results = results_}};
  }

 private:
  trace::Trace trace_;
  analyze::SharedResults results_{trace_};
  std::vector<query::ProfileFacts> facts_ = {{0, "profile"}};
};

struct Server {
  FewOperators source;
  serve::ProfileStore store{source};
  serve::PageServer page{serve::Guard("token", {.port = 1, .names = {"localhost"}}),
                         serve::PageFiles::built_in(),
                         {"0", "profile"},
                         store};
  Server() { (void)store.wait_for(0); }
};

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

// The first line is a number of a route or a path; then `name=value` lines.
void allowed(Bytes data) {
  static Server server;
  const std::vector<std::string> lines = lines_of(as_text(data));
  if (lines.empty()) return;
  serve::HttpRequest request{.method = "GET", .path = lines.front()};
  const auto routes = serve::all_routes();
  if (lines.front().size() == 1) {
    request.path = routes[static_cast<unsigned char>(lines.front()[0]) % routes.size()].path;
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t sign = std::min(lines[i].find('='), lines[i].size());
    request.parameters.emplace(lines[i].substr(0, sign),
                               lines[i].substr(std::min(lines[i].size(), sign + 1)));
  }
  request.headers = {{"Host", "localhost:1"}, {"X-Npuprof-Token", "token"}};
  const serve::HttpReply reply = server.page.answer(request);
  if (reply.type.starts_with("application/json")) require(nlohmann::json::accept(reply.body));
  if (reply.type == "application/octet-stream") require(reply.body.size() % 8 == 0);
}

// Lines `name: value` are headers: none of them opens the door but the token.
void refused(Bytes data) {
  static const serve::Guard guard("token", {.port = 1, .names = {"localhost"}});
  serve::HttpRequest request{.method = "GET", .path = "/api/session"};
  bool has_token = false;
  for (const std::string& line : lines_of(as_text(data))) {
    const std::size_t sign = std::min(line.find(": "), line.size());
    request.headers.emplace_back(line.substr(0, sign),
                                 line.substr(std::min(line.size(), sign + 2)));
    has_token = has_token || request.headers.back().second == "token";
  }
  require(guard.refuse(request).has_value() || has_token);
}

constexpr Decoder kDecoders[] = {allowed, refused};

}  // namespace
}  // namespace npuprof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return npuprof::fuzz::run_one(npuprof::fuzz::kDecoders, data, size);
}
