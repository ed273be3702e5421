#pragma once

// The files of the page that are part of the program; what defines these functions is generated.

#include <string_view>
#include <vector>

namespace npuprof::serve {

struct PageData {
  std::string_view path;  // "/assets/app.js"
  std::string_view bytes;
};

// Empty if the program was built without them, and then why.
std::vector<PageData> page_data();
std::string_view missing_page_reason();

}  // namespace npuprof::serve
