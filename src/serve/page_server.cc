#include "serve/page_server.h"

namespace npuprof::serve {

HttpReply PageServer::answer(const HttpRequest& request) const {
  if (auto refusal = guard_.refuse(request)) return std::move(*refusal);
  return answer_allowed(request);
}

HttpReply PageServer::answer_allowed(const HttpRequest& request) const {
  if (!request.path.starts_with("/api/")) return files_.reply(request.path);
  return answer_request({session_, store_}, request);
}

}  // namespace npuprof::serve
