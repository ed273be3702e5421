#pragma once

// The Model Context Protocol: language models ask about profiles. A message is a line of JSON
// (JSON-RPC 2.0).

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "query/profile_source.h"

namespace npuprof::query {

inline constexpr std::size_t kLongestMcpLine = std::size_t{4} << 20;  // Bytes.

class McpServer {
 public:
  // The source must live as long; `version` is the program's.
  McpServer(ProfileSource& source, std::string version);
  ~McpServer();

  // The line to answer with, without its end; nothing where no answer is due. Any bytes will do.
  std::optional<std::string> answer(std::string_view line);
  // The answer to a line that is longer than allowed.
  std::string refuse_long_line() const;

 private:
  class Protocol;
  std::unique_ptr<Protocol> protocol_;
};

}  // namespace npuprof::query
