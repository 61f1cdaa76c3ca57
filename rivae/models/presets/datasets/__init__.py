"""A file per data set that wants other settings than its shape gets: ``PRESETS``, found by name.

``split-mnist`` has ``split_mnist.py``. A data set without a file takes ``by_shape``.
"""
