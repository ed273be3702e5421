#pragma once

// What can be asked for below /api/: a function for each path. All of them read; several may run at
// once.

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "serve/http_message.h"
#include "serve/parameters.h"
#include "serve/profile_store.h"

namespace npuprof::serve {

struct SessionFacts {
  std::string version;
  std::string title;  // What was opened.
};

struct Served {
  const SessionFacts& session;
  ProfileStore& store;
};

struct Request {
  const Served& served;
  const Parameters& parameters;

  // The profile that `p` says. One that is still read is an error that says so.
  Result<std::shared_ptr<const ShownProfile>> profile(std::string_view name = "p") const;
};

struct Route {
  std::string_view path;
  Result<HttpReply> (*answer)(const Request& request);
  bool is_kept = false;  // The reply stays the same, and takes long to make.
};
std::span<const Route> all_routes();

// The reply to a request below /api/ that was let in.
HttpReply answer_request(const Served& served, const HttpRequest& request);

Result<HttpReply> ask_session(const Request& request);
Result<HttpReply> ask_profile(const Request& request);
Result<HttpReply> ask_lanes(const Request& request);
Result<HttpReply> ask_slices(const Request& request);
Result<HttpReply> ask_names(const Request& request);
Result<HttpReply> ask_slice(const Request& request);
Result<HttpReply> ask_at(const Request& request);
Result<HttpReply> ask_flows(const Request& request);
Result<HttpReply> ask_search(const Request& request);
Result<HttpReply> ask_hit(const Request& request);
Result<HttpReply> ask_hits(const Request& request);
Result<HttpReply> ask_range(const Request& request);
Result<HttpReply> ask_events(const Request& request);
Result<HttpReply> ask_answer(const Request& request);
Result<HttpReply> ask_compare(const Request& request);
Result<HttpReply> ask_sql(const Request& request);
Result<HttpReply> ask_tables(const Request& request);
Result<HttpReply> ask_csv(const Request& request);
Result<HttpReply> ask_overview(const Request& request);
Result<HttpReply> ask_modules(const Request& request);
Result<HttpReply> ask_stacks(const Request& request);
Result<HttpReply> ask_memory(const Request& request);
Result<HttpReply> ask_memory_alive(const Request& request);
Result<HttpReply> ask_memory_blocks(const Request& request);
Result<HttpReply> ask_histogram(const Request& request);
Result<HttpReply> ask_roofline(const Request& request);
Result<HttpReply> ask_cluster_steps(const Request& request);
Result<HttpReply> ask_cluster_ranks(const Request& request);
Result<HttpReply> ask_cluster_links(const Request& request);
Result<HttpReply> ask_cluster_collectives(const Request& request);
Result<HttpReply> ask_cluster_pipeline(const Request& request);

}  // namespace npuprof::serve
