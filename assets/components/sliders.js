/* The sliders with what stands above and below them; Explore and Compare own one of these each.
 *
 * Holds the values and which of them are locked, and tells its owner what the hand does: a gesture
 * begins (a drag, or a run of key presses), a value has changed, things have come to rest.
 */

import { folded, round4, setText } from "./dom.js"
import { buildControls } from "./layout.js"
import { Row } from "./rows.js"

const GESTURE_PAUSE_MS = 900

export class Sliders {
  /** @param on {gesture(), change(), rest(), release(), focus(j), about(j)?} */
  constructor(on) {
    this.on = on
    this.rows = []
    this.values = []
    this.locked = new Set()
    this.active = 0
    this.controls = buildControls({
      filter: () => this.filter(),
      sort: () => this.setSort(!this.byEffect, true),
      span: (span) => this.setSpan(span, true),
      jump: (sigmas) => this.jump(sigmas),
      reset: () => this.setFree(this.base),
      random: () => this.randomise(),
    })
    this.element = this.controls.element
  }

  /**
   * Takes a state over.
   * @param dims [{name, short, given, mean, std, effect}], or null where they are the ones shown already
   */
  adopt(dims, { values, base, locked, span, byEffect }) {
    this.values = [...values]
    this.base = base
    this.locked = new Set(locked)
    if (dims) this.makeRows(dims)
    this.setSpan(span, false)
    this.setSort(byEffect, false)
    this.rows.forEach((row, j) => row.setLocked(this.locked.has(j)))
    this.focusDim(Math.min(this.active, this.rows.length - 1))
    this.controls.find.style.display = this.rows.length > 8 ? "" : "none"
  }

  makeRows(dims) {
    const on = {
      input: (j, value) => this.set(j, value),
      commit: () => this.on.rest(),
      lock: (j) => this.toggleLock(j),
      focus: (j) => this.focusDim(j),
      hold: (isHeld) => this.hold(isHeld),
      about: this.on.about,
    }
    this.rows = dims.map((dim, j) => new Row({ ...dim, j }, on))
    this.controls.list.classList.toggle("dense", this.rows.length > 8)
    this.active = 0
  }

  /** How sure the axes are, `[{verdict, text}]`; empty where nothing says so. */
  setMarks(marks) {
    this.rows.forEach((row, j) => row.setMark(marks[j]))
  }

  lockedDims() {
    return [...this.locked].sort((a, b) => a - b)
  }

  set(j, value) {
    this.values[j] = round4(value)
    this.rows[j].write(this.values[j])
    this.changed()
  }

  /** A held thumb is one gesture however long it rests; what comes after is the next one. */
  hold(isHeld) {
    this.held = isHeld
    if (isHeld) this.endGesture()
    else this.on.release()
  }

  /** The next change begins a new gesture. */
  endGesture() {
    this.lastInput = 0
  }

  changed() {
    const now = performance.now()
    const rested = !this.held && now - this.lastInput > GESTURE_PAUSE_MS
    if (!this.lastInput || rested) this.on.gesture()
    this.lastInput = now
    this.on.change()
  }

  /** Sets every dimension that is not locked. */
  setFree(values) {
    this.values = this.values.map((old, j) => (this.locked.has(j) ? old : round4(values[j])))
    this.rows.forEach((row, j) => row.write(this.values[j]))
    this.endGesture()
    this.changed()
    this.on.rest()
  }

  randomise() {
    const normal = () =>
      Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())
    this.setFree(this.rows.map(({ dim }) => dim.mean + dim.std * normal()))
  }

  jump(sigmas) {
    const { dim, sign } = this.rows[this.active]
    this.endGesture()
    this.set(this.active, dim.mean + sign * sigmas * dim.std)
    this.on.rest()
  }

  toggleLock(j) {
    if (!this.locked.delete(j)) this.locked.add(j)
    this.rows[j].setLocked(this.locked.has(j))
    this.on.rest()
  }

  setSpan(span, tell) {
    this.span = span
    this.controls.span.value = span
    this.rows.forEach((row, j) => {
      row.setRange(span, this.base[j])
      row.write(this.values[j])
    })
    if (tell) this.on.rest()
  }

  setSort(byEffect, tell) {
    this.byEffect = byEffect
    this.controls.sort.setAttribute("aria-pressed", String(byEffect))
    const order = this.rows.map((row) => row)
    if (byEffect) order.sort((a, b) => b.dim.effect - a.dim.effect || a.dim.j - b.dim.j)
    this.controls.list.replaceChildren(...order.map((row) => row.element))
    if (tell) this.on.rest()
  }

  filter() {
    const wanted = folded(this.controls.find.value.trim())
    for (const row of this.rows) {
      const { name, j } = row.dim
      const fits = !wanted || folded(name).includes(wanted) || String(j + 1) === wanted
      row.element.hidden = !fits
    }
  }

  focusDim(j) {
    if (this.rows[this.active]) this.rows[this.active].element.classList.remove("active")
    this.active = j
    this.rows[j].element.classList.add("active")
    setText(this.controls.jumpName, this.rows[j].label)
    this.controls.jumps.setAttribute("aria-label", `Move ${this.rows[j].dim.name} to`)
    this.on.focus(j)
  }
}
