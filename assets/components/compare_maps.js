/* A map for every run of Compare: what is found lights up on each, and a lasso on one dims the others. */

import { h, icon } from "./dom.js"
import { MapView } from "./map.js"

export class CompareMaps {
  /** @param pick(id) an item was clicked */
  constructor(pick) {
    this.pick = pick
    this.isOpen = false
    this.button = h("button", { type: "button", "data-testid": "map-open", "aria-pressed": "false" },
      icon("map"), "Maps")
    this.button.onclick = () => this.open(!this.isOpen)
    this.maps = []
  }

  /** Maps for other runs, as elements in the order of `columns`. */
  make(columns) {
    this.close()
    this.columns = columns
    this.maps = columns.map(() => new MapView({
      pick: (id) => this.pick(id),
      choose: () => {},
      chosen: (map) => this.link(map),
    }))
    this.maps.forEach((map, i) => columns[i].element.append(map.element))
  }

  /** @param data of the panel; `maps` has one for each run, or none */
  adopt({ runs, maps, asks, side, factor }) {
    this.button.hidden = !maps.every(Boolean)
    if (this.button.hidden) return this.open(false)
    this.maps.forEach((map, i) => {
      const { id, dims, parts } = runs[i]
      map.adopt({ map: maps[i], run: id, rows: "test", asks, side, axes: axesOf(runs, parts, factor) }, dims)
      map.setLayout(maps[i].layout)
      map.setSelections(maps[i].selections)
    })
    if (this.isOpen) this.moved()
  }

  open(isOpen) {
    this.isOpen = isOpen
    this.button.setAttribute("aria-pressed", String(isOpen))
    this.button.closest(".compare")?.classList.toggle("with-maps", isOpen)
    this.maps.forEach((map) => map.open(isOpen))
    if (isOpen) this.moved()
  }

  /** Every run's z has moved. */
  moved() {
    if (this.isOpen) this.maps.forEach((map, i) => map.moved(this.columns[i].z()))
  }

  light(i, ids) {
    this.maps[i]?.light(ids)
  }

  /** Items chosen on one map are shown on the others. */
  link(from) {
    if (this.linking) return
    this.linking = true
    const ids = from.within || from.selected ? from.chosenIds() : null
    for (const map of this.maps) if (map !== from) map.follow(ids)
    this.linking = false
  }

  close() {
    this.maps.forEach((map) => map.close())
    this.maps = []
  }
}

/** The axes of a run that belong to the factor in hand and to the next one that all runs have. */
function axesOf(runs, parts, factor) {
  const shared = parts.map((_, f) => f).filter((f) => runs.every((run) => run.parts[f].axis !== null))
  const wanted = [factor, ...shared.filter((f) => f !== factor)].filter((f) => shared.includes(f)).slice(0, 2)
  return wanted.length === 2 ? wanted.map((f) => parts[f].axis) : null
}
