#pragma once

#include <string>

namespace npuprof::format::framework {

// A JSON key without a member of its own (newer, older or the user's), kept so that nothing is lost
// between reading and writing.
struct ExtraKey {
  std::string name;
  std::string json;  // The value as JSON text.

  bool operator==(const ExtraKey&) const = default;
};

}  // namespace npuprof::format::framework
