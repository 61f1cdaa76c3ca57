"""Words: what changes along an axis in words, names for the axes, tags around the factors."""

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import (
    cache,
    notices,
    page_help,
    run_picker,
    state,
    words_clouds,
    words_contrast,
    words_controls,
    words_drawer,
    words_names,
    words_session,
    words_tags,
)

PANELS = {
    "Clouds": words_clouds.panel,
    "Contrast": words_contrast.panel,
    "Axis names": words_names.panel,
    "Tags": words_tags.panel,
}

if st.session_state[state.ENTERED]:
    words_session.close()
ready = [run.id for run in cache.ready_runs()]
run_id, remark = words_session.current_run(ready)
if not run_id:
    notices.no_runs()
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    run_picker.run_picker(
        run_id, ready, key=state.WORDS_RUN, on_change=words_session.choose_run
    )
    view = words_controls.view_picker()
    page_help.words()
if remark:
    st.warning(remark, icon=":material/info:")

explorer = notices.opened(lambda: cache.explorer(run_id))
words_session.remember(run_id)
notices.no_latent(explorer.method)

try:
    # Names need no texts: known factors are evidence too.
    if words_controls.texts_of(explorer) or view == "Axis names":
        PANELS[view](explorer, run_id)
    else:
        words_controls.no_texts(explorer)
except RivaeError as error:
    st.warning(str(error), icon=":material/info:")

if st.session_state.get(state.WORDS_OPEN) is not None:
    words_drawer.show(explorer, run_id)
