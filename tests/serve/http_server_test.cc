#include "serve/http_server.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/raw_client.h"
#include "serve/security.h"

namespace npuprof::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HttpServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto listening =
        HttpServer::listen("127.0.0.1", 0, guard_headers(), [this](const HttpRequest& request) {
          ++requests_;
          return HttpReply{.body = request.method + " " + request.path};
        });
    ASSERT_TRUE(listening.ok()) << listening.error().message;
    server_ = std::move(*listening);
    running_ = std::thread([this] { server_->run(); });
  }
  void TearDown() override {
    if (server_ != nullptr) server_->stop();
    if (running_.joinable()) running_.join();
  }
  std::string ask(const std::string& method, const std::string& target) const {
    return testing::exchange(server_->port(),
                             testing::request_text(server_->port(), method, target));
  }

  std::unique_ptr<HttpServer> server_;
  std::thread running_;
  std::atomic<int> requests_{0};
};

TEST_F(HttpServerTest, ListensAtAnyFreePortAndAnswers) {
  EXPECT_GT(server_->port(), 0);
  EXPECT_THAT(ask("GET", "/here?x=1"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("GET", "/here?x=1"), HasSubstr("GET /here"));
}

TEST_F(HttpServerTest, ProtectsEveryReplyAlsoThoseToNonsense) {
  const std::string nonsense = "BREW / HTTP/1.1\r\nConnection: close\r\n\r\n";
  for (const std::string& reply : {ask("GET", "/"), ask("GET", "/" + std::string(9000, 'a')),
                                   testing::exchange(server_->port(), nonsense)}) {
    for (const auto& [name, value] : guard_headers()) EXPECT_THAT(reply, HasSubstr(name));
    EXPECT_THAT(reply, Not(HasSubstr("Access-Control")));
  }
}

TEST_F(HttpServerTest, RefusesAddressesOfMoreThan8Kilobytes) {
  EXPECT_THAT(ask("GET", "/" + std::string(9000, 'a')), StartsWith("HTTP/1.1 414"));
  EXPECT_EQ(requests_, 0);
}

TEST_F(HttpServerTest, TakesNothingInABodyForAnotherRequest) {
  const std::string inner = testing::request_text(server_->port(), "GET", "/inner");
  const std::string outer = testing::request_text(
      server_->port(), "POST", "/", "Content-Length: " + std::to_string(inner.size()) + "\r\n");
  const std::string reply = testing::exchange(server_->port(), outer + inner);
  EXPECT_THAT(reply, Not(HasSubstr("/inner")));
}

TEST_F(HttpServerTest, KeepsAPortForItselfAlone) {
  const auto second = HttpServer::listen("127.0.0.1", server_->port(), {},
                                         [](const HttpRequest&) { return HttpReply{}; });
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("--port"));
}

TEST_F(HttpServerTest, AnswersManyAtOnceInThreads) {
  std::vector<std::thread> clients;
  std::atomic<int> answered{0};
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      for (int k = 0; k < 10; ++k) {
        if (ask("GET", "/x").starts_with("HTTP/1.1 200")) ++answered;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(answered, 80);
}

TEST(HttpServerStop, IsHeardBeforeThereIsAnythingToStop) {
  auto server =
      HttpServer::listen("127.0.0.1", 0, {}, [](const HttpRequest&) { return HttpReply{}; });
  ASSERT_TRUE(server.ok());
  (*server)->stop();
  (*server)->run();
}

TEST(HttpServerErrors, BecomeRepliesAndNotTheEnd) {
  auto server = HttpServer::listen("127.0.0.1", 0, {}, [](const HttpRequest& request) -> HttpReply {
    if (request.path == "/memory") throw std::bad_alloc();
    throw std::runtime_error("a defect");
  });
  ASSERT_TRUE(server.ok());
  std::thread running([&] { (*server)->run(); });
  const int port = (*server)->port();
  EXPECT_THAT(testing::exchange(port, testing::request_text(port, "GET", "/memory")),
              StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(testing::exchange(port, testing::request_text(port, "GET", "/")),
              StartsWith("HTTP/1.1 500"));
  (*server)->stop();
  running.join();
}

}  // namespace
}  // namespace npuprof::serve
