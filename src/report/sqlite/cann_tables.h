#pragma once

// The tables that every profile database has, whoever collected it: tasks, kernels, collectives,
// host calls, samples, and the tables that explain their numbers.

#include <cstdint>
#include <span>
#include <vector>

#include "analyze/samples.h"
#include "report/sqlite/bulk_database.h"
#include "report/sqlite/database_strings.h"
#include "trace/trace.h"

namespace npuprof::report::sqlite {

// A number for each distinct device task, which joins the tables about it. A graph that is replayed
// runs the same task again and again: all its rows have one number.
struct GlobalTaskIds {
  std::vector<std::uint32_t> of_task;  // By row of Tasks.
  std::vector<std::uint8_t> is_first;  // Whether the row is the first of its task.
  std::uint32_t count = 0;             // Of distinct numbers.
};
GlobalTaskIds global_task_ids(const trace::Trace& trace);

// (pid << 32) | tid
std::int64_t global_tid(std::uint32_t pid, std::uint32_t tid);

// Connection ids are the row numbers of host calls from 1 on; 4294967295 = launched outside the
// profile.
std::int64_t connection_id(std::uint32_t api);

// Connection ids of marks lie above all others.
std::int64_t mark_connection_id(std::uint64_t mark_id);

void write_session_tables(const trace::Trace& trace, BulkDatabase& database);
void write_task_tables(const trace::Trace& trace, DatabaseStrings& strings, BulkDatabase& database);
void write_communication_tables(const trace::Trace& trace, const GlobalTaskIds& ids,
                                DatabaseStrings& strings, BulkDatabase& database);
// What single units did: the collective communication unit, data processing units.
void write_unit_tables(const trace::Trace& trace, const GlobalTaskIds& ids,
                       DatabaseStrings& strings, BulkDatabase& database);
void write_mark_table(const trace::Trace& trace, DatabaseStrings& strings, BulkDatabase& database);
void write_sample_tables(const trace::Trace& trace, std::span<const analyze::Samples> samples,
                         DatabaseStrings& strings, BulkDatabase& database);
// `of_framework`: with the kinds of rows that the framework adds.
void write_enum_tables(const trace::Session& session, BulkDatabase& database, bool of_framework);

}  // namespace npuprof::report::sqlite
