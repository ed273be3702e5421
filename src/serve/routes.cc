#include <array>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "serve/error_reply.h"
#include "serve/requests.h"

namespace npuprof::serve {

std::span<const Route> all_routes() {
  static constexpr std::array kRoutes = {
      Route{"/api/session", ask_session},
      Route{"/api/profile", ask_profile},
      Route{"/api/lanes", ask_lanes},
      Route{"/api/slices", ask_slices},
      Route{"/api/names", ask_names},
      Route{"/api/slice", ask_slice},
      Route{"/api/at", ask_at},
      Route{"/api/flows", ask_flows},
      Route{"/api/search", ask_search},
      Route{"/api/hit", ask_hit},
      Route{"/api/hits", ask_hits},
      Route{"/api/range", ask_range},
      Route{"/api/events", ask_events},
      Route{"/api/answer", ask_answer},
      Route{"/api/compare", ask_compare},
      Route{"/api/sql", ask_sql},
      Route{"/api/tables", ask_tables},
      Route{"/api/csv", ask_csv},
      Route{"/api/overview", ask_overview, true},
      Route{"/api/modules", ask_modules, true},
      Route{"/api/stacks", ask_stacks, true},
      Route{"/api/memory", ask_memory},
      Route{"/api/memory/alive", ask_memory_alive},
      Route{"/api/memory/blocks", ask_memory_blocks},
      Route{"/api/histogram", ask_histogram},
      Route{"/api/roofline", ask_roofline, true},
      Route{"/api/cluster/steps", ask_cluster_steps},
      Route{"/api/cluster/ranks", ask_cluster_ranks},
      Route{"/api/cluster/links", ask_cluster_links},
      Route{"/api/cluster/collectives", ask_cluster_collectives},
      Route{"/api/cluster/pipeline", ask_cluster_pipeline},
  };
  return kRoutes;
}

namespace {

Result<HttpReply> reply_of(const Route& route, const Request& request) {
  if (!route.is_kept) return route.answer(request);
  using Replies = KeptValues<HttpReply>;
  std::string key(route.path);
  for (const auto& [name, value] : request.parameters.all()) key += '\n' + name + '=' + value;
  NPUPROF_ASSIGN_OR_RETURN(
      const auto reply,
      request.served.store.kept().replies.get(key, [&]() -> Result<Replies::Made> {
        NPUPROF_ASSIGN_OR_RETURN(HttpReply made, route.answer(request));
        const std::size_t bytes = made.body.size();
        return Replies::Made{.value = std::make_shared<const HttpReply>(std::move(made)),
                             .bytes = bytes};
      }));
  return *reply;
}

}  // namespace

HttpReply answer_request(const Served& served, const HttpRequest& request) {
  for (const Route& route : all_routes()) {
    if (route.path != request.path) continue;
    const Parameters parameters(request);
    auto reply = reply_of(route, {served, parameters});
    return reply.ok() ? std::move(*reply) : error_reply(reply.error());
  }
  return error_reply(404, "not_found", "there is nothing of this name to ask for");
}

Result<std::shared_ptr<const ShownProfile>> Request::profile(std::string_view name) const {
  NPUPROF_ASSIGN_OR_RETURN(
      const std::int64_t number,
      parameters.number_or(name, {0, std::numeric_limits<std::int32_t>::max()}, 0));
  NPUPROF_ASSIGN_OR_RETURN(auto profile, served.store.get(static_cast<std::size_t>(number)));
  if (profile == nullptr) {
    return Error{ErrorCode::kCancelled, "the profile is still read: ask again in a moment"};
  }
  return profile;
}

}  // namespace npuprof::serve
