"""The web app: all that imports Streamlit lives here, in ``pages/`` and in ``app.py``.

It needs the extra ``app``. It may import every room but ``cli``, and only ``cli`` imports it. Each
page has a wing (``explore``, ``train``, ...) that never imports another wing; ``shell`` surrounds
every page, ``work`` runs in the background, ``panels`` are the parts in the browser, ``shared`` is
what several pages show. Begin with ``serve.py``, which starts the app, and ``main.py``, its pages.
"""
