"""What colours a dish has, by its level of dessert, and how much of everything there is."""

from __future__ import annotations

from looks import rgb

# From savory to sweet: what fills the dish, and the liquid about it.
BASE = tuple(rgb(tone) for tone in ("7a3a1e", "b9803f", "cfa868", "e6b98c", "ea86a2"))
LIQUID = tuple(rgb(tone) for tone in ("c2481a", "dc942a", "e6b458", "f6e3b4", "f9cfd8"))
SYRUP = rgb("4e1c06")
ICE_CREAM = tuple(rgb(tone) for tone in ("f7e3b5", "f2a9b4", "7b4526"))
SPRINKLES = tuple(rgb(tone) for tone in ("e8467c", "f2c230", "4a9ad6", "ffffff", "7ac25a"))
PEPPER = tuple(rgb(tone) for tone in ("2a1a10", "1d120c", "5a1208"))
CHOCOLATE = rgb("3b1d10")

# By level, on plates and in bowls: the middle of a sector (radians, 3/2 pi is in front), half its
# width by level, pieces by level.
GREEN_AT, GREEN_HALF, N_LEAVES = 1.65, (0, 0.35, 0.6, 0.9, 1.25), (0, 5, 13, 25, 44)
N_HERBS = (0, 30, 80, 150, 240)
FRUIT_AT, FRUIT_HALF, N_FRUIT = 3.5, (0, 0.35, 0.55, 0.75, 0.95), (0, 3, 6, 11, 18)
GRAIN_AT, GRAIN_HALF, N_GRAINS = 5.9, (0, 0.42, 0.68, 0.95, 1.25), (0, 170, 420, 820, 1400)
# Behind glass.
N_WALL_LEAVES, N_WALL_FRUIT = (0, 3, 9, 18, 32), (0, 3, 7, 13, 21)
N_WALL_GRAINS = (0, 90, 180, 270, 360)
GREEN_BAND, FRUIT_BAND, GRAIN_BAND, CRUMB_BAND = 0.085, 0.08, 0.08, 0.04
# The share of a glass that liquid takes, from the top.
WET_SHARE = (0.0, 0.25, 0.5, 0.75, 1.0)

# A drizzle to and fro: turns and half its width; drips over the rim: how many and how long.
PASSES, THREAD = (0, 4, 5, 6, 7), (0, 0.013, 0.025, 0.043, 0.07)
WIDE_THREAD = (0, 0.02, 0.034, 0.054, 0.078)  # on plates and wide bowls
N_DRIPS, DRIP = (0, 4, 7, 10, 14), (0, 0.2, 0.34, 0.52, 0.8)
COLLAR = (0, 0, 0, 0.04, 0.15)

# The crust at the rim: how thick, and how brown dishes are, by level of baked.
CRUST, BROWN = (0, 0.05, 0.075, 0.1, 0.13), (0, 0.3, 0.55, 0.8, 1.0)
N_CRUMBS = (0, 40, 110, 220, 360)
