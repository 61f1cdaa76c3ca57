/* What lies where on the map: names of its regions, of the big ones from afar and of small ones near. */

import { SVG } from "./dom.js"

const NEAR = [2, 5]  // zooms from which on smaller regions are named
const ROW = 18  // pixels of a name and the room around it
const LETTER = 7.2
const EDGE_ROOM = 30  // of the frame, where the axes' ends stand
const MOST = 24  // names in sight

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
    this.regions = [...regions].sort((a, b) => strength(b) - strength(a))
    this.last = regions.reduce((most, { level }) => Math.max(most, level), 0)
    this.nodes = new Map()
    this.element.replaceChildren()
  }

  /** Puts the names of the regions in sight where no two cover each other, the clearest first. */
  draw(points) {
    const { width, height, view } = points
    if (!width) return
    const level = Math.min(this.last, NEAR.filter((zoom) => view.k >= zoom).length)
    const taken = []
    const seen = new Set()
    for (const region of this.regions) {
      const at = region.level === level && taken.length < MOST && !seen.has(region.name)
        && free(points.screen(region.place), region.name.length * LETTER, taken, width, height)
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

/** The middle and width of a name at a pixel, moved inside the frame; null where it is out of sight or covers another. */
function free([x, y], wide, taken, width, height) {
  if (x < 0 || y < 0 || x > width || y > height) return null
  const half = wide / 2
  const inside = (v, room, edge) => Math.min(Math.max(v, edge), Math.max(edge, room - edge))
  const at = { x: inside(x, width, half + EDGE_ROOM), y: inside(y, height, EDGE_ROOM), wide }
  const isFree = taken.every((other) =>
    Math.abs(other.y - at.y) >= ROW || Math.abs(other.x - at.x) >= (other.wide + wide) / 2 + 8)
  return isFree ? at : null
}
