"""Loads npuprof when an interpreter starts, if the directory of this file is on PYTHONPATH.

The interpreter imports only the first module of this name, so the next one is run from here.
"""

import importlib.machinery
import importlib.util
import os
import sys


def _load_npuprof():
    """From where this file lies: the package need not be installed for this interpreter."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    spec = importlib.util.spec_from_file_location(
        "npuprof", os.path.join(package, "__init__.py"), submodule_search_locations=[package])
    module = importlib.util.module_from_spec(spec)
    sys.modules["npuprof"] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules["npuprof"]
        raise


def _note(text):
    """For `npuprof record`, which says why nothing was recorded."""
    try:
        with open(os.environ["NPUPROF_RECORD_NOTES"], "a", encoding="utf-8") as file:
            file.write(text + "\n")
    except (KeyError, OSError):
        pass


def _run_next():
    here = os.path.dirname(os.path.abspath(__file__))
    path = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


if any(os.environ.get(name) for name in ("NPUPROF_RECORD", "PROF_CONFIG_PATH",
                                         "MS_PROFILER_OPTIONS")):
    try:
        _load_npuprof()
    except Exception as failure:  # A program must start, whatever is wrong here.
        print(f"npuprof cannot be loaded: {failure}", file=sys.stderr)
        _note(f"the package npuprof cannot be loaded: {failure}")

_run_next()
