"""Training runs in separate processes: the queue, the dispatcher that starts them, the trainers.

Import the module you need (``rivae.jobs.ledger``, ...): the package itself imports nothing.
"""
