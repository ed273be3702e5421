#include "analyze/idle_names.h"

#include <algorithm>
#include <string_view>

#include "format/framework/op_range.h"

namespace npuprof::analyze {
namespace {

// `wanted` is in lower case.
bool contains_any_case(std::string_view text, std::string_view wanted) {
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(),
                     [&](char a, char b) { return lower(a) == b; }) != text.end();
}

bool is_wait_call(std::string_view name) {
  if (contains_any_case(name, "synchronize")) return true;
  // Copies that return when they are done, and waits of the node level.
  return name == "MemCopySync" || name == "aclrtMemcpy" || name == "aclrtMemcpy2d" ||
         name.starts_with("StreamSync") || name == "Memcpy" || name == "rtMemcpy";
}

// A frame is data loading when it fetches; the name of a file alone says little.
bool is_loader_frame(std::string_view name) {
  if (name.find("torch/utils/data/") != std::string_view::npos) return true;
  return contains_any_case(name, "dataloader") &&
         (name.ends_with("__next__") || name.ends_with("__iter__"));
}

}  // namespace

std::uint8_t IdleNames::kinds(StringId name) {
  const std::size_t index = to_index(name);
  if (kinds_.size() <= index) kinds_.resize(strings_.size(), 0);
  std::uint8_t& kinds = kinds_[index];
  if (kinds != 0) return kinds;
  const std::string_view text = strings_.view(name);
  kinds = kChecked;
  if (format::framework::profiler_step_id(text)) kinds |= kStep;
  if (is_wait_call(text)) kinds |= kWaits;
  if (contains_any_case(text, "dataloader")) kinds |= kLoads;
  if (is_loader_frame(text)) kinds |= kLoadsFrame;
  if (contains_any_case(text, "checkpoint")) kinds |= kSaves;
  if (text.starts_with("<built-in ")) kinds |= kBuiltIn;
  return kinds;
}

}  // namespace npuprof::analyze
