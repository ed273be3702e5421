#pragma once

struct sqlite3;

namespace npuprof::query {

// From here on statements of the connection may read, and nothing else: no changes, no other
// databases, no settings, no extensions; what they take of the machine has bounds.
void allow_reading_only(sqlite3* database);

}  // namespace npuprof::query
