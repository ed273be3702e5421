#!/usr/bin/env python3
"""Writes src/analyze/operator_outputs.cc: the operators of PyTorch that take their outputs as inputs.

Needs PyTorch (python3-torch). Run it again when a newer PyTorch has more operators.
"""

import collections
import os
import subprocess
import sys

import torch

HEAD = '''\
// Made by scripts/operator_outputs.py from the registry of PyTorch; not edited by hand.

#include "analyze/operator_outputs.h"

namespace npuprof::analyze {
namespace {

constexpr OutputVariants kVariants[] = {
'''
TAIL = '''\
};

}  // namespace

std::span<const OutputVariants> output_variants() { return kVariants; }

}  // namespace npuprof::analyze
'''
TENSORS = {"Tensor", "Optional[Tensor]", "List[Tensor]", "List[Optional[Tensor]]",
           "Optional[List[Tensor]]"}


def arguments(schema):
    """For each argument: is it a tensor (or a list of them), is it written to."""
    return [(str(argument.type) in TENSORS,
             argument.alias_info is not None and argument.alias_info.is_write)
            for argument in schema.arguments]


def is_internal(name):
    """Programs do not call these with outputs of their own."""
    return name.startswith("_") or name.endswith(("_", "_copy")) or "backward" in name


def trailing_outputs(written):
    """How many arguments at the end are written to, 0 if others are as well."""
    outputs = sum(is_output for _, is_output in written)
    tail = written[len(written) - outputs:]
    return outputs if all(tensor and is_output for tensor, is_output in tail) else 0


def is_ambiguous(count, outputs, overloads):
    """Whether a call with so many arguments may also be one that writes nothing."""
    return any(len(other) == count and not any(is_output for _, is_output in other)
               and all(tensor for tensor, _ in other[-outputs:]) for other in overloads)


def variants():
    """Names by (number of arguments, number of outputs among them)."""
    overloads = collections.defaultdict(list)
    for schema in torch._C._jit_get_all_schemas():
        namespace, _, name = schema.name.partition("::")
        if namespace == "aten" and not is_internal(name):
            overloads[name].append(arguments(schema))
    names = collections.defaultdict(set)
    for name, found in overloads.items():
        for one in found:
            outputs = trailing_outputs(one)
            if outputs > 0 and not is_ambiguous(len(one), outputs, found):
                names[len(one), outputs].add(name)
    return names


def main():
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    path = os.path.join(source, "src", "analyze", "operator_outputs.cc")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for (inputs, outputs), names in sorted(variants().items()):
            file.write(f'    {{{inputs}, {outputs}, "{" ".join(sorted(names))}"}},\n')
        file.write(TAIL)
    subprocess.run(["clang-format-14", "-i", path], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
