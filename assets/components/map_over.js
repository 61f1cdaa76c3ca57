/* What lies above the map's points: the edge of the data, both axes, the items found, the query. */

import { SVG, clamp, setText } from "./dom.js"
const EDGE = 14  // pixels that the query keeps from the frame

export class MapOver {
  constructor() {
    this.edge = svg("polygon", { class: "edge" })
    this.lasso = svg("polygon", { class: "lasso" })
    this.axes = svg("g", {})
    this.images = svg("g", { class: "map-pictures" })
    this.lights = svg("g", { class: "lights" })
    this.marker = svg("g", { class: "query-point", "data-testid": "map-query", visibility: "hidden" },
      svg("title", {}, "The query: drag it"), svg("circle", { r: 13, class: "hold" }),
      svg("path", { d: "M0 -9L9 0L0 9L-9 0Z" }))
    this.drafted = svg("polygon", { class: "lasso" })
    this.element = svg("svg", { class: "map-over", tabindex: 0, role: "application", "aria-roledescription": "map",
      "aria-label": "Map of all items: arrow keys move it, plus and minus zoom", "data-testid": "map" },
      this.edge, this.axes, this.images, this.lasso, this.drafted, this.lights, this.marker)
  }

  /** Draws everything that moves with the view. @param corners of a lasso, or null, `poles` {low, high}
   *  of both axes, or null */
  draw({ edge, corners, poles }) {
    const { width, height } = this.points
    const line = (places) => places.map((place) => this.points.screen(place).map((v) => v.toFixed(1)).join(",")).join(" ")
    this.element.setAttribute("viewBox", `0 0 ${width} ${height}`)
    this.edge.setAttribute("points", line(edge))
    this.lasso.setAttribute("points", corners ? line(corners) : "")
    if (!poles) return this.axes.replaceChildren()
    const [right, up] = poles
    const pole = (text, x, y, anchor, turn) => svg("text", { x, y, "text-anchor": anchor, transform: turn }, text)
    const arrows = `M14 ${height - 8}H${width - 10}m-5 -4l5 4l-5 4M8 ${height - 14}V10m-4 5l4 -5l4 5`
    this.axes.replaceChildren(
      svg("path", { d: arrows, class: "arrows" }),
      pole(right.low, 26, height - 13, "start"), pole(right.high, width - 18, height - 13, "end"),
      pole(up.low, 18, height - 26, "start", `rotate(-90 18 ${height - 26})`),
      pole(up.high, 18, 14, "end", "rotate(-90 18 14)"))
  }

  /** A lasso under the hand, corners in pixels. */
  draft(corners) {
    this.drafted.setAttribute("points", corners.map((p) => p.join(",")).join(" "))
  }

  /** Lights the points of some items. */
  light(indices) {
    const { points } = this
    this.lights.replaceChildren(...indices.map((i) => {
      const [cx, cy] = points.screen(points.at(i))
      return svg("circle", { cx, cy, r: 5.5 })
    }))
  }

  /** Puts the query's point at a place (shares of both axes), at the edge where that is out of sight;
   *  returns its pixel. @param held whether a hand can move it
   */
  query(place, held) {
    const { width, height } = this.points
    const wanted = this.points.screen(place)
    const [x, y] = [clamp(wanted[0], EDGE, width - EDGE), clamp(wanted[1], EDGE, height - EDGE)]
    const isBeyond = x !== wanted[0] || y !== wanted[1]
    this.marker.classList.toggle("fixed", !held)
    this.marker.classList.toggle("beyond", isBeyond)
    const what = held ? "The query: drag it" : "The middle of what is found"
    setText(this.marker.firstChild, isBeyond ? `${what}. It lies beyond this edge` : what)
    this.marker.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`)
    this.marker.removeAttribute("visibility")
    return [x, y]
  }

  /** Pictures of `side` pixels that stand in for points, until `shift`ed with the view.
   *  @param shown [pixel, address] of each */
  pictures(shown, side) {
    this.pictured = this.points.view
    this.images.removeAttribute("transform")
    this.images.replaceChildren(...shown.map(([[x, y], href]) =>
      svg("image", { href, x: x - side / 2, y: y - side / 2, width: side, height: side })))
  }

  /** Moves the pictures with a view that moves, all at once. */
  shift({ k, x, y }) {
    const from = this.pictured
    if (!from || !this.images.firstChild) return
    const by = k / from.k
    this.images.setAttribute("transform", `translate(${x - by * from.x} ${y - by * from.y}) scale(${by})`)
  }
}

function svg(tag, props, ...children) {
  const node = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(props)) if (value !== undefined) node.setAttribute(name, value)
  node.append(...children.filter(Boolean))
  return node
}
