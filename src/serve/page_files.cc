#include "serve/page_files.h"

#include <array>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "serve/error_reply.h"
#include "serve/page_data.h"

namespace npuprof::serve {
namespace {

namespace fs = std::filesystem;

std::string missing_page() {
  return "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>npuprof</title>\n"
         "<h1>This npuprof was built without its page</h1>\n<p>When it was built, " +
         std::string(missing_page_reason()) +
         ". Install node (18 or later) and npm, and build again: <code>scripts/build.sh</code>. "
         "All that the page shows can also be asked on the command line: <code>npuprof analyze "
         "--help</code>.</p></html>\n";
}

std::string_view content_type(const std::string& path) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kTypes = {{
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
  }};
  for (const auto& [ending, type] : kTypes) {
    if (path.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

}  // namespace

PageFiles PageFiles::built_in() {
  PageFiles page;
  for (const PageData& file : page_data()) {
    page.files_[std::string(file.path)] = std::string(file.bytes);
  }
  if (page.files_.empty()) page.files_["/index.html"] = missing_page();
  return page;
}

Result<PageFiles> PageFiles::of_folder(const fs::path& folder) {
  PageFiles page;
  std::error_code failure;
  for (fs::recursive_directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (!at->is_regular_file()) continue;
    NPUPROF_ASSIGN_OR_RETURN(std::string text, read_file(at->path()));
    page.files_["/" + fs::relative(at->path(), folder).generic_string()] = std::move(text);
  }
  if (failure) return Error::from_errno("cannot read", folder.native(), failure.value());
  return page;
}

const std::string* PageFiles::find(const std::string& path) const {
  const auto file = files_.find(path == "/" ? "/index.html" : path);
  return file == files_.end() ? nullptr : &file->second;
}

HttpReply PageFiles::reply(const std::string& path) const {
  const std::string* file = find(path);
  if (file == nullptr) return error_reply(404, "not_found", "there is no such page");
  return {.type = std::string(content_type(path == "/" ? "/index.html" : path)), .body = *file};
}

}  // namespace npuprof::serve
