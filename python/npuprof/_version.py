"""The version of npuprof."""

__version__ = "0.1.0"
