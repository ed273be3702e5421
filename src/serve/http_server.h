#pragma once

// HTTP on sockets of this machine. The only file that knows the library is http_server.cc, as it is
// slow to compile.

#include <memory>
#include <string>

#include "base/result.h"
#include "serve/http_message.h"

namespace npuprof::serve {

class HttpServer {
 public:
  // Listens at once; requests are answered from run() on. `address` is one of this machine, port 0
  // any free one. With "127.0.0.1" the same port of ::1 is listened at too, if there is one.
  // All replies have `headers`, also those to what is no request.
  static Result<std::unique_ptr<HttpServer>> listen(const std::string& address, int port,
                                                    HttpHeaders headers, HttpHandler handler);
  virtual ~HttpServer() = default;

  virtual int port() const = 0;
  // Answers until stop(), on several threads; the handler must allow that.
  virtual void run() = 0;
  // From any thread; requests that are being answered end first.
  virtual void stop() = 0;
};

}  // namespace npuprof::serve
