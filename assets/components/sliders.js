/* The sliders with what stands above and below them; Explore and Compare own one of these each.
 *
 * Holds the values and which of them are locked, and tells its owner what the hand does: a gesture
 * begins (a drag, or a run of key presses), a value has changed, things have come to rest.
 *
 * Axes that were added move all values at once; see `added.js`.
 */

import { Added } from "./added.js"
import { fit, ordered, reasons, restLabel, shownFirst } from "./axis_order.js"
import { round4, setText } from "./dom.js"
import { keep, kept } from "./kept.js"
import { buildControls } from "./layout.js"
import { Row } from "./rows.js"

const GESTURE_PAUSE_MS = 900
const MANY = 8  // axes, among which one wants to find some

export class Sliders {
  /**
   * @param on {gesture(), change(), rest(), release(), focus(j), touch(j)?, about(j)?, add(words)?}
   * @param folds whether only the best axes are shown at first, and what is precise when it is asked for
   */
  constructor(on, folds = true) {
    this.on = on
    this.folds = folds
    this.rows = []  // one for each value, then one for each axis that was added
    this.values = []
    this.locked = new Set()
    this.active = 0
    this.added = new Added(on.add && { add: () => on.add(""), only: () => this.setOnly() })
    this.controls = buildControls({
      find: () => this.arrange(),
      order: (order) => this.setOrder(order, true),
      precise: () => this.setPrecise(!this.precise, true),
      fold: () => this.setOpen(!this.isOpen),
      want: () => this.on.add(this.controls.find.value.trim()),
      span: (span) => this.setSpan(span, true),
      jump: (sigmas) => this.jump(sigmas),
      reset: () => this.setFree(this.base),
      random: () => this.randomise(),
    })
    this.element = this.controls.element
    this.isOpen = !folds || kept("rivae-axes") === "open"
    this.setPrecise(!folds || kept("rivae-precise") === "on", false)
    if (on.add) this.controls.none.after(this.added.foot)
  }

  /**
   * Takes a state over.
   * @param dims [{name, short, given, mean, std, effect}], or null where they are the ones shown already; `order`
   *   where it is known exactly, else `byEffect`
   * @param chosen the rows that are shown, in their order, where they are not the visitor's choice
   */
  adopt(dims, { values, base, locked, span, byEffect, order, added = {}, addedAxes = [], onlyThis = false, adds = false, chosen = null }) {
    this.values = [...values]
    this.base = base
    this.locked = new Set(locked)
    this.chosen = chosen
    this.added.button.hidden = !adds
    const hasOthers = this.added.adopt(addedAxes, added, values, onlyThis)
    if (dims) this.dims = dims
    if (dims || hasOthers) this.makeRows()
    this.setSpan(span, false)
    const { own, amounts } = this.added
    this.rows.forEach((row, j) => row.touch(j < values.length ? Math.abs(own[j] - base[j]) > 5e-5 : Boolean(amounts[row.dim.id])))
    if (order) this.setOrder(order, false)
    else this.showOrder(byEffect)
    this.arrange()
    this.latents().forEach((row, j) => row.setLocked(this.locked.has(j)))
    this.showStuck()
    this.focusDim(Math.min(this.active, this.rows.length - 1))
    this.controls.find.style.display = this.rows.length > MANY ? "" : "none"
  }

  makeRows() {
    const on = {
      input: (j, value) => this.set(j, value),
      commit: () => this.on.rest(),
      lock: (j) => this.toggleLock(j),
      focus: (j) => this.focusDim(j),
      hold: (isHeld) => this.hold(isHeld),
      about: this.on.about,
    }
    this.marks = null
    const before = this.rows[this.active]?.label
    this.rows = [...this.dims, ...this.added.axes].map((dim, j) => new Row({ ...dim, j }, on))
    this.controls.list.classList.toggle("dense", (this.chosen ?? this.rows).length > MANY)
    this.active = Math.max(0, this.rows.findIndex((row) => row.label === before))
  }

  /** The rows of the values themselves. */
  latents() {
    return this.rows.slice(0, this.dims.length)
  }

  /** How sure the axes are, `[{verdict, text}]`; empty where nothing says so. */
  setMarks(marks) {
    const said = JSON.stringify(marks)
    if (said === this.marks) return
    this.marks = said
    this.latents().forEach((row, j) => row.setMark(marks[j]))
    this.arrange()
  }

  lockedDims() {
    return [...this.locked].sort((a, b) => a - b)
  }

