#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace npuprof::cli {

// Opens an address in the user's browser, if there is a screen. Others on this machine can see the
// arguments of programs, and the address holds a secret: so the browser is given a file that only
// the user can read, and that leads to the address. The file goes with the object.
class OpenedBrowser {
 public:
  explicit OpenedBrowser(const std::string& address);
  OpenedBrowser(const OpenedBrowser&) = delete;
  OpenedBrowser& operator=(const OpenedBrowser&) = delete;
  ~OpenedBrowser();

  // False if there is no screen, no place for the file, or no program that opens it.
  bool is_open() const { return is_open_; }

 private:
  std::filesystem::path folder_;
  bool is_open_ = false;
};

}  // namespace npuprof::cli
