"""Trainings in processes: starting and resuming one, the queue, its dispatcher, Slurm, devices.

It may import ``figures`` and what is below, never ``labels``; the benchmark,
the app and the command line import it. Begin with ``launch.py`` (train here and now) and
``ledger.py`` (the queue on disk). Import the module you need: the room imports nothing by itself.
"""
