#pragma once

#include <cstdlib>
#include <filesystem>

namespace npuprof::testing {

// Reference data that is not part of the source tree: $NPUPROF_SHARED, else `../shared` beside it.
// Tests that need something of it skip when it is absent.
inline std::filesystem::path shared_data_path(const std::filesystem::path& below) {
  const char* configured = std::getenv("NPUPROF_SHARED");
  const std::filesystem::path root =
      configured != nullptr ? std::filesystem::path(configured)
                            : std::filesystem::path(NPUPROF_SOURCE_DIR) / ".." / "shared";
  return root / below;
}

}  // namespace npuprof::testing
