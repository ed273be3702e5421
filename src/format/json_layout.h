#pragma once

#include <string>
#include <string_view>

namespace npuprof::format {

// How a JSON file was laid out: the order of its keys, which of them were there, whether a number
// stood as text, and blanks. Different releases write the same content differently; a file that is
// read and written again keeps its own layout, so the bytes stay the same if the content does.
class JsonLayout {
 public:
  JsonLayout() = default;  // None: apply() returns its text unchanged.
  // Of a file. Text that is no JSON object has no layout.
  static JsonLayout of(std::string_view text);

  // The values of `json`, an object, in this layout. Keys that the layout does not have are
  // left out where `defaults` (the object for empty content) has the same value, and come last
  // otherwise. The first element of an array in `defaults` stands for all elements.
  std::string apply(std::string json, std::string_view defaults) const;

  // The same content is the same however it is laid out.
  bool operator==(const JsonLayout&) const { return true; }

 private:
  std::string model_;  // A text with this layout; empty for none.
};

}  // namespace npuprof::format
