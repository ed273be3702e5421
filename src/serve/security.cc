#include "serve/security.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include "serve/error_reply.h"

namespace npuprof::serve {
namespace {

constexpr std::string_view kContentPolicy =
    "default-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'";

// "10.0.0.1", "[fe80::1]".
bool is_address(std::string_view host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  if (host.starts_with('[') && host.ends_with(']')) {
    const std::string inner(host.substr(1, host.size() - 2));
    return ::inet_pton(AF_INET6, inner.c_str(), bytes.data()) == 1;
  }
  return ::inet_pton(AF_INET, std::string(host).c_str(), bytes.data()) == 1;
}

}  // namespace

std::string make_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", static_cast<std::uint32_t>(random()));
  return token;
}

bool is_same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

bool KnownHosts::contains(std::string_view host) const {
  const std::string ending = ":" + std::to_string(port);
  if (!host.ends_with(ending)) return false;
  host.remove_suffix(ending.size());
  if (any_address && is_address(host)) return true;
  return std::find(names.begin(), names.end(), host) != names.end();
}

Guard::Guard(std::string token, KnownHosts hosts)
    : token_(std::move(token)), hosts_(std::move(hosts)) {}

bool Guard::is_known_host(const HttpRequest& request) const {
  const auto given = request.header("Host");
  return given.size() == 1 && hosts_.contains(given.front());
}

bool Guard::is_of_our_page(const HttpRequest& request) const {
  static constexpr std::string_view kScheme = "http://";
  for (const std::string_view origin : request.header("Origin")) {
    if (!origin.starts_with(kScheme) || !hosts_.contains(origin.substr(kScheme.size()))) {
      return false;
    }
  }
  // "none" is a user who typed the address.
  const auto sites = request.header("Sec-Fetch-Site");
  return std::all_of(sites.begin(), sites.end(),
                     [](std::string_view site) { return site == "same-origin" || site == "none"; });
}

bool Guard::has_token(const HttpRequest& request) const {
  const auto given = request.header("X-Npuprof-Token");
  return given.size() == 1 && is_same_secret(given.front(), token_);
}

std::optional<HttpReply> Guard::refuse(const HttpRequest& request) const {
  if (!is_known_host(request)) {
    return error_reply(421, "host", "the page is at the address that npuprof printed");
  }
  if (!is_of_our_page(request)) {
    return error_reply(403, "origin", "other sites may not ask for profiles");
  }
  if (request.method != "GET" && request.method != "HEAD") {
    HttpReply reply = error_reply(405, "method", "profiles can be read only: use GET");
    reply.headers.emplace_back("Allow", "GET, HEAD");
    return reply;
  }
  if (request.path.starts_with("/api/") && !has_token(request)) {
    return error_reply(401, "token", "open the address that npuprof printed: it holds the token");
  }
  return std::nullopt;
}

HttpHeaders guard_headers() {
  return {
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"X-Frame-Options", "DENY"},
      {"Cache-Control", "no-store"},
      {"Content-Security-Policy", std::string(kContentPolicy)},
  };
}

}  // namespace npuprof::serve
