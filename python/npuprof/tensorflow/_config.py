"""Options in the words of the 1.x adapter."""

from __future__ import annotations

from typing import Any, Optional

from . import _options
from ._engine import engine, say_once

_OPTIMIZER = "NpuOptimizer"


class ProfilingConfig:
    """What NPURunConfig of the 1.x adapter takes as profiling_config."""

    def __init__(self, enable_profiling: bool = False,
                 profiling_options: Optional[str] = None) -> None:
        self.enable_profiling = enable_profiling
        self.profiling_options = profiling_options


def session_config(profiling_config: ProfilingConfig, config: Any = None) -> Any:
    """A tf.compat.v1.ConfigProto with the keys of NpuOptimizer that say the same.

    `config` is extended if it is given. Options that are neither a text nor None raise TypeError.
    """
    import tensorflow as tf  # Only here: nothing else of this file needs it.

    config = tf.compat.v1.ConfigProto() if config is None else config
    custom = config.graph_options.rewrite_options.custom_optimizers.add()
    custom.name = _OPTIMIZER
    custom.parameter_map["use_off_line"].b = True
    custom.parameter_map["profiling_mode"].b = bool(profiling_config.enable_profiling)
    options = profiling_config.profiling_options
    custom.parameter_map["profiling_options"].s = \
        b"" if options is None else tf.compat.as_bytes(options)
    return config


def initialize_from_session(config: Any) -> None:
    """What the adapter does with the configuration of a session, None if it has none."""
    parameters = _parameters(config)
    if parameters is None:
        engine.initialize(False, "")
        return
    if "use_off_line" in parameters and not parameters["use_off_line"].b:
        say_once(f"{_OPTIMIZER} has use_off_line off: graphs of this session do not run on an NPU, "
                 "and nothing is collected of them")
        return
    enabled = "profiling_mode" in parameters and parameters["profiling_mode"].b
    options = ""
    if "profiling_options" in parameters:
        options = parameters["profiling_options"].s.decode("utf-8", "replace")
    if enabled and not options:
        options = _options.adapter_default()
    engine.initialize(enabled, options)


def _parameters(config: Any) -> Any:
    """The keys of NpuOptimizer; None if there is none."""
    if config is None:
        return None
    for custom in config.graph_options.rewrite_options.custom_optimizers:
        if custom.name == _OPTIMIZER:
            return custom.parameter_map
    return None


def npu_resource_init(*, enable_profiling: bool = False, profiling_options: Optional[str] = None,
                      **others: Any) -> None:
    """Initializes the graph engine with these options.

    Raises ValueError if enable_profiling is no bool, or on without options.
    """
    if not isinstance(enable_profiling, bool):
        raise ValueError("enable_profiling must be True or False")
    if enable_profiling and profiling_options is None:
        raise ValueError("profiling_options must be given when enable_profiling is True")
    if others:
        say_once(f"npu_resource_init: {', '.join(sorted(others))} "
                 "have nothing to do with profiles and are ignored")
    engine.initialize(enable_profiling, "" if profiling_options is None else str(profiling_options))


def npu_resource_shutdown() -> None:
    """Ends the collection; otherwise it ends with the program."""
    engine.finalize()
