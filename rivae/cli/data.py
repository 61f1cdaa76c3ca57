"""``rivae datasets``, ``import``, ``features`` and ``kitchen``: what a model can be trained on."""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

from rivae.base.errors import ConfigError, RivaeError
from rivae.base.installed import how_to_install
from rivae.cli.common import (
    Steps,
    add_command,
    add_on,
    device_here,
    parse_settings,
    path_argument,
    place_argument,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from rivae.data.importing.plan import Plan


def add_commands(commands: Any) -> None:
    """Register the commands about data."""
    _add_datasets(commands)
    _add_import(commands)
    _add_features(commands)
    _add_kitchen(commands)


def _add_datasets(commands: Any) -> None:
    parser = add_command(
        commands,
        "datasets",
        _datasets,
        "list the data sets and imports, or describe one",
        "  rivae datasets\n"
        "  rivae datasets synth --set factor_distribution=uniform\n"
        "  rivae datasets split-mnist --set folder=PATH",
    )
    parser.add_argument("name", nargs="?", help="a data set to build and describe")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")


def _datasets(args: argparse.Namespace) -> int:
    steps = Steps("datasets", f"opening {args.name}" if args.name else "")
    # Here and not above: it imports torch, which `rivae --help` need not wait for.
    from rivae.data import dataset_names, describe_dataset, import_names, load_dataset

    if args.name is None and args.settings:
        raise ConfigError("settings need the name of a data set: rivae datasets NAME --set ...")
    if args.name is None:
        names = (*dataset_names(), *import_names())
        rows = [(name, *describe_dataset(name)) for name in names]
        if args.json:
            print_json([{"name": n, "about": a, "settings": s} for n, a, s in rows])
        else:
            print_table([(name, about) for name, about, _ in rows], ("data set", "what it is"))
        return 0
    with steps:
        data = load_dataset(args.name, **parse_settings(args.settings, ("dataset",))["dataset"])
    facts = {
        "name": data.name,
        "settings": data.settings,
        "pairs": len(data),
        "view 1": f"{data.view_names[0]} {data.x1.shape}",
        "view 2": f"{data.view_names[1]} {data.x2.shape}",
        **{f"{split} pairs": len(rows) for split, rows in data.splits.items()},
        "factors": [f"{spec.name} ({spec.kind}, {spec.role})" for spec in data.factor_specs],
    }
    if args.json:
        print(json.dumps(facts, default=str))
    else:
        for key, value in facts.items():
            print(f"{key + ':':20} {value}")
    return 0


def _add_import(commands: Any) -> None:
    parser = add_command(
        commands,
        "import",
        _import,
        "import pairs of pictures and texts: a table with pictures, shards, or Recipe1M",
        "  rivae import recipes.csv --images photos/ --name mine --dry-run\n"
        "  rivae import recipes.jsonl.gz --images photos.zip --name mine --paper-filter\n"
        "  rivae import table.csv --images photos --name mine --map picture=file --factor depth\n"
        "  rivae import FOLDER_OF_TARS --name laion --leave-out-damaged\n"
        "  rivae import s3://bucket/shards --name laion --on tcp://host:8786\n"
        "  rivae import RECIPE1M_FOLDER --name recipe1m --tags RAW_recipes.csv\n"
        "If it is stopped, the same command resumes. Then: rivae train mine",
    )
    parser.add_argument("--name", required=True, help="of the new data set")
    add_source_options(parser)
    parser.add_argument("--dry-run", action="store_true", help="check everything, write nothing")
    add_on(parser)


def add_source_options(parser: argparse.ArgumentParser) -> None:
    """What is imported, and how; :func:`plan_of` reads it."""
    parser.add_argument(
        "source",
        type=place_argument,
        help="CSV, TSV, JSON, Parquet, or a tar of samples (WebDataset); a folder of tars or "
        "Parquet files (img2dataset), also in an object store (s3://…), or one like Recipe1M's",
    )
    parser.add_argument(
        "--images",
        type=path_argument,
        action="append",
        default=[],
        metavar="PATH",
        help="folder or zip with the pictures; may be given several times; not needed where they "
        "stand in the table",
    )
    parser.add_argument("--title", default="", help="shown in the app instead of the name")
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="ROLE=COLUMN",
        help="the column for a role: picture, id, title, ingredients, instructions, tags, url, "
        "partition; an empty column for none (default: by their names)",
    )
    parser.add_argument(
        "--factor", action="append", default=[], metavar="COLUMN", help="a known factor"
    )
    parser.add_argument("--tags", type=path_argument, help="Recipe1M: food.com's RAW_recipes.csv")
    parser.add_argument(
        "--embeddings",
        type=path_argument,
        nargs=2,
        metavar=("PICTURES", "TEXTS"),
        help="your own embeddings of both sides (.npy or Parquet), a row per record, or in any "
        "order next to the ids of the table; then no pictures are needed. Train on them with "
        "--set dataset.features=own",
    )
    parser.add_argument("--encoding", default="utf-8", help="of a text table (default: utf-8)")
    parser.add_argument(
        "--leave-out-damaged",
        action="store_true",
        help="of a folder, the rest of a file that cannot be read to its end; the report names it",
    )
    parser.add_argument("--side", type=int, default=256, help="largest side of stored pictures")
    parser.add_argument(
        "--paper-filter",
        action="store_true",
        help="only 1-20 ingredients and 1-20 instructions (always so for Recipe1M)",
    )


