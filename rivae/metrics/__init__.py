"""Metrics of retrieval and of the learned axes; one file per metric."""
