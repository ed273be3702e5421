#pragma once

#include "load/discover.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Whatever clocks say, one profile happens at one time: if the framework's part of it lies days
// from CANN's, it is moved there, which is a loss. Ranges of MindSpore without CANN have no clock;
// they are moved to what it wrote with the time of the day.
void move_framework_to_cann(const Profile& profile, trace::Trace& trace, trace::Losses& losses);

}  // namespace npuprof::load
