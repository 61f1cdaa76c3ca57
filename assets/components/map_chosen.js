/* What a lasso or words have chosen: how many items, what is special about them, and what to do with them. */

import { reach } from "./reach.js"
import { h, icon, setText } from "./dom.js"

export class MapChosen {
  /** @param on {save(), clear(), label(), keep()} */
  constructor(on) {
    const tool = (label, glyph, name, run) => {
      const node = h("button", { type: "button", title: label, "aria-label": label, hidden: true,
        "data-testid": `map-${name}` }, icon(glyph))
      node.onclick = run
      return node
    }
    this.count = h("span", { class: "muted map-count", "data-testid": "map-count" })
    this.label = h("button", { type: "button", hidden: true, "data-testid": "map-label",
      title: "Make a labelling plan of the chosen items" }, "Label these")
    this.label.onclick = on.label
    this.keep = h("button", { type: "button", hidden: true, "data-testid": "map-keep",
      title: "Keep the chosen items under a name and a colour" }, "Keep selection")
    this.keep.onclick = on.keep
    this.clear = tool("Undo the lasso", "remove", "clear", on.clear)
    this.tools = [this.label, tool("Save the chosen items as CSV", "save", "csv", on.save)]
    this.about = h("div", { class: "map-about", "aria-live": "polite", "data-testid": "map-about" })
    const bar = h("div", { class: "bar map-foot" }, this.count, h("span", { class: "grow" }), this.keep, ...this.tools, this.clear)
    this.element = h("div", {}, bar, this.about)
    this.seq = 0
  }

  /** Items `count` of `n`, or all where it is null, are chosen; `url` describes those of a question; `keeps` whether
   *  they can be kept. */
  show(question, url, count, n, keeps) {
    const isPart = count !== null
    const of = `${n.toLocaleString()} items`
    setText(this.count, isPart ? `${count.toLocaleString()} of ${of}` : of)
    for (const node of this.tools) node.hidden = !isPart || !count
    this.keep.hidden = !keeps || !isPart || !count
    this.clear.hidden = !question.within
    const seq = ++this.seq
    if (!count || !(question.within || question.only)) this.about.replaceChildren()
    else this.ask({ ...question, seq }, url)
  }

  async ask(question, url) {
    try {
      const reply = await reach(url, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question),
      })
      const found = reply.ok ? await reply.json() : null
      if (question.seq === this.seq) this.draw(found)
    } catch {
      if (question.seq === this.seq) this.draw(null)
    }
  }

  draw(found) {
    if (!found) return this.about.replaceChildren()
    const parts = found.factors.map((factor) => histogram(factor))
    if (parts.length) parts.unshift(h("p", { class: "key" }, "Bars: chosen items. Lines: all items."))
    const kinds = [["Tags more often", found.more_tags], ["Tags less often", found.less_tags],
      ["Words more often", found.more], ["Words less often", found.less]]
    for (const [title, terms] of kinds) {
      if (!terms?.length) continue
      parts.push(h("p", { class: "terms" }, h("b", {}, title), ...terms.map((term) => h("span", {
        title: `${term.chosen} of ${found.n} chosen, ${term.rest} of ${found.of - found.n} others; odds ${times(term)}`,
      }, term.word, h("small", {}, ` ${ratio(term)}`)))))
    }
    this.about.replaceChildren(...parts)
  }
}

const fold = (logOdds) => Number(Math.exp(logOdds).toPrecision(2))

/** How many times the odds of a term among the chosen items are those among the others. */
function ratio({ low, high }) {
  return `×${fold((low + high) / 2)}`
}

function times({ low, high }) {
  return `× ${fold(low)} to ${fold(high)} (95 % interval)`
}

/** Shares of the chosen items as bars, and of all items as lines. */
function histogram({ name, labels, chosen, everything }) {
  const top = Math.max(...chosen, ...everything, 0.01)
  const percent = (share) => `${Math.round(100 * share)} %`
  const bars = labels.map((label, b) => h("span", {
    class: "bin", title: `${label}: ${percent(chosen[b])} of the chosen items, ${percent(everything[b])} of all`,
    style: `--own: ${chosen[b] / top}; --all: ${everything[b] / top}`,
  }))
  const said = labels.map((label, b) => `${label} ${percent(chosen[b])}`).join(", ")
  return h("figure", { class: "shares" },
    h("figcaption", { title: name }, name),
    h("div", { class: "bins", role: "img", "aria-label": `${name} of the chosen items: ${said}` }, ...bars),
    h("div", { class: "ends", "aria-hidden": "true" }, h("span", {}, labels[0]), h("span", {}, labels[labels.length - 1])))
}
