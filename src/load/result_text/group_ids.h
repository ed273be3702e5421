#pragma once

#include <filesystem>
#include <span>

#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Older timelines number the groups of ranks (`Group 0 Communication`) where later ones give their
// ids. A number is no id if it does not end with the three digits that names of collectives have of
// it (`hcom_allReduce__586_0_1`). Such groups get the id that communication.json or
// communication_matrix.json, of which `files` are the paths, have for their collectives; else
// those digits, which are the same on all ranks. The session's metadata tell the name of a group.
void replace_group_numbers(std::span<const std::filesystem::path> files, trace::Trace& trace,
                           trace::Losses& losses);

}  // namespace npuprof::load
