"""Training runs in processes of their own: the queue, who starts and watches them, who trains.

Import the module you need (``rivae.jobs.ledger``, ...): this package imports nothing by itself.
"""
