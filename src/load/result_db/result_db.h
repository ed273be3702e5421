#pragma once

#include <filesystem>

#include "base/result.h"
#include "trace/losses.h"
#include "trace/parts.h"
#include "trace/trace.h"

namespace npuprof::load {

// Loads a result database (`ascend_pytorch_profiler*.db`, `ascend_mindspore_profiler*.db`,
// `msprof_*.db`, of any schema version) into an empty trace: tables of linked.h with the joins the
// database carries, and those of the host, the device and the framework as far as it repeats them.
// Link adds the rest. The file is only read, and nothing is created beside it.
//
// What is damaged, missing or of the wrong type is added to `losses`; an error means that there is
// nothing to load: no database, or none of a profile. Tables of parts that are not wanted are not
// looked at.
Status load_result_db(const std::filesystem::path& path, trace::Trace& trace, trace::Losses& losses,
                      trace::Parts wanted = trace::Parts::all());

}  // namespace npuprof::load
