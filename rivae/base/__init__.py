"""What everything stands on: errors, files, settings of a run, and reading what strangers send.

Nothing here knows data, models or runs; every room may import it. Begin with ``errors`` (what is
raised at a user), ``files`` (writing that survives a kill) and ``reading`` (tables and documents).
"""
