#pragma once

// The page and what it asks for, behind the guard: the whole of a request, but for sockets.

#include "serve/http_message.h"
#include "serve/page_files.h"
#include "serve/profile_store.h"
#include "serve/requests.h"
#include "serve/security.h"

namespace npuprof::serve {

class PageServer {
 public:
  // The store must live as long.
  PageServer(Guard guard, PageFiles files, SessionFacts session, ProfileStore& store)
      : guard_(std::move(guard)),
        files_(std::move(files)),
        session_(std::move(session)),
        store_(store) {}

  // For several threads at once.
  HttpReply answer(const HttpRequest& request) const;

 private:
  HttpReply answer_allowed(const HttpRequest& request) const;

  Guard guard_;
  PageFiles files_;
  SessionFacts session_;
  ProfileStore& store_;
};

}  // namespace npuprof::serve