def _import(args: argparse.Namespace) -> int:
    args.resume_hint = "the same command resumes where it stopped"
    with Steps("import", f"opening {args.source.name}") as steps:
        from rivae.base.cluster import on_cluster
        from rivae.base.reading.places import is_remote
        from rivae.data.importing import run_import

        plan = plan_of(args, args.name, args.dry_run)
        settings = plan.settings()
        needs = [path for path in (plan.table, *plan.images) if not is_remote(path)]
        with on_cluster(args.on, needs):
            report = run_import(plan.source(), settings, dry_run=plan.dry_run, progress=steps)
    if args.json:
        out = {**report.to_dict(), "folder": None if args.dry_run else str(settings.folder)}
        print_json(out)
        return 0
    print("\n".join(report.lines()))
    if args.dry_run:
        print("nothing was written (--dry-run)")
    else:
        print(f"{settings.folder} is ready: rivae train {settings.name}")
    return 0


def plan_of(args: argparse.Namespace, name: str, dry_run: bool = False) -> Plan:
    """The import that these options ask for, as data set ``name``.

    Raises:
        ConfigError: a mapping is malformed.
    """
    from rivae.data.importing.plan import Plan

    roles = {}
    for pair in args.map:
        role, equals, column = pair.partition("=")
        if not equals:
            raise ConfigError(f"'{pair}' is not a mapping: write --map role=COLUMN")
        roles[role] = column
    return Plan(
        table=args.source,
        images=tuple(args.images),
        name=name,
        title=args.title,
        roles=roles,
        factors=tuple(args.factor),
        tags=args.tags,
        encoding=args.encoding,
        embeddings=tuple(args.embeddings) if args.embeddings else None,
        side=args.side,
        paper_filter=args.paper_filter,
        leave_out_damaged=args.leave_out_damaged,
        dry_run=dry_run,
    )


def _add_features(commands: Any) -> None:
    parser = add_command(
        commands,
        "features",
        _features,
        "compute features of imported pairs, of their pictures or of their texts as well",
        "  rivae features --sources\n"
        "  rivae features food statistics efficientnet-lite0\n"
        "  rivae features food openai/clip-vit-base-patch32 --as clip\n"
        "  rivae features food ./my-siglip --as siglip --device cuda\n"
        "Then: rivae train food --set dataset.features=statistics+efficientnet-lite0",
    )
    parser.add_argument("--sources", action=_ListSources, help="list the sources, and stop")
    parser.add_argument("store", help="name of an import, or the path of its folder")
    parser.add_argument(
        "sources", nargs="+", metavar="source", help="of --sources, a folder, or a name on the hub"
    )
    parser.add_argument("--as", dest="name", help="name of the features (default: the source)")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:1 (default: cpu)")
    add_on(parser)


