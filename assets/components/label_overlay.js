/* What covers the desk for a moment: the guideline with its examples, and the keys. */

import { h } from "./dom.js"

const KEYS = [
  ["1 – 5", "set the level and go to the next item"],
  ["Shift 1 – 4", "unsure between this level and the next (or click a level with Shift)"],
  ["0", "cannot tell"], ["N", "the question does not apply to the item"],
  ["Backspace", "undo the last answer; press again to undo more"],
  ["← → ↑ ↓", "from item to item; in Focus ↑ ↓ from factor to factor"],
  ["Space", "repeat the last level"], ["Enter", "next sheet; accept a suggestion"],
  ["Z", "in Sweep: enlarge the item and show its text (or hover over it)"],
  ["S", "skip: no level now; skipped items come back at the end"],
  ["F", "flag an unusable item, or remove the flag"],
  ["G", "the guideline"], ["?", "these keys"], ["Esc", "close this"],
]

export class Overlay {
  constructor(closed) {
    this.closed = closed
    this.body = h("div", { class: "overlay-body" })
    const close = h("button", { type: "button", "aria-label": "Close", onclick: () => this.close() }, "Close")
    this.element = h("div", { class: "overlay", role: "dialog", "aria-modal": "true", hidden: true,
      tabIndex: -1, "data-testid": "overlay" }, close, this.body)
    this.open = ""
  }

  toggle(which, fill) {
    if (this.open === which) return this.close()
    this.open = which
    this.element.hidden = false
    this.element.setAttribute("aria-label", which)
    this.body.replaceChildren(...fill())
    this.element.scrollTop = 0
    this.element.focus()
  }

  close() {
    this.open = ""
    this.element.hidden = true
    this.closed()
  }
}

/** The keys as a list. */
export function keysHelp() {
  return [h("h3", {}, "Keys"), h("dl", { class: "keys" },
    ...KEYS.flatMap(([key, does]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)]))]
}

/** The guideline, the asked factor first. */
export function guidelineHelp(factors, k, examples) {
  const order = [k, ...factors.keys()].filter((i, place, all) => all.indexOf(i) === place)
  return order.map((i) => factors[i]).filter(Boolean).flatMap((factor) => [
    h("h3", {}, factor.name), h("p", {}, factor.definition),
    h("ol", { class: "scale" }, ...factor.levels.map((name, n) => {
      const address = (examples[factor.id] || {})[n + 1]
      return h("li", {}, h("span", { class: "pic" }, address ? h("img", { src: address, alt: name }) : null),
        h("span", {}, h("b", {}, String(n + 1)), ` ${name}`))
    })),
    h("p", { class: "muted" }, h("b", {}, "0 cannot tell: "), factor.cannotTell),
  ])
}
