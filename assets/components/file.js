/* An exported page: a run that the browser holds, with what stands around its panel. */

import { h, icon, setText } from "./dom.js"
import { checkedQuestion } from "./engine.js"
import { HeldRun } from "./held.js"

class ExportedPage extends HeldRun {
  constructor(told, code, library) {
    const root = document.getElementById("page")
    super(told, code, library, root)
    this.frame.prepend(this.head())
    this.frame.append(h("footer", {}, h("p", {}, told.rights)))
  }

  head() {
    const theme = h("button", { type: "button", "data-testid": "theme" }, "Light or dark")
    theme.onclick = () => {
      const { dataset } = document.documentElement
      const dark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches
      dataset.theme = dark ? "light" : "dark"
      if (this.panel.map.ready) this.panel.map.choose()
    }
    this.tour = h("span", {})
    this.showTours()
    return h("header", { class: "top" },
      h("div", { class: "bar" }, h("h1", {}, this.told.title), h("span", { class: "grow" }), this.tour, theme),
      h("p", { class: "what", "data-testid": "what" }, this.told.sentences.join(" ")))
  }

  // tours

  showTours() {
    const buttons = this.told.tours.map((tour) => {
      const button = h("button", { type: "button", "data-testid": "tour" }, icon("whole"), tour.title)
      button.onclick = () => this.play(tour, 0)
      return button
    })
    this.tour.replaceChildren(...buttons)
  }

  play(tour, at) {
    const step = tour.steps[at]
    this.card?.remove()
    const go = (label, next) => h("button", { type: "button", disabled: !tour.steps[next], onclick: () => this.play(tour, next) }, label)
    const end = h("button", { type: "button", onclick: () => this.card.remove() }, "End")
    this.card = h("section", { class: "tour-card", "aria-label": tour.title, "data-testid": "tour-card" },
      h("span", { class: "muted" }, `${tour.title} · ${at + 1} of ${tour.steps.length}`), h("b", {}, step.heading),
      h("p", {}, step.note), h("div", { class: "bar" }, go("Back", at - 1), go("Next", at + 1), end))
    this.panel.element.before(this.card)
    return this.show(step.query, step.z)
  }
}

/** Opens the page of this document. */
export async function openPage(library) {
  const read = (id) => JSON.parse(document.getElementById(id).textContent)
  const page = new ExportedPage(read("data"), read("worker"), library)
  await page.open(read("seen"))
  // For whoever wants the numbers: `await rivae.topk([…], 10)` in the browser's console.
  window.rivae = {
    topk: async (z, k = 10) => (await page.found(...checkedQuestion(z, k, page.told.dims.length), "", null)).ids,
    z: () => [...page.panel.sliders.values],
    page,
  }
  setText(document.getElementById("opening"), "")
}
