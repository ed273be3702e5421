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

// Data of a kind that is not read at all. It is whole, so this is no loss, but the user is told.
struct Note {
  std::string file;
  std::uint64_t records = 0;
  std::string what;  // One sentence.
};

// Losses in the order in which they were found. Each loader fills its own; they are appended in a
// fixed order, so a report does not depend on the number of threads.
class Losses {
 public:
  void add(std::string file, std::uint64_t offset, std::uint64_t records, std::string what) {
    items_.push_back({std::move(file), offset, records, std::move(what)});
  }
  void note(std::string file, std::uint64_t records, std::string what) {
    notes_.push_back({std::move(file), records, std::move(what)});
  }
  // `file` is given to those that name none.
  void append(Losses other, const std::string& file = {}) {
    const auto move = [&](auto& from, auto& to) {
      for (auto& item : from) {
        if (item.file.empty()) item.file = file;
        to.push_back(std::move(item));
      }
    };
    move(other.items_, items_);
    move(other.notes_, notes_);
  }
  // Whether nothing was lost. There may be notes.
  bool empty() const { return items_.empty(); }
  const std::vector<Loss>& items() const { return items_; }
  const std::vector<Note>& notes() const { return notes_; }

 private:
  std::vector<Loss> items_;
  std::vector<Note> notes_;
};

}  // namespace npuprof::trace
