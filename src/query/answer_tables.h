#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "answers/mode.h"
#include "base/result.h"
#include "query/shown_table.h"

namespace npuprof::query {

// Modes whose tables a statement names: `answer_<mode>_<table>`, or `answer_<mode>` for the first
// one. A name in a text or a comment counts as well.
std::vector<const answers::Mode*> answers_named_in(std::string_view statement);

// The name of such a table; without one, of the first.
std::string answer_table_name(const answers::Mode& mode, std::string_view table = "");

// The tables of a mode's answer under these names; units are part of the names of columns. An error
// also says what data the mode needs.
Result<std::deque<ShownTable>> answer_tables(const answers::Mode& mode,
                                             const answers::Request& request);

// What a mode says when its data is missing, with what it needs and how that is collected.
std::string with_needs(const answers::Mode& mode, const Error& error);

}  // namespace npuprof::query
