"""Launcher: ``streamlit run app.py``. The pages start in rivae/ui/main.py."""

from pathlib import Path

import streamlit as st

from rivae.ui.lifespan import lifespan
from rivae.ui.routes import build_gate, build_routes

app = st.App(
    Path(__file__).resolve().parent / "rivae" / "ui" / "main.py",
    routes=build_routes(),
    middleware=build_gate(),
    lifespan=lifespan,
)

if __name__ == "__main__":
    app.run()
