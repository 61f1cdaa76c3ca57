"""Reading untrusted files: one reader per file format, each with bounds on what it accepts.

A file that breaks a bound or the format is refused with one sentence (a ``RivaeError``) before it
can cost memory or time; no reader here unpickles or executes anything.
"""
