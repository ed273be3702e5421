"""Profiles of TensorFlow programs on Ascend NPUs.

Serves programs of both adapters; change the import, nothing else:

    import npuprof.tensorflow as npu_device                  # 2.x
    npu_device.global_options().profiling_config.enable_profiling = True
    npu_device.open().as_default()

    import npuprof.tensorflow                                # 1.x: the configuration of a session
    custom.parameter_map["profiling_mode"].b = True          # for NpuOptimizer says what to collect

    from npuprof.tensorflow.profiler import Profiler         # 1.x: a part of a program
    with Profiler(level="L1", output_path="out"):
        session.run(train)

What is collected is a PROF_* directory for `npuprof parse`. Options can be checked without
TensorFlow: `check_profiling_options(text)`.
"""

from . import _hooks
from ._config import ProfilingConfig, npu_resource_init, npu_resource_shutdown, session_config
from ._device import close, global_options, open  # noqa: A004 (the name that programs know)
from ._options import check_profiling_options
from .profiler import Profiler

__all__ = [
    "Profiler", "ProfilingConfig", "check_profiling_options", "close", "global_options",
    "npu_resource_init", "npu_resource_shutdown", "open", "session_config",
]

_hooks.install()
