#pragma once

// A profile that was read, with all that is made of it for the page: when it is read, or when it is
// first asked for.

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "analyze/memory_holders.h"
#include "query/profile_source.h"
#include "query/sql_session.h"
#include "serve/event_table.h"
#include "serve/lane_index.h"
#include "serve/lane_search.h"
#include "serve/memory_curves.h"

namespace npuprof::serve {

class ShownProfile {
 public:
  ShownProfile(std::size_t number_of_profile, query::OpenedProfile profile)
      : number(number_of_profile), opened(std::move(profile)), lanes(opened.request) {}

  const std::size_t number;
  const query::OpenedProfile opened;
  const LaneIndex lanes;
  mutable SearchCache searches;
  mutable EventTables events;

  const answers::Request& request() const { return opened.request; }
  const trace::Trace& trace() const { return opened.request.trace; }

  // Calls body(session), for one caller at a time.
  template <typename Body>
  auto with_sql(const Body& body) const -> decltype(body(std::declval<query::SqlSession&>())) {
    const std::lock_guard lock(sql_mutex_);
    if (sql_ == nullptr) {
      NPUPROF_ASSIGN_OR_RETURN(auto session, query::SqlSession::open(request()));
      sql_ = std::make_unique<query::SqlSession>(std::move(session));
    }
    return body(*sql_);
  }

  const std::vector<analyze::HeldBlock>& blocks() const {
    std::call_once(blocks_once_, [&] { blocks_ = analyze::held_blocks(trace()); });
    return blocks_;
  }
  const std::vector<MemoryCurve>& memory() const {
    std::call_once(memory_once_, [&] { memory_ = memory_curves(trace()); });
    return memory_;
  }

 private:
  mutable std::mutex sql_mutex_;
  mutable std::unique_ptr<query::SqlSession> sql_;
  mutable std::once_flag blocks_once_;
  mutable std::vector<analyze::HeldBlock> blocks_;
  mutable std::once_flag memory_once_;
  mutable std::vector<MemoryCurve> memory_;
};

}  // namespace npuprof::serve
