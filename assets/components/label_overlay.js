/* What covers the desk for a moment: the guideline with its examples, and the keys. */

const KEYS = [
  ["1 – 5", "the level, and on to the next"], ["0", "cannot tell"],
  ["Backspace", "takes the last one back, as often as you like"],
  ["← → ↑ ↓", "from item to item; in Focus ↑ ↓ from factor to factor"],
  ["Space", "the last level again"], ["Enter", "the next sheet; accepts a suggestion"],
  ["Z", "in Sweep: the item enlarged with its text, or no longer; a mouse that rests shows it too"],
  ["F", "flags an item that cannot be used, or takes the flag away"],
  ["G", "the guideline"], ["?", "these keys"], ["Esc", "closes this"],
]

class Overlay {
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
function keysHelp() {
  return [h("h3", {}, "Keys"), h("dl", { class: "keys" },
    ...KEYS.flatMap(([key, does]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)]))]
}

/** The guideline, the asked factor first. */
function guidelineHelp(factors, k, examples) {
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
