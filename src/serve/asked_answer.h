#pragma once

// Answers that a request asks for: of a mode, of a comparison, of a statement.

#include <cstdint>

#include "answers/answer.h"
#include "base/result.h"
#include "serve/requests.h"

namespace npuprof::serve {

struct AskedAnswer {
  std::string mode;  // Or "compare", "sql", "blocks".
  answers::Answer answer;
  std::int64_t zero_ns = 0;  // Moments are shown from there.
  std::size_t pending = 0;   // Profiles that are still read, if several were asked about.
  std::size_t failed = 0;
  std::optional<std::size_t> all_rows;  // Where not all of them were kept.
};

using SharedAnswer = std::shared_ptr<const AskedAnswer>;

// Rows are chosen as the parameters `name`, `sort` say.
Result<SharedAnswer> asked_answer(const Request& request);  // `mode`, `p` or `p=all`, `step`
// `p`, `step`, `t0`, `t1` with `q`, `other_step`, `other_t0`, `other_t1`.
Result<SharedAnswer> asked_comparison(const Request& request);
Result<SharedAnswer> asked_statement(const Request& request);  // `p`, `sql`
Result<SharedAnswer> asked_blocks(const Request& request);     // `p`, `step`, `t0`, `t1`

// Whichever of them `of` says: answer (also without it), compare, sql or blocks.
Result<SharedAnswer> asked_of(const Request& request);

}  // namespace npuprof::serve
