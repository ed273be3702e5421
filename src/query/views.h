#pragma once

// Views: what most questions are about, with joins done. A view is one row of its kind, and has a
// singular name (`kernel`); tables of the model have plural ones (`kernels`).

#include <span>
#include <string_view>

namespace npuprof::query {

struct View {
  std::string_view name;
  std::string_view about;  // One sentence.
  std::string_view select;
};

std::span<const View> all_views();

}  // namespace npuprof::query
