#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "shared_data.h"
#include "temporary_directory.h"

namespace npuprof::testing {

// Raw profiles that an independent writer made (tools/gen_raw.py of the reference data) and the
// vendor's parsers accept. Ask is_available() first and skip the test if it is not.
class GeneratedRaw {
 public:
  static std::filesystem::path tool() { return shared_data_path("tools/gen_raw.py"); }
  static bool is_available() { return std::filesystem::exists(tool()); }

  explicit GeneratedRaw(const std::string& options) {
    const std::string command = "python3 '" + tool().native() + "' '" + directory_.path().native() +
                                "' " + options + " > /dev/null";
    if (std::system(command.c_str()) != 0) throw std::runtime_error(command + " failed");
    manifest_ = nlohmann::json::parse(read_file(directory_ / "manifest.json").value());
  }

  std::filesystem::path path() const { return directory_.path(); }
  std::size_t rank_count() const { return manifest_["ranks"].size(); }
  const nlohmann::json& rank(std::size_t number) const { return manifest_["ranks"][number]; }

 private:
  TemporaryDirectory directory_;
  nlohmann::json manifest_;
};

}  // namespace npuprof::testing
