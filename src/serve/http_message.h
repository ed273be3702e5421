#pragma once

// A request and its reply, apart from whoever carries them.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace npuprof::serve {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // Without the query, decoded.
  std::multimap<std::string, std::string> parameters;
  HttpHeaders headers;

  // The values of all headers of a name, whose case does not matter.
  std::vector<std::string_view> header(std::string_view name) const;
};

struct HttpReply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  HttpHeaders headers;
};

using HttpHandler = std::function<HttpReply(const HttpRequest&)>;

}  // namespace npuprof::serve
