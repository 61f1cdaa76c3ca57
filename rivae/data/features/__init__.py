"""Frozen features of pictures and texts: what makes them, those of a store, and those of an upload.

Below the data sets, which read features, and below the import. Begin with ``contract``; a source is
a file in ``sources``.
"""
