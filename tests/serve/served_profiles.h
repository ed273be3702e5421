#pragma once

// What the page gets for profiles of a path, without sockets.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analyze/shared_results.h"
#include "base/thread_pool.h"
#include "link/link.h"
#include "load/discover.h"
#include "load/load_profile.h"
#include "serve/page_server.h"

namespace npuprof::testing {

class PathSource : public query::ProfileSource {
 public:
  explicit PathSource(const std::filesystem::path& path) {
    auto found = load::discover(path);
    if (!found.ok()) return;
    found->prefer_raw_data();
    profiles_ = std::move(found->profiles);
    for (const load::Profile& profile : profiles_) {
      facts_.push_back({profile.rank, profile.path.native()});
    }
  }

  const std::vector<query::ProfileFacts>& profiles() const override { return facts_; }

  Result<query::OpenedProfile> open(std::size_t number, const query::ProfilePart& part) override {
    struct Owner {
      trace::Trace trace;
      analyze::SharedResults results{trace};
    };
    trace::Losses losses;
    auto owner = std::make_shared<Owner>();
    NPUPROF_ASSIGN_OR_RETURN(owner->trace,
                             load::load_profile(profiles_[number], shared_thread_pool(), losses));
    losses.append(link::link_all(owner->trace, &shared_thread_pool()));
    NPUPROF_RETURN_IF_ERROR(query::keep_part(owner->trace, part));
    query::OpenedProfile opened{.owner = owner,
                                .request = {.trace = owner->trace, .results = owner->results}};
    for (const trace::Loss& loss : losses.items()) opened.losses.push_back(loss.what);
    return opened;
  }

 private:
  std::vector<load::Profile> profiles_;
  std::vector<query::ProfileFacts> facts_;
};

class ServedProfiles {
 public:
  explicit ServedProfiles(std::unique_ptr<query::ProfileSource> source)
      : source_(std::move(source)), store_(*source_) {
    for (std::size_t i = 0; i < source_->profiles().size(); ++i) (void)store_.wait_for(i);
  }
  explicit ServedProfiles(const std::filesystem::path& path)
      : ServedProfiles(std::make_unique<PathSource>(path)) {}

  std::size_t count() const { return source_->profiles().size(); }
  serve::ProfileStore& store() { return store_; }

  using Parameters = std::multimap<std::string, std::string>;
  serve::HttpReply reply(const std::string& path, Parameters parameters = {}) const {
    return page_.answer({.method = "GET",
                         .path = path,
                         .parameters = std::move(parameters),
                         .headers = {{"Host", "localhost:1"}, {"X-Npuprof-Token", "token"}}});
  }
  nlohmann::json ask(const std::string& path, Parameters parameters = {}) const {
    const serve::HttpReply answer = reply(path, std::move(parameters));
    EXPECT_EQ(answer.status, 200) << path << ": " << answer.body;
    return nlohmann::json::parse(answer.body);
  }

 private:
  std::unique_ptr<query::ProfileSource> source_;
  serve::ProfileStore store_;
  serve::PageServer page_{serve::Guard("token", {.port = 1, .names = {"localhost"}}),
                          serve::PageFiles::built_in(),
                          {"0", "test"},
                          store_};
};

}  // namespace npuprof::testing
