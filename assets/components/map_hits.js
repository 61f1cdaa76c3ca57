/* Pictures of the items found, where they lie on the map: each at its point, moved aside where they would
 * cover each other or the query.
 */

import { SVG, clamp, h } from "./dom.js"

const SIDE = 68, SMALL = 48  // pixels of a picture where few and where many are found
const FEW_HITS = 12
const QUERY = 26
const ROUNDS = 24

export class MapHits {
  /** @param pick(id), `picture` (id) => [title, address, tiny] */
  constructor({ pick, picture }) {
    Object.assign(this, { pick, picture })
    this.lines = document.createElementNS(SVG, "path")
    this.lines.setAttribute("class", "hit-lines")
    this.element = h("div", { class: "map-hits", role: "group", "aria-label": "Retrieved items", "data-testid": "map-hits" })
    this.slots = []
    this.boxes = []  // {x, y, side}: squares by their middles
  }

  /**
   * @param ids best first, `points` in pixels of the map, null where an item is not on it; `query` its pixel
   *   or null; `width` and `height` of the map
   */
  show(ids, points, query, width, height) {
    const side = ids.length > FEW_HITS ? SMALL : SIDE
    while (this.slots.length < ids.length) this.slots.push(this.slot(this.slots.length))
    this.slots.forEach(({ button }, rank) => (button.hidden = !points[rank]))
    const drawn = ids.map((id, rank) => ({ id, rank, point: points[rank] })).filter(({ point }) => point)
    const at = apart(drawn.map(({ point }) => point), query, side, width, height)
    this.boxes = at.map(([x, y]) => ({ x, y, side }))
    this.element.style.setProperty("--side", `${side}px`)
    drawn.forEach(({ id, rank }, i) => this.fill(this.slots[rank], id, rank, at[i].map((v) => v - side / 2)))
    const line = ({ point }, i) => `M${point.map((v) => v.toFixed(1))}L${at[i].map((v) => v.toFixed(1))}`
    this.lines.setAttribute("d", drawn.map(line).join(""))
  }

  slot(rank) {
    const img = h("img", { alt: "", draggable: false, decoding: "sync" })
    const button = h("button", { type: "button", class: "hit", "data-testid": "map-hit", style: `z-index: ${99 - rank}` },
      img, h("span", { class: "hit-rank", "aria-hidden": "true" }, String(rank + 1)))
    button.onclick = () => this.pick(Number(button.dataset.id))
    this.element.append(button)
    return { button, img }
  }

  fill({ button, img }, id, rank, [x, y]) {
    const [title, address, tiny] = this.picture(id) || ["", "", false]
    button.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`
    if (button.dataset.id === String(id) && img.getAttribute("src") === address) return
    button.dataset.id = id
    button.title = title
    button.setAttribute("aria-label", `${rank + 1}: ${title}`)
    img.src = address
    img.classList.toggle("tiny", Boolean(tiny))
  }
}

/** Middles of squares of `side` pixels near `points`, none over another or over the `query`, as far as there is room. */
export function apart(points, query, side, width, height) {
  const inside = (v, room) => clamp(v, side / 2 + 2, Math.max(side / 2 + 2, room - side / 2 - 2))
  // Two at one point would not know which way to go.
  const at = points.map(([x, y], i) => [inside(x + Math.cos(i * 2.4), width), inside(y + Math.sin(i * 2.4), height)])
  const away = (a, b, room, share) => {
    const [dx, dy] = [a[0] - b[0], a[1] - b[1]]
    const [over, under] = [room - Math.abs(dx), room - Math.abs(dy)]
    if (over <= 0 || under <= 0) return false
    const way = over < under ? 0 : 1
    const step = (way ? under : over) * share * (((way ? dy : dx) < 0) ? -1 : 1)
    a[way] += step
    if (share < 1) b[way] -= step
    return true
  }
  for (let round = 0; round < ROUNDS; round++) {
    let moved = false
    for (let i = 0; i < at.length; i++) {
      if (query) moved = away(at[i], query, side / 2 + QUERY / 2, 1) || moved
      for (let j = 0; j < i; j++) moved = away(at[i], at[j], side + 3, 0.5) || moved
    }
    for (const one of at) one.splice(0, 2, inside(one[0], width), inside(one[1], height))
    if (!moved) break
  }
  return at
}
