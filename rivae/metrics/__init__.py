"""Metrics of retrieval and of the learned latents; one file per metric."""
