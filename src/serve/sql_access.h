#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "query/sql_session.h"

namespace npuprof::serve {

// SQL on what a request asks about; the session is opened when somebody asks first.
class SqlAccess {
 public:
  // Calls body(session), for one caller at a time.
  template <typename Body>
  auto with(const answers::Request& request, const Body& body) const
      -> decltype(body(std::declval<query::SqlSession&>())) {
    const std::lock_guard lock(mutex_);
    if (session_ == nullptr) {
      NPUPROF_ASSIGN_OR_RETURN(auto session, query::SqlSession::open(request));
      session_ = std::make_unique<query::SqlSession>(std::move(session));
    }
    return body(*session_);
  }

 private:
  mutable std::mutex mutex_;
  mutable std::unique_ptr<query::SqlSession> session_;
};

}  // namespace npuprof::serve
