#pragma once

// Who may ask: this machine's user, from the page of this server, and nobody else. Other sites that
// the browser has open, other users of the machine, and names that resolve to it are refused.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http_message.h"

namespace npuprof::serve {

// 128 bits of the system's randomness, as 32 hexadecimal digits.
std::string make_token();

// Takes as long whether or not the first characters are equal.
bool is_same_secret(std::string_view a, std::string_view b);

// Headers of every reply, whoever it is to: browsers shall not guess types, keep, frame, embed or
// tell others of what they get, nor load anything from elsewhere.
HttpHeaders guard_headers();

// What the header Host may be. A name that somebody else has given this machine is none of them, so
// pages of other sites cannot pass for ours by having their name lead here.
struct KnownHosts {
  int port = 0;
  std::vector<std::string> names;  // Without the port: "localhost", "[::1]".
  bool any_address = false;        // Numbers, which no name service can give away.

  bool contains(std::string_view host) const;
};

class Guard {
 public:
  Guard(std::string token, KnownHosts hosts);

  // What a request is refused with, or nothing.
  std::optional<HttpReply> refuse(const HttpRequest& request) const;

 private:
  bool is_known_host(const HttpRequest& request) const;
  bool is_of_our_page(const HttpRequest& request) const;
  bool has_token(const HttpRequest& request) const;

  std::string token_;
  KnownHosts hosts_;
};

}  // namespace npuprof::serve
