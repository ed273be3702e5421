#pragma once

// The tensors that modules and optimizers hold, for attributing memory to them. These need the
// interpreter's lock and never raise.

#include <cstdint>

#include <Python.h>

#include "record/thread_buffer.h"

namespace npuprof::torch_hooks {

void tell_module_parameters(PyObject* module, std::uint64_t key, record::ThreadBuffer& buffer);
void tell_optimizer_parameters(PyObject* optimizer, std::uint64_t key,
                               record::ThreadBuffer& buffer);

}  // namespace npuprof::torch_hooks
