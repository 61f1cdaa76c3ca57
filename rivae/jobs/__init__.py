"""Trainings in processes: starting and resuming one, the queue, its dispatcher, Slurm, devices.

It may import ``figures`` and the rooms below it, never ``labels``; the benchmark,
the app and the command line import it. Begin with ``launch.py`` (train here and now) and
``ledger.py`` (the queue on disk). Import the module you need: this package imports nothing.
"""
