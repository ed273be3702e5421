#include "serve/http_server.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <httplib.h>

namespace npuprof::serve {
namespace {

// Each connection that is kept open holds a thread; browsers open six.
constexpr std::size_t kConnectionThreads = 24;
constexpr std::size_t kMostRequestsOfConnection = 1'000'000;
constexpr time_t kKeepAliveSeconds = 30;
constexpr time_t kReadSeconds = 10;

HttpRequest from_library(const httplib::Request& request) {
  HttpRequest ours{.method = request.method, .path = request.path};
  ours.parameters.insert(request.params.begin(), request.params.end());
  for (const auto& [name, value] : request.headers) ours.headers.emplace_back(name, value);
  return ours;
}

void to_library(HttpReply ours, httplib::Response& reply) {
  reply.status = ours.status;
  for (const auto& [name, value] : ours.headers) reply.set_header(name.c_str(), value);
  reply.body = std::move(ours.body);
  reply.set_header("Content-Type", ours.type);
}

HttpReply answer_or_say_why(const HttpHandler& handler, const HttpRequest& request) {
  try {
    return handler(request);
  } catch (const std::bad_alloc&) {
    return {.status = 503, .body = "there is not enough memory"};
  } catch (const std::exception&) {
    return {.status = 500, .body = "the request could not be answered"};
  }
}

class LibraryServer : public HttpServer {
 public:
  LibraryServer(HttpHeaders headers, HttpHandler handler)
      : headers_(std::move(headers)), handler_(std::move(handler)) {}

  bool listen_at(const std::string& address, int port) {
    auto server = std::make_unique<httplib::Server>();
    prepare(*server);
    const int bound = port == 0 ? server->bind_to_any_port(address.c_str())
                                : (server->bind_to_port(address.c_str(), port) ? port : -1);
    if (bound <= 0) return false;
    if (servers_.empty()) port_ = bound;
    servers_.push_back(std::move(server));
    return true;
  }

  int port() const override { return port_; }

  void run() override {
    {
      const std::lock_guard lock(mutex_);
      if (is_stopping_) return;
      is_running_ = true;
    }
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < servers_.size(); ++i) {
      others.emplace_back([this, i] { servers_[i]->listen_after_bind(); });
    }
    servers_.front()->listen_after_bind();
    for (std::thread& other : others) other.join();
    is_running_ = false;
  }

  // The library forgets a call of stop() that comes before it waits for connections.
  void stop() override {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    while (is_running_) {
      for (const auto& server : servers_) server->stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  void prepare(httplib::Server& server) {
    server.set_tcp_nodelay(true);
    // The library would share the port with whoever else asks for it.
    server.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server.set_keep_alive_max_count(kMostRequestsOfConnection);
    server.set_keep_alive_timeout(kKeepAliveSeconds);
    server.set_read_timeout(kReadSeconds);
    server.set_payload_max_length(0);
    server.set_default_headers(httplib::Headers(headers_.begin(), headers_.end()));
    server.new_task_queue = [] { return new httplib::ThreadPool(kConnectionThreads); };
    server.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& reply) {
          to_library(answer_or_say_why(handler_, from_library(request)), reply);
          return httplib::Server::HandlerResponse::Handled;
        });
  }

  HttpHeaders headers_;
  HttpHandler handler_;
  std::vector<std::unique_ptr<httplib::Server>> servers_;
  int port_ = 0;
  std::mutex mutex_;
  bool is_stopping_ = false;
  std::atomic<bool> is_running_{false};
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const std::string& address, int port,
                                                       HttpHeaders headers, HttpHandler handler) {
  auto server = std::make_unique<LibraryServer>(std::move(headers), std::move(handler));
  if (!server->listen_at(address, port)) {
    return Error{ErrorCode::kIo, "port " + std::to_string(port) + " of " + address +
                                     " cannot be listened at: choose another --port, or none"};
  }
  if (address == "127.0.0.1") server->listen_at("::1", server->port());
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace npuprof::serve
