"""One dish: takes an order (a line of orders.py) and fills the scene with it."""

from __future__ import annotations

from typing import Any

import filling
import looks
import numpy as np
import palette
import sideboard
import studio
import syrup
from glassware import Glass
from ground import Ground
from looks import NAMES
from pieces import Things
from shapes import Batch, Rng
from vessels import VESSELS, set_out


def lay(order: dict[str, Any]) -> None:
    """Clear the scene and lay the dish of ``order``."""
    looks.clear()
    codes: dict[str, int] = order["codes"]
    vessel = VESSELS[codes["longishness"]]
    things: Things = {name: Batch() for name in NAMES}

    def stream(part: int) -> Rng:
        return np.random.default_rng((order["seed"], order["index"], 7, part))

    set_out(things, vessel, order["ware"], stream(0))
    sticky, baked = codes["stickiness"], codes["baked"]
    if vessel.glass:
        glass = Glass(things, vessel, codes, order)
        glass.fill(stream(1))
        glass.crown(stream(2))
        if sticky:
            flat = Ground(vessel.radius)
            flat.height[:] = glass.high + 0.02
            syrup.drizzle(things, flat, sticky, vessel.radius, stream(3))
            syrup.run_over(things, vessel, sticky, 0.0, stream(4))
    else:
        ground = filling.mound(things, vessel, codes, stream(1))
        if codes["grains"]:
            filling.pile_grains(things, vessel, ground, codes["grains"], order, stream(5))
        filling.lay_toppings(things, vessel, ground, codes["dessert"], order, stream(6))
        if codes["fruit"]:
            filling.lay_fruits(things, vessel, ground, codes["fruit"], order, stream(7))
        if baked:
            filling.strew_crumbs(things, vessel, ground, baked, stream(8))
            filling.crust_ring(things, vessel, baked, stream(9))
        if sticky:
            syrup.drizzle(things, ground, sticky, vessel.radius, stream(3))
            if vessel.code:
                syrup.run_over(things, vessel, sticky, palette.CRUST[baked], stream(4))
            else:
                syrup.dot(things, sticky, stream(4))
        if codes["greenness"]:
            filling.lay_leaves(things, vessel, ground, codes["greenness"], order, stream(10))
    sideboard.lay_table(things, vessel, order, stream(11))
    if order["napkin"]:
        sideboard.lay_napkin(things, order["napkin"], stream(12))
    for name, batch in things.items():
        looks.place(batch, name, name)
    studio.arrange(vessel, order, stream(13))
