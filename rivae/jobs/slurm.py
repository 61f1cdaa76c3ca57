"""Trains queued runs on a Slurm cluster through submitit, behind the same ledger.

``RIVAE_EXECUTOR=slurm`` hands every claimed job to Slurm; ``local-submitit`` to submitit's local
executor, which needs no cluster. The dispatcher stays on the machine of the server and is the only
one that changes its ledger; nodes need the same program and see the folder of runs under the same
path, on a file system with locks. A job that Slurm stops (time limit, preemption, a lost node) is
queued again.

submitit writes a function and its arguments into a file with cloudpickle. It gets ``run_task``,
which the node finds by its name, and two strings. All trainers of a job run on one node and meet
there as on any machine: nothing listens to other nodes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rivae.base.config import explain
from rivae.base.errors import ConfigError
from rivae.base.files import write_atomic
from rivae.base.installed import PACKAGE_ROOT, how_to_install
from rivae.base.paths import variable_path
from rivae.base.reading.regular import read_at_most
from rivae.jobs.agent import Trainers, log_path, open_log, restarts_left, shared_environment
from rivae.jobs.file_ledger import FileLedger
from rivae.jobs.locks import AGENT, clean, hold, is_alive, lock_path, seconds_silent, send
from rivae.jobs.records import Job, jobs_folder, make_private
from rivae.jobs.rounds import FLAG_S, HANG_S, START_S, TERM_S, Dispatcher


class ClusterSettings(BaseModel):
    """Resources to request of Slurm: one node per run, a card per process if it trains on cards."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    at_once: int = Field(default=4, ge=1, le=1_000, description="runs handed over at a time")
    timeout_min: int = Field(default=24 * 60, ge=1, description="after which a run is queued again")
    cpus_per_process: int = Field(default=4, ge=1, le=1_024)
    mem_gb: int | None = Field(default=None, ge=1)
    partition: str | None = None
    account: str | None = None
    qos: str | None = None
    constraint: str | None = None
    setup: list[str] = Field(default=[], description="shell commands before, e.g. module load")


def read_settings(path: Path) -> ClusterSettings:
    """The settings in a TOML file, the defaults where there is none.

    Raises:
        ConfigError: it is not TOML, or has a wrong setting.
    """
    if not path.exists():
        return ClusterSettings()
    try:
        return ClusterSettings.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (OSError, ValueError) as error:
        if isinstance(error, ValidationError):
            raise ConfigError(explain(error, path.name, ClusterSettings)) from None
        raise ConfigError(f"{path.name} cannot be read as TOML ({error}): correct it") from None


SETTINGS = "RIVAE_SLURM"  # the file of settings; by default slurm.toml in the ledger's folder
CLUSTERS: dict[str, Literal["slurm", "local"]] = {"slurm": "slurm", "local-submitit": "local"}
ASK_S = 20.0  # between two requests to Slurm about a job
# In any other state of Slurm a job has ended.
LIVING = (
    "READY",
    "PENDING",
    "CONFIGURING",
    "RUNNING",
    "REQUEUED",
    "COMPLETING",
    "SUSPENDED",
    "UNKNOWN",
)


