#pragma once

#include <filesystem>

#include "trace/trace.h"

namespace npuprof::load {

// Results do not say how many cores a device has. Where the raw directory is still beside them
// (PROF_*/device_<N>/info.json.<N>), that and the frequency are taken from there.
void add_device_facts(const std::filesystem::path& results, trace::Trace& trace);

}  // namespace npuprof::load
