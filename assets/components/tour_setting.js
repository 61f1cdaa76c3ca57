/* Where a step of a tour stands on its axes: names, levels, and sliders that a presenter can move. */

import { h, setText } from "./dom.js"
import { markOf, poleOf, sayLevel, turnedLevel } from "./levels.js"

const REACH_SD = 3  // s.d. to both sides that a slider covers at least

export class TourSetting {
  /** @param change(levels) a slider has moved; levels in s.d. from the mean */
  constructor(change) {
    this.change = change
    this.element = h("ul", { class: "setting", "data-testid": "tour-setting" })
  }

  /**
   * Shows a step.
   * @param levels of z on its axes, `axes` {name, left, right, given, flipped} of each, `at` s.d. of z
   *   from the mean once known
   */
  show(levels, axes, at) {
    const key = JSON.stringify([levels, axes, at])
    if (key === this.key) return  // a slider may be under the hand
    this.key = key
    this.levels = at && at.map((value) => value)
    this.rows = levels.map((level, n) => this.row(level, axes[n], at && at[n], n))
    this.element.replaceChildren(...this.rows.map((row) => row.element))
  }

  row(levelOfZ, axis, at, n) {
    const level = turnedLevel(levelOfZ, axis)
    const mark = h("b", { "aria-hidden": "true" }, markOf(level))
    const said = h("small", {}, this.said(level, axis))
    const element = h("li", { "data-level": typeof level === "string" ? level : "number",
      "aria-label": `${axis.name}: ${this.said(level, axis)}` }, mark,
    h("span", { class: "axis-name", "aria-hidden": "true" }, axis.name, said))
    const row = { element, mark, said, axis }
    if (at === undefined || at === null) return row
    const reach = Math.max(REACH_SD, Math.ceil(Math.abs(at)))
    row.slider = h("input", { type: "range", min: -reach, max: reach, step: 0.05, value: turnedLevel(at, axis),
      "aria-label": axis.name, "data-testid": "tour-slider" })
    row.slider.oninput = () => this.moved(n, Number(row.slider.value))
    const right = axis.right || axis.given
    element.append(h("div", { class: "slide" }, axis.left ? h("span", { "aria-hidden": "true" }, axis.left) : null,
      row.slider, axis.left && right ? h("span", { "aria-hidden": "true" }, right) : null))
    return row
  }

  /** Moves the thumbs to where z passes, s.d. of z from the mean; names and levels stay those of the step. */
  place(at) {
    this.rows.forEach(({ slider, axis }, n) => {
      if (slider) slider.value = turnedLevel(at[n], axis)
    })
  }

  /** How a level is said, with what lies there. */
  said(level, axis) {
    const pole = typeof level === "string" ? poleOf(level, axis) : ""
    return `${sayLevel(level, "")}${pole ? `, ${pole}` : ""}`
  }

  moved(n, value) {
    const { element, mark, said, axis } = this.rows[n]
    this.levels = this.levels.map((level, other) => (other === n ? turnedLevel(value, axis) : level))
    element.dataset.level = "number"
    element.setAttribute("aria-label", `${axis.name}: ${this.said(value, axis)}`)
    setText(mark, markOf(value))
    setText(said, this.said(value, axis))
    this.change(this.levels)
  }
}
