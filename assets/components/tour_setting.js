/* Where a step of a tour stands on its axes: names, levels, and sliders that a presenter can move. */

import { h, setText } from "./dom.js"

const MARKS = { on: "", off: "", query: "–" }  // circles are drawn by the style sheet
const REACH_SD = 3  // s.d. to both sides that a slider covers at least

function levelText(level) {
  if (typeof level === "string") return MARKS[level]
  return level ? `${level > 0 ? "+" : "−"}${Math.abs(level)}` : "0"
}

function levelWord(level) {
  if (level === "query") return "as the query"
  return typeof level === "string" ? level : `${levelText(level)} s.d.`
}

export class TourSetting {
  /** @param change(levels) a slider has moved; levels in s.d. from the mean */
  constructor(change) {
    this.change = change
    this.element = h("ul", { class: "setting", "data-testid": "tour-setting" })
  }

  /**
   * Shows a step.
   * @param levels of its axes, `names` [short, full] of each, `at` s.d. from the mean once known
   */
  show(levels, names, at) {
    const key = JSON.stringify([levels, names, at])
    if (key === this.key) return  // a slider may be under the hand
    this.key = key
    this.levels = at && at.map((value) => value)
    this.rows = levels.map((level, n) => this.row(level, names[n][1], at && at[n], n))
    this.element.replaceChildren(...this.rows.map((row) => row.element))
  }

  row(level, name, at, n) {
    const mark = h("b", { "aria-hidden": "true" }, levelText(level))
    const said = h("small", {}, levelWord(level))
    const element = h("li", { "data-level": typeof level === "string" ? level : "number",
      "aria-label": `${name}: ${levelWord(level)}` }, mark,
    h("span", { "aria-hidden": "true" }, name, said))
    const row = { element, mark, said, name }
    if (at === undefined || at === null) return row
    const reach = Math.max(REACH_SD, Math.ceil(Math.abs(at)))
    row.slider = h("input", { type: "range", min: -reach, max: reach, step: 0.05, value: at,
      "aria-label": name, "data-testid": "tour-slider" })
    row.slider.oninput = () => this.moved(n, Number(row.slider.value))
    element.append(row.slider)
    return row
  }

  moved(n, value) {
    this.levels = this.levels.map((level, other) => (other === n ? value : level))
    const row = this.rows[n]
    row.element.dataset.level = "number"
    row.element.setAttribute("aria-label", `${row.name}: ${levelWord(value)}`)
    setText(row.mark, levelText(value))
    setText(row.said, levelWord(value))
    this.change(this.levels)
  }
}
