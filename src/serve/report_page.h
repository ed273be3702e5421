#pragma once

// The page as one file that opens from disk: with the answers in it that it would ask the server
// for, and the slices of some steps. Nothing in it tells where the profile lay, and nothing of the
// profile can end the script it stands in.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "serve/page_files.h"
#include "serve/requests.h"

namespace npuprof::serve {

struct ReportChoice {
  // The first and the last step of which slices are in it; nothing = all.
  std::optional<std::pair<std::int64_t, std::int64_t>> steps;
};

struct ReportPage {
  std::string html;
  // Whether there were too many slices: buckets stand for them then.
  bool is_summed = false;
};

// Reads all profiles. Fails if the program has no page, or no profile can be read.
Result<ReportPage> report_page(const PageFiles& files, const Served& served,
                               const ReportChoice& choice);

// Text that may stand in a script of HTML, as JSON or as a program; equal in meaning.
std::string in_script_json(std::string json);
std::string in_script_program(std::string program);

}  // namespace npuprof::serve
