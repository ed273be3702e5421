#pragma once

#include "trace/trace.h"

namespace npuprof::link {

// Joins the operators of the forward pass with those of the backward pass by autograd sequence
// number (forward_backward, in order of that number). Needs framework_ops only.
//
// Several operators of a side can carry the same number: the operators that lead to the creation of
// an autograd node, and the engine's wrapper around the node's own function. The one that started
// last is the creator, or the node's function; a forward operator that started after the backward
// one is neither. Both sides may be on one thread.
//
// Threads count sequence numbers of their own, so the forward side must be of the thread that the
// backward side names: by its id in our recordings, by an ordinal in others. Whose ordinal it is
// shows in the sequence numbers that both sides have.
void link_forward_backward(trace::Trace& trace);

}  // namespace npuprof::link
