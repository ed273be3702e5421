#pragma once

// The files of the page: those in the program, or a folder's.

#include <filesystem>
#include <map>
#include <string>

#include "base/result.h"
#include "serve/http_message.h"

namespace npuprof::serve {

class PageFiles {
 public:
  // Those that were built into the program; a page that says what is missing if there are none.
  static PageFiles built_in();
  // All files at and below a folder, read now.
  static Result<PageFiles> of_folder(const std::filesystem::path& folder);

  // `path` is that of the request; "/" is index.html.
  HttpReply reply(const std::string& path) const;
  const std::string* find(const std::string& path) const;

 private:
  std::map<std::string, std::string> files_;  // By path, "/assets/app.js".
};

}  // namespace npuprof::serve