class ClusterDispatcher(Dispatcher):
    """The rounds of a dispatcher whose jobs run on a cluster.

    Args:
        root: the folder of runs.
        name: "slurm" or "local-submitit".
        settings: read from the file by default; with a wrong file every job fails with its error.
    """

    def __init__(
        self, root: Path, name: str, settings: ClusterSettings | None = None, hang_s: float = HANG_S
    ) -> None:
        self.cluster, self.trouble = CLUSTERS.get(name), ""
        try:
            if self.cluster is None:
                raise ConfigError(f"there is no executor '{name}': choose {' or '.join(CLUSTERS)}")
            default = root / ".jobs" / "slurm.toml"
            file = variable_path(SETTINGS, str(default))
            self.settings = settings or read_settings(file)
        except ConfigError as error:
            self.settings, self.trouble = ClusterSettings(), str(error)
        super().__init__(root, [f"{name}:{i}" for i in range(self.settings.at_once)], hang_s)
        self.task_files = FileLedger(root)
        self._handles: dict[str, Any] = {}
        self._ending: list[Any] = []
        self._states: dict[str, str] = {}

    # living jobs

    def _watch(self, job: Job) -> None:
        report = self.task_files.report(job.id)
        for _ in range(report.attempts - job.attempts):
            self.ledger.count_start(job.id)
        if report.state != "starting":
            self.ledger.advance(job.id, "running")
        if report.state in ("finished", "failed", "cancelled"):
            self.ledger.advance(job.id, report.state, report.message)
            self._close(job)
            return
        state = self._state_of(job)
        if state not in LIVING:
            self._cancel(job)  # Slurm may put a preempted job into its own queue again
            if state.startswith("CANCELLED") and not job.cancelling:
                message = "cancelled on the cluster: resume it to continue"
                self.ledger.advance(job.id, "cancelled", message)
            self._ended(self.ledger.job(job.id))
            self._close(job)
        elif job.cancelling:
            self._stop(job, state)
        elif seconds_silent(self.folder, job.id) > self.hang_s:
            self._cancel(job)

    def _stop(self, job: Job, state: str) -> None:
        """Ask the trainer to stop, then cancel on the cluster, on this machine SIGKILL at last."""
        self.task_files.ask_to_stop(job.id)
        seconds = self._seconds(f"{job.id} cancelling")
        if state == "PENDING" or seconds > FLAG_S:
            self._cancel(job)
        if self.cluster == "local" and seconds > FLAG_S + TERM_S:
            send(self.folder, job.id, signal.SIGKILL)

    def _cancel(self, job: Job) -> None:
        """Ask the cluster to end a job, at most every ``ASK_S`` seconds."""
        handle = self._handle(job)
        if handle is not None and self._is_time(f"{job.id} cancel"):
            handle.cancel(check=False)

    def _state_of(self, job: Job) -> str:
        """The state of a job on the cluster, in capitals."""
        handle = self._handle(job)
        if self.cluster == "local":
            # A restarted dispatcher has no child process to ask, but sees the locks.
            living = handle is not None and handle.state == "RUNNING"
            if living or is_alive(self.folder, job.id):
                return "RUNNING"
            fresh = handle is None and self._waits(job, START_S / 10)
            return "UNKNOWN" if fresh else "ENDED"
        if handle is None:
            return "UNKNOWN" if self._waits(job, START_S) else "LOST"
        if job.id not in self._states or self._is_time(f"{job.id} state"):
            answer = handle.watcher.get_state(handle.job_id, mode="force")
            self._states[job.id] = str(answer or "UNKNOWN").upper()
        return self._states[job.id]

    def _is_lost(self, job: Job) -> bool:
        return False

    def _close(self, job: Job) -> None:
        """Forget a job that has ended; a process that is still alive keeps its locks."""
        handle = self._handle(job)
        if handle is not None:
            self._ending.append(handle)
        self._id_path(job).unlink(missing_ok=True)
        self._forget(job.id)
        self._handles.pop(job.id, None)
        self._states.pop(job.id, None)
        if not is_alive(self.folder, job.id):
            clean(self.folder, job.id)

    def _reap(self) -> None:
        """Delete submitit's files of jobs whose processes have ended."""
        waiting, self._ending = self._ending, []
        for handle in waiting:
            if self.cluster == "local" and handle.state == "RUNNING":
                self._ending.append(handle)
                continue
            for path in (self.folder / "submitit").glob(f"{handle.job_id}_*"):
                path.unlink(missing_ok=True)

    # queued jobs

    def _choose(self, free: tuple[str, ...], job: Job) -> tuple[str, ...] | None:
        return free[:1] or None

    def _start(self, job: Job) -> None:
        if self.trouble:
            raise ConfigError(self.trouble)
        self.task_files.hand_over(job)
        try:
            executor = self._executor(job)
            with _importable():
                handle = executor.submit(run_task, str(self.ledger.root.resolve()), job.id)
        except (RuntimeError, NameError, AssertionError, ValueError) as error:
            first = (str(error).splitlines() or [""])[0][:300]
            raise ConfigError(
                f"the cluster did not take the run ({first}): check slurm.toml and that sbatch "
                "works here"
            ) from None
        try:
            write_atomic(self._id_path(job), str(handle.job_id).encode(), private=True)
        except OSError:
            handle.cancel(check=False)  # its id would be lost
            raise
        self._handles[job.id] = handle

    def _executor(self, job: Job) -> Any:
        submitit, s = _submitit(), self.settings
        # Private, because the files that submitit writes there are unpickled on the node.
        folder = make_private(self.folder / "submitit")
        executor = submitit.AutoExecutor(folder=folder, cluster=self.cluster)
        executor.update_parameters(
            name=f"rivae-{job.run}"[:80],
            nodes=1,
            tasks_per_node=1,
            timeout_min=s.timeout_min,
            cpus_per_task=s.cpus_per_process * job.processes,
            mem_gb=s.mem_gb,
            gpus_per_node=job.processes if job.wants_gpu else None,
            stderr_to_stdout=True,
            slurm_partition=s.partition,
            slurm_account=s.account,
            slurm_qos=s.qos,
            slurm_constraint=s.constraint,
            slurm_setup=s.setup or None,
        )
        return executor

    # helpers

    def _id_path(self, job: Job) -> Path:
        return self.folder / f"{job.id}.cluster"

    def _handle(self, job: Job) -> Any:
        """submitit's handle of a job, also of one that an earlier dispatcher submitted."""
        if job.id not in self._handles and self.cluster == "slurm" and self._id_path(job).exists():
            cluster_id = (read_at_most(self._id_path(job), 100) or b"").decode("ascii", "replace")
            self._handles[job.id] = _submitit().SlurmJob(
                self.folder / "submitit", cluster_id.strip()
            )
        return self._handles.get(job.id)

    def _is_time(self, name: str) -> bool:
        """Whether to ask now: at first, then every ``ASK_S`` seconds."""
        if name not in self._since or self._seconds(name) > ASK_S:
            self._since.pop(name, None)
            self._seconds(name)
            return True
        return False


def _submitit() -> Any:
    try:
        import submitit
    except ImportError:
        raise ConfigError(
            f"clusters need the package submitit: {how_to_install('slurm')}, or unset "
            "RIVAE_EXECUTOR"
        ) from None
    return submitit


@contextmanager
def _importable() -> Iterator[None]:
    """Let the nodes, which inherit the environment, import this program from its place here."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(PACKAGE_ROOT) + (os.pathsep + before if before else "")
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def run_task(root: str, job_id: str) -> None:
    """On the node: train a job until it ends, is stopped or has crashed too often."""
    folder, ledger = Path(root), FileLedger(Path(root))
    job = ledger.job(job_id)
    if not job.alive:
        return
    if job.attempts > job.max_restarts:
        ledger.advance(job_id, "failed", f"it was stopped {job.attempts} times before it could end")
        return
    # In a new process group, which the lock names.
    with suppress(PermissionError):  # leads a session already
        os.setpgid(0, 0)
    with (
        hold(lock_path(jobs_folder(folder), job_id, AGENT)),
        open_log(log_path(folder, job_id)) as log,
    ):
        trainers = Trainers(
            folder,
            job_id,
            job.processes,
            ["files"],
            env=shared_environment(folder),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        code = trainers.run(restarts_left(job))
    if code:
        sys.exit(code)
