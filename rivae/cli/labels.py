"""``rivae labels``: plans, files and what labels say (``rivae.cli.label_reports``)."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from rivae.base.errors import ConfigError, LabelError, RivaeError
from rivae.cli import label_reports
from rivae.cli.common import add_command, path_argument, print_json, print_table
from rivae.cli.label_planning import add_command_estimates, add_command_plan
from rivae.cli.label_repair import add_command_repair
from rivae.labels.annotators import AlikeNamesError
from rivae.runs import find_run

if TYPE_CHECKING:
    from rivae.data.base import PairedDataset
    from rivae.labels.formats import Form
    from rivae.labels.plan import LabelPlan
    from rivae.labels.store import LabelStore

NO_PLANS = "no plans yet: `rivae labels plan NAME RUN` makes one"
# As in ``rivae.labels.formats``, whose imports `rivae --help` need not wait for.
FORMS: dict[Form, str] = {"events": ".jsonl", "long": ".csv", "wide": ".csv"}


def add_commands(commands: Any) -> None:
    """Register ``labels`` and the commands below it."""
    parser = commands.add_parser(
        "labels",
        help="labels by hand: plans, files, agreement, scores",
        description="labels by hand: plans, files, agreement, scores",
        epilog="`rivae labels COMMAND --help` shows examples. Labels are kept in $RIVAE_LABELS or "
        "labels/labels.db.",
    )
    below = parser.add_subparsers(dest="what", required=True, metavar="COMMAND")
    _add_plans(below)
    _add_files(below)
    add_command_repair(below)
    label_reports.add_commands(below)
    add_command_estimates(below)


def _add_plans(below: Any) -> None:
    listing = add_command(
        below,
        "plans",
        _plans,
        "list the labelling plans and their progress",
        "  rivae labels plans\n  rivae labels plans --store postgresql://me@host/labels --json",
    )
    label_reports.add_store(listing)
    add_command_plan(below)


def _add_files(below: Any) -> None:
    out = add_command(
        below,
        "export",
        _export,
        "write all labels to a file",
        "  rivae labels export labels.jsonl\n  rivae labels export labels.csv --form wide\n"
        "  rivae labels export - > /elsewhere/labels.jsonl      where this disk is full",
    )
    out.add_argument("file", type=path_argument, help=".jsonl: events, .csv: tables; - prints")
    out.add_argument(
        "--form",
        choices=tuple(FORMS),
        help="every event; a line per label; a line per annotator and item. By default events for "
        ".jsonl and long for .csv",
    )
    label_reports.add_store(out)
    taking = add_command(
        below,
        "import",
        _import,
        "add the labels of a file; existing labels never change",
        "  rivae labels import labels.jsonl --dry-run\n  rivae labels import table.csv\n"
        "  rivae labels import table.csv --plan first           items by their id in its data\n"
        "  rivae labels import table.csv --plan first --rows    items by row number\n"
        "Items and factors that no plan here knows are refused before anything is stored.\n"
        "Conflicts are listed and left to a person. Exit code 1: there were conflicts and nothing\n"
        "to add, or the file cannot be read (then nothing of it is stored); 0 otherwise.",
    )
    taking.add_argument(
        "file", type=path_argument, help="events or a table, as exported or made by hand"
    )
    whose = taking.add_mutually_exclusive_group()
    whose.add_argument("--plan", help="whose data the items belong to, where they only have an id")
    whose.add_argument(
        "--run", dest="run_id", help="the same by a run, for data that has no plan yet"
    )
    taking.add_argument("--rows", action="store_true", help="items are row numbers, from 0")
    taking.add_argument(
        "--as",
        action="append",
        dest="whose",
        default=[],
        metavar="NAME=ANNOTATOR",
        help="whose a name in the file is, that is like a known one: bob=Bob for the same person, "
        "bob=bob for somebody else",
    )
    taking.add_argument("--dry-run", action="store_true", help="check and report, store nothing")
    label_reports.add_store(taking)


def _plans(args: argparse.Namespace) -> int:
    with label_reports.opened(args) as store:
        # Imported after it, which takes seconds: a lock or a damage is named at once.
        from rivae.labels.kept_plans import kept_plan, plan_names

        data_sets: dict[str, PairedDataset] = {}
        summaries = []
        for name in plan_names(store):
            try:
                summaries.append(_summary(store, kept_plan(store, name), data_sets))
            except RivaeError as error:
                summaries.append(_broken(name, str(error)))
    if args.json:
        print_json(summaries)
    elif not summaries:
        print(NO_PLANS)
    else:
        print_table(
            [
                (
                    row["plan"],
                    row["data set"],
                    str(row["items"]),
                    " ".join(row["runs"]),
                    _share(row),
                    ", ".join(row["annotators"]) or "–",
                )
                for row in summaries
            ],
            ("plan", "data set", "items", "runs", "answered", "annotators"),
        )
        for row in summaries:
            if "message" in row:
                print(f"{row['plan']}: {row['message']}", file=sys.stderr)
    return 0


def _broken(name: str, message: str) -> dict[str, Any]:
    """The row of a plan that cannot be read."""
    return {
        "plan": name,
        "data set": "broken",
        "runs": [],
        "items": 0,
        "repeats": 0,
        "purpose": None,
        "created": None,
        "answered": None,
        "needed": None,
        "annotators": {},
        "message": message,
    }


def _summary(
    store: LabelStore, plan: LabelPlan, data_sets: dict[str, PairedDataset]
) -> dict[str, Any]:
    """A plan with its progress; where its data cannot be opened, the reason instead."""
    from rivae.labels.kept_plans import plan_data, plan_guideline
    from rivae.labels.review import plan_progress
    from rivae.labels.table import keys_by_row

    row: dict[str, Any] = {
        "plan": plan.id,
        "data set": plan.dataset,
        "runs": [run.id for run in plan.runs],
        "items": len(plan.items),
        "repeats": len(plan.repeats),
        "purpose": plan.purpose,
        "created": plan.created,
        "answered": None,
        "needed": None,
        "annotators": {},
    }
    try:
        data = data_sets.get(plan.fingerprint) or plan_data(plan)
        data_sets[plan.fingerprint] = data
        guideline = plan_guideline(store, plan)
        progress = plan_progress(store, keys_by_row(data, plan.items).values(), guideline.ids)
    except RivaeError as error:
        return {**row, "message": str(error)}
    shares = {share.annotator: share.answers for share in progress.shares}
    return {**row, "answered": progress.answered, "needed": progress.needed, "annotators": shares}


def _share(row: dict[str, Any]) -> str:
    if row["needed"] is None:
        return "–"
    return f"{row['answered']:,} of {row['needed']:,} ({row['answered'] / row['needed']:.0%})"


def _export(args: argparse.Namespace) -> int:
    from rivae.labels.formats import export, lines_of

    if str(args.file) == "-":
        with label_reports.opened(args) as store:
            for line in lines_of(store, args.form or "events"):
                sys.stdout.write(line)
        return 0
    suffix = args.file.suffix.lower()
    usual = next((name for name, end in FORMS.items() if end == suffix), None)
    form: Form | None = args.form or usual
    # Reading goes by the end of the name, so a wrong one could not be read back.
    if form is None or FORMS[form] != suffix:
        raise ConfigError(
            f"'{args.file.name[:80]}' should end in {FORMS[form or 'events']} for "
            f"{form or 'events'}: rename it"
        )
    with label_reports.opened(args) as store:
        export(store, args.file, form)
        n = store.last()
    if args.json:
        print_json({"file": str(args.file), "form": form, "events_in_store": n})
    else:
        print(f"{args.file} holds the labels ({form}; the store has {n:,} events)")
    return 0


def _named(pair: str) -> tuple[str, str]:
    name, sign, who = pair.partition("=")
    if not (name and sign and who):
        raise ConfigError(f"'{pair[:80]}' does not say whose a name is: write --as bob=Bob")
    return name, who


def _import(args: argparse.Namespace) -> int:
    if args.rows and not (args.plan or args.run_id):
        raise ConfigError("row numbers need the data that they count in: add --plan or --run")
    with label_reports.opened(args) as store:
        from rivae.labels.kept_plans import kept_plan, plan_data
        from rivae.labels.known_items import KnownItems
        from rivae.labels.merge import import_labels

        data = None
        if args.plan:
            data = plan_data(kept_plan(store, args.plan))
        elif args.run_id:
            data = find_run(args.run_id).load_dataset()
        items = KnownItems(store, data, by_row=args.rows)
        whose = dict(_named(pair) for pair in args.whose)
        try:
            report = import_labels(
                store, args.file, dry_run=args.dry_run, items=items, annotators=whose
            )
        except AlikeNamesError as error:
            name, (similar, *_) = next(iter(error.pairs.items()))
            raise LabelError(f"{error}: --as '{name}={similar}', or --as '{name}={name}'") from None
    if args.json:
        print_json(
            {
                "added": report.added,
                "known": report.known,
                "conflicts": report.n_conflicts,
                "dry_run": args.dry_run,
                "named": [one._asdict() for one in report.named],
                "details": [vars(conflict) for conflict in report.conflicts],
            }
        )
    else:
        verb = "would be added" if args.dry_run else "added"
        print(
            f"{report.added:,} {verb}, {report.known:,} already known, "
            f"{report.n_conflicts:,} conflicts"
        )
        for one in report.named:
            print(f"  item {one.name} is {one.key} ({one.title})")
        if report.n_named > len(report.named):
            print(f"  and {report.n_named - len(report.named):,} more by the same rule")
        for c in report.conflicts:
            values = f" (store: {c.stored}, file: {c.offered})" if c.stored else ""
            print(
                f"  row {c.row}: {c.factor} of {c.item} by {c.annotator}: {c.reason}{values}",
                file=sys.stderr,
            )
    return 1 if report.n_conflicts and not report.added else 0
