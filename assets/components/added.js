/* The axes that were added to a run: each moves all of z along a direction.
 *
 * z is what the sliders of z hold, `own`, plus for each added axis the amount that it was moved by, times
 * its direction. So a link can name the amounts, and what is dragged for long does not drift by rounding.
 * With "only this" an axis moves so that the readings of the other named axes stay; that goes into `own`.
 */

import { h, round4 } from "./dom.js"

const product = (a, b) => a.reduce((sum, x, j) => sum + x * b[j], 0)
const APART = 0.05  // two axes that say more than this of each other's step are one

/** Where z lies on axis `j` of z, or on one that was added. */
export function placeOn({ reads, offset }, j, z) {
  return reads ? product(reads, z) + offset : z[j]
}
const ALL_SAID = "The other named axes say all that this one says: switch “Only this” off to move it"

export class Added {
  /** @param on {add(), only()}, or undefined where none can be added */
  constructor(on) {
    this.axes = []
    this.amounts = {}
    this.own = []
    this.said = "[]"
    this.only = h("input", { type: "checkbox", "data-testid": "only-this", onchange: () => on?.only() })
    this.onlyLabel = h("label", { class: "check", hidden: true,
      title: "Moving an added axis leaves the other named axes where they are" }, this.only, "Only this")
    const add = h("button", { type: "button", "data-testid": "add-axis", onclick: () => on?.add() },
      h("span", { "aria-hidden": "true" }, "+"), "Add an axis")
    this.button = add
    this.foot = h("div", { class: "bar added-foot" }, add, h("span", { class: "grow" }), this.onlyLabel)
  }

  /**
   * Takes a state over; whether there are other axes than before.
   * @param axes [{id, reads, offset, moves, alone, …}]; `amounts` by id that they were moved by
   */
  adopt(axes, amounts, values, onlyThis) {
    const said = JSON.stringify(axes)
    const isOther = said !== this.said
    this.said = said
    this.axes = axes
    this.amounts = { ...amounts }
    this.only.checked = onlyThis
    this.onlyLabel.hidden = !axes.length
    this.keep(values)
    return isOther
  }

  /** What the added axes have moved value `j` by. */
  part(j) {
    return this.axes.reduce((sum, { id, moves }) => sum + (this.amounts[id] || 0) * moves[j], 0)
  }

  /** The values were set otherwise: the amounts stay. */
  keep(values) {
    this.own = values.map((value, j) => value - this.part(j))
  }

  /** The values were set otherwise, and the amounts are part of them. */
  forget(values) {
    this.amounts = {}
    this.own = [...values]
  }

  /** Where z lies on each axis. */
  places(z) {
    return this.axes.map((axis) => round4(placeOn(axis, 0, z)))
  }

  /** z with axis `k` moved to a place. */
  move(k, to) {
    const { id, alone } = this.axes[k]
    const by = to - placeOn(this.axes[k], 0, this.values)
    if (this.only.checked) this.own = this.own.map((own, j) => own + by * alone[j])
    else this.amounts[id] = round4((this.amounts[id] || 0) + by)
    return this.values.map(round4)
  }

  get values() {
    return this.own.map((own, j) => own + this.part(j))
  }

  /** How far a step of 1 along axis `k` moves axis `j`; numbers from that of values on are added axes. */
  shift(j, k) {
    const unit = (i) => this.own.map((_, at) => Number(at === i))
    const [to, by] = [this.axes[j - this.own.length], this.axes[k - this.own.length]]
    const step = by ? (this.only.checked ? by.alone : by.moves) : unit(k)
    return to ? product(to.reads, step) : step[j]
  }

  /** `wanted` [[j, place]] of one or two axes as moves one after the other: each moves the other, too. */
  inTurn(wanted) {
    if (wanted.length < 2 || wanted.every(([j]) => j < this.own.length)) return wanted
    const [[a, toA], [b, toB]] = wanted
    const now = (j) => placeOn(this.axes[j - this.own.length] || {}, j, this.values)
    const apart = 1 - (this.shift(a, b) * this.shift(b, a)) / (this.shift(a, a) * this.shift(b, b))
    if (Math.abs(apart) < APART) return wanted.slice(0, 1)
    const byB = (toB - now(b) - (this.shift(b, a) / this.shift(a, a)) * (toA - now(a))) / (this.shift(b, b) * apart)
    return [[a, toA - byB * this.shift(a, b)], [b, toB]]
  }

  /** Why each axis cannot be moved now, "" where it can. */
  get stuck() {
    return this.axes.map(({ alone }) => (this.only.checked && !alone ? ALL_SAID : ""))
  }

  /** For the link: {id: amount}, without those that are where they were. */
  moved() {
    return Object.fromEntries(Object.entries(this.amounts).filter(([, amount]) => amount))
  }
}
