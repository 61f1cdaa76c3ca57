"""``rivae features``."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rivae.cli.common import Steps, add_command


def add_commands(commands: Any) -> None:
    """Register ``features``."""
    parser = add_command(
        commands,
        "features",
        _features,
        "compute picture and text features of imported pairs with a Hugging Face checkpoint",
        "  rivae features food openai/clip-vit-base-patch32 --as clip\n"
        "  rivae features food ./my-siglip --as siglip --device cuda\n"
        "Then: rivae train food --set dataset.features=clip",
    )
    parser.add_argument("store", help="name of an import, or the path of its folder")
    parser.add_argument("checkpoint", help="a local folder, or a name on the hub")
    parser.add_argument("--as", dest="name", required=True, help="name of the features")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:1")


def _features(args: argparse.Namespace) -> int:
    args.resume_hint = "the same command resumes where it stopped"
    with Steps("features", f"loading {args.checkpoint}") as steps:
        from rivae.config import training_config
        from rivae.data.store import find_store
        from rivae.importing.pretrained import Checkpoint, make_features

        device = training_config({"device": args.device}).device
        folder = find_store(args.store)
        checkpoint = Checkpoint(args.checkpoint, device)
        make_features(folder, checkpoint, args.name, args.batch_size, steps)
    if args.json:
        print(json.dumps({"store": str(folder), "features": args.name, "of": checkpoint.sides}))
    else:
        sides = " and ".join(checkpoint.sides)
        print(f"{folder.name} has features '{args.name}' of its {sides}: train on them with")
        print(
            f"  rivae train pairs --set dataset.store={args.store} "
            f"--set dataset.features={args.name}"
        )
    return 0
