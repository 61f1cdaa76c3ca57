/* What a hand does on the map: it pans and zooms, points, draws a lasso, and drags the query. */

const LASSO_CORNERS = 64
const REACH = 12
const HOVER_MS = 90
const PAN = 60

export class MapHand {
  /**
   * @param over the `MapOver` that it touches, `points` what lies below, `lib` the library
   * @param on {look(view, moving), drag(place), lasso(corners), pick(point), hover(point, pixel),
   *   escape() whether it was used, lassoing(on)}; places and corners are shares of both axes
   */
  constructor({ over, points, lib }, on) {
    Object.assign(this, { over, points, lib, on })
    const { element, marker } = over
    this.zoom = lib.zoom().scaleExtent([0.5, 200])
      .filter((event) => !this.lassoing && !event.shiftKey && !event.button && !this.holding)
      .on("zoom", (event) => on.look(event.transform, true))
      .on("end", (event) => on.look(event.transform, false))
    lib.select(element).call(this.zoom).on("dblclick.zoom", null)
    element.addEventListener("pointerdown", (event) => this.press(event))
    element.addEventListener("pointermove", (event) => this.hoverSoon(event))
    element.addEventListener("pointerleave", () => this.hover(null))
    element.addEventListener("click", (event) => this.click(event))
    element.addEventListener("keydown", (event) => this.key(event))
    marker.addEventListener("pointerdown", (event) => this.hold(event))
  }

  reset() {
    this.lib.select(this.over.element).call(this.zoom.transform, this.lib.zoomIdentity)
  }

  key(event) {
    const pan = { ArrowLeft: [PAN, 0], ArrowRight: [-PAN, 0], ArrowUp: [0, PAN], ArrowDown: [0, -PAN] }[event.key]
    const picked = this.lib.select(this.over.element)
    if (pan) picked.call(this.zoom.translateBy, ...pan.map((v) => v / this.points.view.k))
    else if (event.key === "+" || event.key === "=") picked.call(this.zoom.scaleBy, 1.4)
    else if (event.key === "-") picked.call(this.zoom.scaleBy, 1 / 1.4)
    else if (event.key === "0") this.reset()
    else if (event.key !== "Escape" || !this.on.escape()) return
    event.preventDefault()
    event.stopPropagation()
  }

  pixel(event) {
    const box = this.over.element.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }

  /** Calls `move` until the pointer that pressed `node` is released, then `end`. */
  follow(node, event, move, end) {
    node.setPointerCapture(event.pointerId)
    const done = () => {
      node.removeEventListener("pointermove", move)
      for (const kind of ["pointerup", "pointercancel"]) node.removeEventListener(kind, done)
      end()
    }
    node.addEventListener("pointermove", move)
    for (const kind of ["pointerup", "pointercancel"]) node.addEventListener(kind, done)
  }

  /** The query's point. */
  hold(event) {
    event.stopPropagation()
    event.preventDefault()
    this.holding = true
    // The click that ends the drag picks nothing.
    this.follow(this.over.marker, event, (next) => this.on.drag(this.points.shares(this.pixel(next))),
      () => setTimeout(() => (this.holding = false)))
  }

  setLasso(on) {
    this.lassoing = on
    this.over.element.classList.toggle("lassoing", on)
    this.on.lassoing(on)
  }

  press(event) {
    this.pressed = this.pixel(event)
    this.strayed = false
    if (!(this.lassoing || event.shiftKey) || event.button) return
    const corners = [this.pressed]
    const draw = (next) => {
      const at = this.pixel(next)
      const last = corners[corners.length - 1]
      if (Math.hypot(at[0] - last[0], at[1] - last[1]) < 3) return
      corners.push(at)
      this.over.draft(corners)
    }
    this.follow(this.over.element, event, draw, () => {
      this.over.draft([])
      this.setLasso(false)
      if (corners.length < 3) return
      const step = Math.ceil(corners.length / LASSO_CORNERS)
      this.on.lasso(corners.filter((_, i) => i % step === 0).map((p) => this.points.shares(p)))
    })
  }

  click(event) {
    const at = this.pixel(event)
    if (!this.pressed || this.strayed || this.lassoing || this.holding) return
    const i = this.points.nearest(at, REACH)
    if (i >= 0) this.on.pick(i)
  }

  hoverSoon(event) {
    clearTimeout(this.timer)
    const at = this.pixel(event)
    // A drag stays one when it ends where it began, as a lasso does.
    if (event.buttons && this.pressed) {
      this.strayed ||= Math.hypot(at[0] - this.pressed[0], at[1] - this.pressed[1]) > 4
    }
    this.timer = setTimeout(() => this.hover(event.buttons ? null : at), HOVER_MS)
  }

  hover(at) {
    clearTimeout(this.timer)
    this.on.hover(at ? this.points.nearest(at, REACH) : -1, at)
  }

  close() {
    clearTimeout(this.timer)
  }
}
