#pragma once

#include "trace/trace.h"

namespace npuprof::link {

// Replays Python calls and returns into frames (python_calls). Needs python_events and
// python_names.
//
// A return closes the thread's innermost open frame, since it does not say which function it ends;
// one that finds none open is ignored. Frames still open when recording stopped close at the
// thread's last event. Calls of an nn.Module are named `nn.Module: Class_k`, where k numbers the
// instances of the class in order of their first call on the thread.
// Returns how many calls have no name in PythonNames; they are called by their number.
std::uint64_t link_python_calls(trace::Trace& trace);

// Sets id, parent_id and module_id of frames that a result file gave without them: as replaying the
// calls and returns would have numbered them, had no return been ignored.
void number_python_calls(trace::Trace& trace);

}  // namespace npuprof::link
