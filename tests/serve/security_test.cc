#include "serve/security.h"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace npuprof::serve {
namespace {

constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

HttpRequest request_with(HttpHeaders headers, const std::string& path = "/api/session") {
  headers.emplace_back("X-Npuprof-Token", kToken);
  return {.method = "GET", .path = path, .headers = std::move(headers)};
}

class GuardTest : public ::testing::Test {
 protected:
  // 0 = it is let in.
  int status_of(const HttpRequest& request) const {
    const auto refusal = guard_.refuse(request);
    return refusal ? refusal->status : 0;
  }
  Guard guard_{kToken, {.port = 8000, .names = {"127.0.0.1", "[::1]", "localhost"}}};
};

TEST_F(GuardTest, LetsInWhoCallsThisMachineByItsOwnNamesAndPort) {
  for (const char* host : {"127.0.0.1:8000", "[::1]:8000", "localhost:8000"}) {
    EXPECT_EQ(status_of(request_with({{"Host", host}})), 0) << host;
  }
}

TEST_F(GuardTest, RefusesNamesThatOthersCanLetLeadHere) {
  for (const char* host : {"evil.example:8000", "127.0.0.1", "127.0.0.1:80", "localhost",
                           "localhost.evil.example:8000", "10.0.0.1:8000", "", ":8000"}) {
    EXPECT_EQ(status_of(request_with({{"Host", host}})), 421) << host;
  }
  EXPECT_EQ(status_of(request_with({})), 421);
  EXPECT_EQ(status_of(request_with({{"Host", "localhost:8000"}, {"Host", "evil.example"}})), 421);
}

TEST_F(GuardTest, RefusesAForeignHostForFilesOfThePageToo) {
  EXPECT_EQ(status_of(request_with({{"Host", "evil.example:8000"}}, "/")), 421);
}

TEST_F(GuardTest, RefusesPagesOfOtherSites) {
  const auto from = [](const char* origin) {
    return request_with({{"Host", "localhost:8000"}, {"Origin", origin}});
  };
  EXPECT_EQ(status_of(from("http://localhost:8000")), 0);
  for (const char* origin : {"http://evil.example", "null", "http://localhost:8001",
                             "https://localhost:8000", "http://localhost:8000.evil.example"}) {
    EXPECT_EQ(status_of(from(origin)), 403) << origin;
  }
  const auto fetched = [](const char* site) {
    return request_with({{"Host", "localhost:8000"}, {"Sec-Fetch-Site", site}});
  };
  EXPECT_EQ(status_of(fetched("same-origin")), 0);
  EXPECT_EQ(status_of(fetched("none")), 0);
  EXPECT_EQ(status_of(fetched("cross-site")), 403);
  EXPECT_EQ(status_of(fetched("same-site")), 403);
}

TEST_F(GuardTest, AsksForTheTokenWhereThereIsAProfileToRead) {
  HttpRequest request{
      .method = "GET", .path = "/api/slices", .headers = {{"Host", "localhost:8000"}}};
  EXPECT_EQ(status_of(request), 401);
  request.headers.emplace_back("x-npuprof-token", std::string(kToken).substr(1) + "0");
  EXPECT_EQ(status_of(request), 401);
  request.headers.back().second = kToken;
  EXPECT_EQ(status_of(request), 0);
  request.headers.pop_back();
  request.parameters.emplace("t", kToken);  // Addresses end up in histories.
  EXPECT_EQ(status_of(request), 401);
  request.path = "/assets/app.js";
  EXPECT_EQ(status_of(request), 0);
}

TEST_F(GuardTest, AllowsReadingOnly) {
  HttpRequest request = request_with({{"Host", "localhost:8000"}});
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    request.method = method;
    EXPECT_EQ(status_of(request), 405) << method;
  }
  request.method = "HEAD";
  EXPECT_EQ(status_of(request), 0);
}

TEST(GuardOfOtherHosts, KnowsMachinesByNumberAndByTheNamesItWasGiven) {
  const Guard guard(kToken, {.port = 8000, .names = {"node7"}, .any_address = true});
  const auto is_let_in = [&](const char* host) {
    return !guard.refuse(request_with({{"Host", host}}));
  };
  EXPECT_TRUE(is_let_in("node7:8000"));
  EXPECT_TRUE(is_let_in("10.1.2.3:8000"));
  EXPECT_TRUE(is_let_in("[fe80::1]:8000"));
  EXPECT_FALSE(is_let_in("evil.example:8000"));
  EXPECT_FALSE(is_let_in("10.1.2.3.evil.example:8000"));
}

TEST(Token, HasA128BitNumberThatIsAnotherOneEachTime) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) {
    const std::string token = make_token();
    EXPECT_EQ(token.size(), 32U);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    tokens.insert(token);
  }
  EXPECT_EQ(tokens.size(), 100U);
}

TEST(Token, IsComparedAsAWhole) {
  EXPECT_TRUE(is_same_secret("abc", "abc"));
  EXPECT_FALSE(is_same_secret("abc", "abd"));
  EXPECT_FALSE(is_same_secret("abc", "abcd"));
  EXPECT_FALSE(is_same_secret("abc", ""));
}

TEST(GuardHeaders, NeverAllowOtherOrigins) {
  for (const auto& [name, value] : guard_headers()) {
    EXPECT_FALSE(name.starts_with("Access-Control")) << name;
  }
}

TEST(GuardHeaders, KeepThePageToItself) {
  const HttpHeaders headers = guard_headers();
  const std::map<std::string, std::string> wanted = {
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"X-Frame-Options", "DENY"},
      {"Cache-Control", "no-store"},
      {"Content-Security-Policy",
       "default-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'"},
  };
  EXPECT_EQ((std::map<std::string, std::string>(headers.begin(), headers.end())), wanted);
}

}  // namespace
}  // namespace npuprof::serve