  set(j, value) {
    this.rows[j].touch()
    this.on.touch?.(j)
    if (j < this.values.length) {
      this.values[j] = round4(value)
      this.added.keep(this.values)
      this.rows[j].write(this.values[j])
      this.writeAdded()
    } else {
      this.values = this.added.move(j - this.values.length, value)
      this.latents().forEach((row, k) => row.write(this.values[k]))
      this.writeAdded(j)
      this.rows[j].write(round4(value))  // as the thumb has it: its place follows from rounded values
    }
    this.changed()
  }

  /** Moves axes to where they should be, [[number or id, value]], but for those that are held. */
  setTogether(wanted) {
    const { stuck } = this.added
    const moves = wanted.map(([axis, value]) => {
      const j = this.rows.findIndex(({ dim }) => String(dim.id ?? dim.j) === String(axis))
      return [j, value]
    }).filter(([j]) => j >= 0 && !this.locked.has(j) && !stuck[j - this.values.length])
    for (const [j, value] of this.added.inTurn(moves)) this.set(j, value)
  }

  /** Shows where z lies on the axes that were added, but for the one in hand. */
  writeAdded(held = -1) {
    const places = this.added.places(this.values)
    places.forEach((place, k) => k + this.values.length === held || this.rows[this.values.length + k].write(place))
  }

  /** Whether moving an added axis leaves the others. */
  setOnly() {
    this.showStuck()
    this.on.rest()
  }

  showStuck() {
    const { stuck } = this.added
    stuck.forEach((why, k) => this.rows[this.dims.length + k].setStuck(why))
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
    this.added.forget(this.values)
    this.latents().forEach((row, j) => row.write(this.values[j]))
    this.writeAdded()
    this.endGesture()
    this.changed()
    this.on.rest()
  }

  randomise() {
    const normal = () =>
      Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())
    this.setFree(this.dims.map((dim) => dim.mean + dim.std * normal()))
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
    const homes = [...this.base, ...this.added.places(this.base)]
    const shown = [...this.values, ...this.added.places(this.values)]
    this.rows.forEach((row, j) => {
      row.setRange(span, homes[j])
      row.write(shown[j])
    })
    if (tell) this.on.rest()
  }

  // which axes are seen, and in which order

  /** By number, or the best first: the most reliable, or the most effective if the visitor prefers that. */
  get byEffect() {
    return this.order !== "number"
  }

  showOrder(byEffect) {
    const best = kept("rivae-order") === "effect" ? "effect" : "reliable"
    this.setOrder(byEffect ? best : "number", false)
  }

  setOrder(order, tell) {
    this.order = order
    this.controls.order.value = order
    if (!tell) return
    if (order !== "number") keep("rivae-order", order)
    this.arrange()
    this.on.rest()
  }

  setPrecise(precise, tell) {
    this.precise = precise
    this.element.classList.toggle("precise", precise)
    this.controls.precise.setAttribute("aria-pressed", String(precise))
    if (tell) keep("rivae-precise", precise ? "on" : "off")
  }

  setOpen(isOpen) {
    this.isOpen = isOpen
    keep("rivae-axes", isOpen ? "open" : "closed")
    this.arrange()
  }

  /** Puts the axes in order; the first are shown, and with them those that were moved, or all that are found. */
  arrange() {
    const { list, fold, find, none, missing, want } = this.controls
    if (this.chosen) return list.replaceChildren(...this.chosen.map((j) => this.rows[j].element))
    const word = find.style.display === "none" ? "" : find.value.trim()
    const axes = ordered(this.rows.map(({ dim }) => dim), this.order)
    const n = this.folds ? shownFirst(axes, this.order) : axes.length
    const moved = axes.slice(n).filter(({ j }) => this.rows[j].isMoved)
    const first = [...axes.slice(0, n), ...(moved.length <= MANY ? moved : [])]
    const rest = axes.filter((axis) => !first.includes(axis))
    const found = word && new Map(axes.map((axis) => [axis, reasons(axis, word)]))
    for (const axis of axes) {
      const why = found ? found.get(axis) : []
      this.rows[axis.j].element.hidden = found ? !why : !this.isOpen && rest.includes(axis)
      this.rows[axis.j].setWhy(why || [])
    }
    fold.hidden = Boolean(found) || !rest.length
    fold.setAttribute("aria-expanded", String(this.isOpen))
    setText(fold, restLabel(rest))
    none.hidden = !found || [...found.values()].some(Boolean)
    setText(missing, `No axis is about “${word}”.`)
    setText(want, `Add an axis of “${word}”`)
    want.hidden = this.added.button.hidden || !this.on.add
    const all = [...first, ...rest]
    if (found) all.sort((a, b) => fit(found.get(a), word) - fit(found.get(b), word) || 0)
    const elements = all.map(({ j }) => this.rows[j].element)
    if (elements.some((node, at) => list.children[at] !== node)) list.replaceChildren(...elements)
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
