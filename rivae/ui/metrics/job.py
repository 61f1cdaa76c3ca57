"""Evaluates one run in a process of its own: ``python -m rivae.ui.metrics.job PATH [--keep]``.

See ``rivae.ui.work.tasks`` for what it writes. With ``--keep`` the folder is left as it is and the
evaluation itself follows in the last line. No streamlit here.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rivae.errors import RivaeError, RunError
from rivae.ui.work.tasks import step_back, tell


def main(argv: Sequence[str]) -> int:
    """Evaluate the run at ``argv[0]``; returns the exit status."""
    path, keep = Path(argv[0]), "--keep" in argv[1:]
    step_back()
    tell(stage="reading the model", share=0.0)
    try:
        from rivae.evaluation import evaluate
        from rivae.runs import Run

        run = Run(path)
        data = run.load_dataset()
        result = evaluate(
            run.load_method(data),
            data,
            progress=lambda stage, share: tell(stage=stage, share=share),
        )
        if not keep:
            try:
                run.write_evaluation(result)
            except RunError:
                keep = True
        tell(done=True, saved=not keep, result=result if keep else None)
    except RivaeError as error:
        tell(error=str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
