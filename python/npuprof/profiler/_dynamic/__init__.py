"""Profiling that is switched on from outside while a program runs."""
