/* The axes that were added to a run: each moves all of z along a direction.
 *
 * z is what the sliders of z hold, `own`, plus for each added axis the amount that it was moved by, times
 * its direction. So a link can name the amounts, and what is dragged for long does not drift by rounding.
 * With "only this" an axis moves so that the readings of the other named axes stay; that goes into `own`.
 */

import { h, round4 } from "./dom.js"

const product = (a, b) => a.reduce((sum, x, j) => sum + x * b[j], 0)
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
    return this.axes.map(({ reads, offset }) => round4(product(reads, z) + offset))
  }

  /** z with axis `k` moved to a place. */
  move(k, to) {
    const { id, reads, offset, moves, alone } = this.axes[k]
    const now = this.own.map((own, j) => own + this.part(j))
    const by = to - product(reads, now) - offset
    if (this.only.checked) this.own = this.own.map((own, j) => own + by * alone[j])
    else this.amounts[id] = round4((this.amounts[id] || 0) + by)
    return this.own.map((own, j) => round4(own + this.part(j)))
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
