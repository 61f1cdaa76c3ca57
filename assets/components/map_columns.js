/* The lists above the map: what its columns are, and which of them are chosen. */

import { ordered } from "./axis_order.js"
import { reach } from "./reach.js"
import { h } from "./dom.js"
import { SPARSE_TO_DENSE, density } from "./map_colours.js"
import { AxesFrame, LAYOUT, LayoutFrame } from "./map_frame.js"

const CROWD = "density"  // the column that is made in the browser, of the points as they lie
const GROUPS = [["factor", "Factors"], ["item", "Items"], ["tag", "Tags"], ["axis", "Axes"]]

/** What tells one list of added axes from another. */
export function addedNames(addedAxes) {
  return JSON.stringify((addedAxes || []).map(({ id, given }) => [id, given]))
}

export class MapColumns {
  /** @param onChange() another one is chosen */
  constructor(onChange) {
    const select = (label, name) => {
      const node = h("select", { "aria-label": label, title: label, "data-testid": `map-${name}` })
      node.onchange = onChange
      return node
    }
    this.right = select("To the right", "x")
    this.up = select("Upwards", "y")
    this.colour = select("Colour", "colour")
    this.elements = [this.right, this.up, this.colour]
    this.fetched = new Map()
  }

  /** The columns of another run, at `url`. */
  adopt({ url, version }) {
    this.url = url
    this.version = version
    this.fetched.clear()
  }

  async get(name, version = this.version) {
    const address = `${this.url}/${name}?v=${encodeURIComponent(version)}`
    if (!this.fetched.has(address)) {
      const reply = await reach(address)
      if (!reply.ok) throw new Error("no column")
      const isJson = (reply.headers.get("content-type") || "").includes("json")
      const kind = name === "items" ? Uint32Array : Uint16Array
      this.fetched.set(address, isJson ? await reply.json() : new kind(await reply.arrayBuffer()))
    }
    return this.fetched.get(address)
  }

  /** Fills the lists anew where axes were added or removed; what is chosen stays as far as it is there. */
  async renew(dims, data) {
    const lists = [this.right, this.up, this.colour]
    const chosen = lists.map((list) => list.value)
    await this.open(dims, data)
    lists.forEach((list, at) => {
      if ([...list.options].some(({ value }) => value === chosen[at])) list.value = chosen[at]
    })
  }

  /** Fills the lists; first come the two `axes` that are wanted, else the two most reliable. */
  async open(dims, { axes: wanted, map, offersLayout, addedAxes = [] }) {
    // Another list is another address: the browser keeps what it has fetched.
    const columns = await this.get("columns", `${this.version}/${addedNames(addedAxes)}`)
    this.about = new Map(columns.map((one) => [one.key, one]))
    this.dims = new Map([...dims.map((dim, j) => [String(j), dim]), ...addedAxes.map((dim) => [dim.id, dim])])
    const option = (value, label) => h("option", { value }, label)
    const axes = [...this.dims].filter(([axis]) => this.about.has(`axis-${axis}`))
    const sorted = ordered(axes.map(([axis, dim], j) => ({ ...dim, axis, j })), "reliable")
    const first = (wanted || map.axes || sorted.map(({ axis }) => axis)).map(String)
    for (const [list, axis] of [[this.right, first[0]], [this.up, first[1]]]) {
      list.replaceChildren(...axes.map(([value]) => option(value, this.about.get(`axis-${value}`).label)))
      list.value = axis
    }
    if (this.about.has(`${LAYOUT}-0`) && (offersLayout || map.layout === "there")) this.right.prepend(option(LAYOUT, "2-D layout"))
    const groups = GROUPS.map(([group, label]) => {
      const some = columns.filter((one) => one.group === group).map((one) => option(one.key, one.label))
      if (group === "item") some.push(option(CROWD, "Density"))
      return some.length ? h("optgroup", { label }, ...some) : null
    })
    this.colour.replaceChildren(option("", "One colour"), ...groups.filter(Boolean))
  }

  get isLayout() {
    return this.right.value === LAYOUT
  }

  /** Back to the axes of `frame`. */
  leaveLayout(frame) {
    this.right.value = frame.keys[0].slice("axis-".length)
  }

  frame() {
    this.up.hidden = this.isLayout
    if (this.isLayout) return new LayoutFrame()
    return new AxesFrame([this.right.value, this.up.value], this.about, this.dims)
  }

  /** The values that colour the points, null for one colour; `points` as they lie. */
  async values(points) {
    const name = this.colour.value
    if (!name) return null
    if (name === CROWD) return density(points)
    const codes = await this.get(name)
    return this.isTurned(name) ? codes.map((code) => (code === UNKNOWN ? code : STEPS - code)) : codes
  }

  /** What the colours are of. */
  get coloured() {
    const about = this.about.get(this.colour.value) || SPARSE_TO_DENSE
    return this.isTurned(about.key) ? { ...about, low: -about.high, high: -about.low } : about
  }

  /** Whether a column is of an axis that is shown as −z. */
  isTurned(name) {
    return Boolean(name?.startsWith("axis-") && this.dims.get(name.slice("axis-".length))?.flipped)
  }
}
