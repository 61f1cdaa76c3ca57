"""Launcher: ``streamlit run app.py``. The pages start in rivae/ui/main.py."""

import streamlit as st

from rivae.installed import PACKAGE_ROOT
from rivae.ui.server import build_gate, build_routes, lifespan

app = st.App(
    PACKAGE_ROOT / "rivae" / "ui" / "main.py",
    routes=build_routes(),
    middleware=build_gate(),
    lifespan=lifespan,
)

if __name__ == "__main__":
    app.run()
