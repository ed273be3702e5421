#pragma once

#include "trace/trace.h"

namespace npuprof::link {

// Fills DeviceMarks: when the device reached the marks and ranges that the program put on a stream.
//
// From CANN 9.1 on a record says whether it is a mark or one end of a range. Older releases do not:
// there the first record of a mark id is a start and the next its end, and a single one is a mark.
void link_device_marks(trace::Trace& trace);

}  // namespace npuprof::link
