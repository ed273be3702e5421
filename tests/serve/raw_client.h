#pragma once

// HTTP by hand: what is sent is what a test says, right or wrong.

#include <cstdint>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace npuprof::testing {

// Whether a reply has all bytes of its body.
inline bool is_whole(const std::string& reply) {
  const std::size_t end = reply.find("\r\n\r\n");
  const std::size_t length = reply.find("Content-Length: ");
  return end != std::string::npos && length != std::string::npos &&
         reply.size() >= end + 4 + std::stoul(reply.substr(length + 16));
}

// Sends bytes to a port of 127.0.0.1 and gives the first reply.
inline std::string exchange(int port, const std::string& bytes) {
  const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string reply;
  if (::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(bytes.size())) {
    char buffer[65536];
    for (ssize_t size; !is_whole(reply) && (size = ::recv(client, buffer, sizeof buffer, 0)) > 0;) {
      reply.append(buffer, static_cast<std::size_t>(size));
    }
  }
  ::close(client);
  return reply;
}

// One request, after which the connection is closed.
inline std::string request_text(int port, const std::string& method, const std::string& target,
                                const std::string& headers = "") {
  return method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
         "\r\nConnection: close\r\n" + headers + "\r\n";
}

}  // namespace npuprof::testing
