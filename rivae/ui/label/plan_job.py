"""Makes a labelling plan in a process of its own: ``python -m rivae.ui.label.plan_job REQUEST``.

REQUEST is the JSON of a ``rivae.ui.label.plan_making.Request``. See ``rivae.ui.work.tasks`` for
what it writes. No streamlit here.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rivae.errors import RivaeError
from rivae.ui.label.plan_making import NOT_NAMED, Request
from rivae.ui.work.tasks import step_back, tell


def main(argv: Sequence[str]) -> int:
    """Make the plan that ``argv[0]`` asks for; returns the exit status."""
    wanted = Request.model_validate_json(argv[0])
    step_back()
    tell(stage="reading the models", share=0.0)
    try:
        from rivae.labels.plan import make_plan
        from rivae.runs import Run

        plan = make_plan(
            [Run(Path(path)) for path in wanted.paths],
            NOT_NAMED,
            n_queries=wanted.n_queries,
            repeats=wanted.repeats,
            random_state=wanted.random_state,
            progress=lambda stage, share: tell(stage=stage, share=share),
        )
        tell(done=True, result={"plan": plan.model_dump_json()})
    except RivaeError as error:
        tell(error=str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
