"""Launcher: ``streamlit run app.py``. The pages start in rivae/app/main.py."""

import streamlit as st

from rivae.app.server import build_routes, lifespan
from rivae.app.shell.middleware import build_gate
from rivae.base.installed import PACKAGE_ROOT

app = st.App(
    PACKAGE_ROOT / "rivae" / "app" / "main.py",
    routes=build_routes(),
    middleware=build_gate(),
    lifespan=lifespan,
)

if __name__ == "__main__":
    app.run()
