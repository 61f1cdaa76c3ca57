/* Focus: one item, all factors. */

import { isAnswer, pressedMark, reveal } from "./label_sheet.js"
import { h, setText } from "./dom.js"
import { NOTHING } from "./label_desk.js"

/** An item's recipe: title, ingredients, steps; hidden where there is none. */
export class ItemText {
  constructor() {
    this.title = h("h3", {})
    this.ingredients = h("ul", {})
    this.steps = h("ol", {})
    this.element = h("div", { class: "recipe" }, this.title, this.ingredients, this.steps)
  }

  show(text) {
    this.element.hidden = !text
    if (!text || this.shown === text) return
    this.shown = text
    setText(this.title, text.title)
    this.ingredients.replaceChildren(...text.ingredients.map((line) => h("li", {}, line)))
    this.steps.replaceChildren(...text.instructions.map((line) => h("li", {}, line)))
    this.element.scrollTop = 0
  }
}

export class Focus {
  /** @param on {answer(k, mark), factor(k)} */
  constructor(on) {
    this.on = on
    this.picture = h("img", { alt: "The item", draggable: false, "data-testid": "focus-picture" })
    this.text = new ItemText()
    this.list = h("div", { class: "factors", role: "group", "aria-label": "Factors" })
    this.element = h("div", { class: "focus", "data-testid": "focus" },
      h("div", { class: "item" }, h("span", { class: "pic" }, this.picture), this.text.element), this.list)
    this.rows = []
  }

  open(factors) {
    this.rows = factors.map((factor, k) => {
      const buttons = [...factor.levels.map((name, i) => this.level(k, String(i + 1), name)),
        this.level(k, "0", "?", "cannot tell"), this.level(k, "n", "n/a", "does not apply")]
      const ask = h("p", { class: "muted ask" }, factor.definition)
      const name = h("button", { type: "button", class: "name", tabIndex: -1,
        onclick: () => this.on.factor(k) }, factor.name)
      const element = h("div", { class: "factor", "data-testid": "focus-factor" }, name, ask,
        h("div", { class: "levels" }, ...buttons))
      return { element, buttons }
    })
    this.list.replaceChildren(...this.rows.map((row) => row.element))
  }

  level(k, mark, name, title = "") {
    return h("button", { type: "button", tabIndex: -1, title,
      "data-level": mark, onclick: (event) => this.on.answer(k, pressedMark(mark, event)) },
    title ? null : h("b", {}, mark), name)
  }

  /** @param shown {at, k, desk, items, hint(k, at)} */
  show({ at, k, desk, items, hint }) {
    this.picture.dataset.at = at
    if (this.picture.getAttribute("src") !== items.picture(at)) this.picture.src = items.picture(at)
    this.text.show(items.text(at))
    this.element.dataset.flag = String(desk.flags.has(at))
    this.rows.forEach((row, i) => {
      const mark = desk.mark(i, at)
      const guess = mark === NOTHING ? hint(i, at) : NOTHING
      row.element.setAttribute("aria-current", String(i === k))
      row.element.dataset.mark = mark
      for (const button of row.buttons) {
        const level = button.dataset.level
        button.setAttribute("aria-pressed", String(isAnswer(mark, level)))
        button.classList.toggle("guess", guess === level)
      }
    })
    const current = this.rows[k]
    if (current) reveal(current.element)
  }
}
