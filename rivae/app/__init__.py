"""The web app. Everything that imports streamlit lives here, in ``pages/`` and in ``app.py``."""
