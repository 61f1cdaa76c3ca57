"""Models: ``nets`` (layers, embedders), ``methods`` (one file each) and their ``presets``.

A model knows shapes and batches, nothing of runs, search or pages. It may import ``data`` and
``base``. Begin with ``base.py``, the contract, and ``methods/rivae.py``, the paper's model.
"""
