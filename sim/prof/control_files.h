#pragma once

// What the control files of a collection say, from its options.

#include <cstdint>
#include <string>

#include "format/host/control.h"
#include "sim/prof/prof_directory.h"

namespace npuprof::sim {

format::host::InfoJson host_info_json(const ProfOptions& options);
format::host::InfoJson device_info_json(const ProfOptions& options, std::uint32_t device,
                                        const ClockAnchors& clock);

// `devices` is "64" for the host and the device id otherwise.
format::host::SampleJson sample_json(const ProfOptions& options, std::string devices);

}  // namespace npuprof::sim
