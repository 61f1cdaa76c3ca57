/* What lies where on the map: names of its regions, of the big ones from afar and of small ones near. */

import { SVG } from "./dom.js"

const NEAR_ZOOMS = [2, 5]  // zooms from which on smaller regions are named
const NAME_ROW = 18  // pixels of a name and the room around it
const NAME_LETTER = 7.2
const NAME_EDGE = 30  // of the frame, where the axes' ends stand
const MOST_NAMES = 24  // names in sight

export class MapNames {
  constructor() {
    this.element = document.createElementNS(SVG, "g")
    this.element.setAttribute("class", "map-names")
    this.element.setAttribute("data-testid", "map-names")
    this.adopt([])
  }

  /** @param regions [{level, place, name, n, others, terms}]; places in shares of both axes */
  adopt(regions) {
    const strength = ({ terms }) => terms[0].z
    this.regions = [...regions].sort((a, b) => b.level - a.level || strength(b) - strength(a))
    this.last = regions.reduce((most, { level }) => Math.max(most, level), 0)
    this.nodes = new Map()
    this.element.replaceChildren()
  }

  /** Puts the names of the regions in sight where no two cover each other: smaller regions come first when
   *  near, and of one size the clearest.
   *  @param boxes {x, y, side} that they do not cover: squares by their middles */
  draw(points, boxes) {
    const { width, height, view } = points
    if (!width) return
    this.drawn = view
    this.element.removeAttribute("transform")
    const level = Math.min(this.last, NEAR_ZOOMS.filter((zoom) => view.k >= zoom).length)
    const squares = boxes.map(({ x, y, side }) => ({ x, y, wide: side, high: side }))
    const taken = []
    const seen = new Set()
    for (const region of this.regions) {
      const at = region.level <= level && taken.length < MOST_NAMES && !seen.has(region.name)
        && freePlace(points.screen(region.place), region.name.length * NAME_LETTER, [...squares, ...taken], width, height)
      const known = this.nodes.get(region)
      if (!at) {
        known?.setAttribute("visibility", "hidden")
        continue
      }
      taken.push(at)
      seen.add(region.name)
      const node = known || this.node(region)
      node.setAttribute("x", at.x.toFixed(1))
      node.setAttribute("y", (at.y + 4).toFixed(1))
      node.removeAttribute("visibility")
    }
  }

  /** Moves the names with a view that moves, all at once as long as it does not zoom. */
  shift(points) {
    const { k, x, y } = points.view
    if (k !== this.drawn?.k) this.draw(points, [])
    else this.element.setAttribute("transform", `translate(${x - this.drawn.x} ${y - this.drawn.y})`)
  }

  node(region) {
    const node = document.createElementNS(SVG, "text")
    const title = document.createElementNS(SVG, "title")
    const share = (some, of) => `${Math.round((100 * some) / Math.max(of, 1))} %`
    const told = region.terms.map(({ term, here, elsewhere }) =>
      `${term}: ${share(here, region.n)} of the items here, ${share(elsewhere, region.others)} of the others`)
    title.textContent = told.join("\n")
    node.textContent = region.name
    node.append(title)
    node.setAttribute("text-anchor", "middle")
    node.dataset.level = region.level
    this.nodes.set(region, node)
    this.element.append(node)
    return node
  }
}

/** The middle, width and height of a name near a pixel and inside the frame; null where that is out of sight, or all
 *  places near it are `taken`. */
function freePlace([px, py], wide, taken, width, height) {
  if (px < 0 || py < 0 || px > width || py > height) return null
  const inside = (v, room, edge) => Math.min(Math.max(v, edge), Math.max(edge, room - edge))
  const x = inside(px, width, wide / 2 + NAME_EDGE)
  for (const step of [0, 1, -1, 2, -2, 3, -3]) {
    const at = { x, y: inside(py + step * NAME_ROW, height, NAME_EDGE), wide, high: NAME_ROW }
    const isFree = (other) => Math.abs(other.y - at.y) >= (other.high + NAME_ROW) / 2
      || Math.abs(other.x - x) >= (other.wide + wide) / 2 + 8
    if (taken.every(isFree)) return at
  }
  return null
}
