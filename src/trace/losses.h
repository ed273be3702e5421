#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace npuprof::trace {

// A piece of input that could not be used. Loaders keep what is whole and add one of these for what
// is not.
struct Loss {
  std::string file;
  std::uint64_t offset = 0;   // Where the trouble begins.
  std::uint64_t records = 0;  // Records lost, as far as known.
  std::string what;           // One sentence for the user.
};

// Losses in the order in which they were found. Each loader fills its own; they are appended in a
// fixed order, so a report does not depend on the number of threads.
class Losses {
 public:
  void add(std::string file, std::uint64_t offset, std::uint64_t records, std::string what) {
    items_.push_back({std::move(file), offset, records, std::move(what)});
  }
  void append(Losses other) {
    for (Loss& loss : other.items_) items_.push_back(std::move(loss));
  }
  bool empty() const { return items_.empty(); }
  const std::vector<Loss>& items() const { return items_; }

 private:
  std::vector<Loss> items_;
};

}  // namespace npuprof::trace