class _ListSources(argparse.Action):
    """What the registry has, without a store."""

    def __init__(self, option_strings: list[str], dest: str, **options: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from rivae.data.features.contract import FEATURES

        try:
            sources = [source for source in FEATURES.working().values() if source.open is not None]
        except RivaeError as error:
            parser.error(str(error))
        rows = []
        for source in sources:
            needs = f"rivae-explorer[{source.extra}]" if source.extra else ""
            sides = " and ".join(source.sides)
            rows.append((source.needs_name or source.name, sides, needs, source.blurb))
        print_table(rows, ("source", "of", "needs", "sees"))
        parser.exit()


def _features(args: argparse.Namespace) -> int:
    args.resume_hint = "the same command resumes where it stopped"
    sides: dict[str, tuple[str, ...]] = {}
    with Steps("features", f"loading {args.sources[0]}") as steps:
        from rivae.base.cluster import on_cluster
        from rivae.data.features.contract import FEATURES, open_encoder
        from rivae.data.features.making import make_features, remarks
        from rivae.data.store import PairStore, find_store
        from rivae.data.store.features import JOIN, RICHER, feature_names, feature_sides

        device, folder = device_here(args.device), find_store(args.store)
        if args.name is None and (nameless := [s for s in args.sources if s not in FEATURES]):
            raise ConfigError(f"'{nameless[0]}' needs a name for its features: add --as NAME")
        if args.name is not None and len(args.sources) > 1:
            raise ConfigError("--as names the features of one source: leave it out for several")
        with on_cluster(args.on, needs=[folder]):
            for source in args.sources:
                name = args.name or source
                if len(args.sources) > 1 and name in feature_names(folder):
                    steps.keep(f"{name} is there already")
                    sides[name] = feature_sides(folder, name)
                    continue
                steps(f"loading {source}", 0.0)
                encoder = open_encoder(source, PairStore(folder), device)
                make_features(folder, encoder, name, args.batch_size, steps)
                sides[name] = encoder.sides
                for remark in remarks(folder, name):
                    steps.keep(remark)
    joint_name = JOIN.join(sides)
    if args.json:
        of = sorted({side for each in sides.values() for side in each})
        print_json({"store": str(folder), "features": joint_name, "of": of})
    else:
        for name, side_names in sides.items():
            print(f"{folder.name} has features '{name}' of its {' and '.join(side_names)}")
        print("train on them with")
        print(
            f"  rivae train pairs --set dataset.store={args.store}"
            f" --set dataset.features={joint_name}"
        )
        absent = [FEATURES[name] for name in RICHER if not FEATURES[name].is_installed]
        if absent:
            names = " and ".join(source.name for source in absent)
            print(f"richer features by {names}: {how_to_install(absent[0].extra)}")
    return 0


def _add_kitchen(commands: Any) -> None:
    parser = add_command(
        commands,
        "kitchen",
        _kitchen,
        "generate synthetic dishes, drawings with recipes, from eight known factors",
        "  rivae kitchen kitchen/\n"
        "  rivae kitchen small/ --n 500 --seed 3\n"
        "The folder is laid out as Recipe1M is. Then: rivae import kitchen/ --name my-kitchen\n"
        "Dishes are drawn. To have them as the bundled ones, render them with tools/kitchen3d of\n"
        "the project, which needs Blender, with the same --n and --seed, and give --pictures.",
    )
    parser.add_argument("folder", type=path_argument, help="a new or empty folder")
    parser.add_argument("--n", type=int, default=6000, help="number of dishes (default: 6000)")
    parser.add_argument(
        "--seed", type=int, default=0, help="each seed makes another kitchen (default: 0)"
    )
    parser.add_argument("--webp", action="store_true", help="smaller pictures than JPEG")
    parser.add_argument(
        "--pictures", type=path_argument, help="a folder of dishes that tools/kitchen3d rendered"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress line")


def _kitchen(args: argparse.Namespace) -> int:
    args.resume_hint = "the same command starts over"
    start = time.monotonic()
    with Steps("kitchen", "preparing", args.quiet) as steps:
        from rivae.data.kitchen.layout import write_kitchen

        def tell(done: int, n: int) -> None:
            seconds_left = (time.monotonic() - start) / done * (n - done)
            steps(f"{done:,} of {n:,} dishes, about {seconds_left:.0f} s left", done / n)

        write_kitchen(args.folder, args.n, args.seed, tell, args.webp, args.pictures)
    if args.json:
        print_json({"folder": str(args.folder), "n": args.n, "seed": args.seed})
    else:
        print(f"{args.folder}: {args.n:,} synthetic dishes in the layout of Recipe1M")
        if not args.pictures:
            print(
                "  they are drawn; rendered ones need tools/kitchen3d of the project (--pictures)"
            )
        print(f"  import them: rivae import {args.folder} --name my-kitchen")
    return 0
