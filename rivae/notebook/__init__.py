"""The explorer in a cell of a notebook: ``rivae.explore``.

It needs the extra ``notebook``. It may import ``api``, ``figures.page`` and what is below; only
``rivae`` itself imports it. Begin with ``opening.explore``, then ``view.View``, the widget.
"""
