#pragma once

#include "trace/trace.h"

namespace npuprof::link {

// Joins the operators of the forward pass with those of the backward pass by autograd sequence
// number (forward_backward, in order of that number). Needs framework_ops only.
//
// Several operators of a side can carry the same number: the operators that lead to the creation of
// an autograd node, and the engine's wrapper around the node's own function. The one that started
// last is the creator, or the node's function. Threads count sequence numbers of their own, so a
// forward operator that started after the backward one is another thread's and not taken. Both
// sides may be on one thread.
void link_forward_backward(trace::Trace& trace);

}  // namespace npuprof::link
