/* The notebook view: a run that the browser holds, in a cell of Jupyter, VS Code or marimo.
 *
 * z, the query, the number of results and the items searched belong to the cell's Python as much as
 * to the panel: anywidget's `model` carries them both ways. What is found is worked out on both
 * sides from them, by the same rules.
 */

import { h, setText } from "./dom.js"
import { HeldRun } from "./held.js"

const SHARED = ["z", "_query", "k", "_chosen"]  // traits of `rivae.notebook.view.View`
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)

/** Whether the text around is light, so the page dark: true for every notebook and its themes. */
function isDark(element) {
  const [r, g, b] = getComputedStyle(element).color.match(/[\d.]+/g).map(Number)
  return 0.3 * r + 0.59 * g + 0.11 * b > 128
}

class NotebookView extends HeldRun {
  constructor(model, told, code, library, root) {
    super(told, code, library, root)
    this.model = model
    this.note = h("span", {})
    this.all = h("button", { type: "button", "data-testid": "search-all" }, "Search all")
    this.all.onclick = () => this.setGiven(null)
    this.givenLine = h("span", { class: "given", hidden: true, "data-testid": "given" }, this.note, this.all)
    this.frame.prepend(h("header", { class: "told" }, h("b", {}, told.title), h("span", { class: "muted" }, told.about), this.givenLine))
    this.take = this.take.bind(this)
    for (const name of SHARED) model.on(`change:${name}`, this.take)
    this.renew = () => this.setAdded(model.get("_added"))
    this.addedAxes = model.get("_added")
    model.on("change:_added", this.renew)
    this.answered = (answer) => this.waiting?.(answer)
    model.on("msg:custom", this.answered)
  }

  get keeps() {
    return this.told.asksPython ? "It is found in the texts of all items, and kept with the run." : super.keeps
  }

  /** Asks Python for an axis; an axis of arrays is found here. */
  async addAxis(high, low) {
    if (!this.told.asksPython) return super.addAxis(high, low)
    const answer = await this.asked({ add: { high, low } })
    if (answer.error) throw new Error(answer.error)
  }

  async removeAxis(id) {
    if (!this.told.asksPython) return super.removeAxis(id)
    await this.asked({ remove: id })
  }

  /** What Python answers; one question at a time. */
  asked(question) {
    return new Promise((resolve) => {
      this.waiting = resolve
      this.model.send(question)
    })
  }

  async show(...asked) {
    await super.show(...asked)
    this.tell()
  }

  async hear(name, value) {
    await super.hear(name, value)
    if (name === "ask" || name === "commit") this.tell()
  }

  /** What the panel shows now, in the model's words. */
  state() {
    const { panel, items } = this
    const mask = this.among(panel.only.value, panel.map.within && panel.map.inside)
    const chosen = mask && items.ids.filter((_, place) => mask[place])
    return { z: [...panel.sliders.values], _query: this.query, k: panel.k, _chosen: chosen }
  }

  /** Tells Python what has changed here. */
  tell() {
    const changed = Object.entries(this.state()).filter(([name, value]) => !same(value, this.model.get(name)))
    if (!changed.length) return
    for (const [name, value] of changed) this.model.set(name, value)
    this.model.save_changes()
  }

  /** Takes over what Python, or another view of the same model, has changed; once for all of it. */
  take() {
    if (this.taking) return
    this.taking = true
    queueMicrotask(() => {
      this.taking = false
      const told = Object.fromEntries(SHARED.map((name) => [name, this.model.get(name)]))
      const shown = this.state()
      if (!same(told._chosen, shown._chosen)) this.setGiven(told._chosen)
      if (same([told.z, told._query, told.k], [shown.z, shown._query, shown.k])) return
      this.show(told._query, told.z, told.k)
    })
  }

  /** Searches only among the items `ids` from Python, or all with null; a lasso and words give way to it. */
  setGiven(ids) {
    const { panel, items } = this
    const wanted = ids && new Set(ids)
    this.given = wanted && Uint8Array.from(items.ids, (id) => Number(wanted.has(id)))
    this.givenLine.hidden = !ids
    setText(this.note, ids ? `Only ${ids.length.toLocaleString()} items, chosen in Python` : "")
    panel.only.value = ""
    panel.map.select(null)
    panel.map.follow(ids)
    panel.searchAmong()
  }

  close() {
    for (const name of SHARED) this.model.off(`change:${name}`, this.take)
    this.model.off("change:_added", this.renew)
    this.model.off("msg:custom", this.answered)
    super.close()
  }
}

/** Shows the model's run in `el`. @returns what takes it away again */
export async function showView({ model, el }, { library, worker, style }) {
  // Styles neither leave nor enter. Notebooks have shortcuts of one letter: none is meant here.
  const host = h("div", { "data-lm-suppress-shortcuts": "true", "data-testid": "rivae-view" })
  host.onkeydown = (event) => event.stopPropagation()
  el.append(host)
  const root = host.attachShadow({ mode: "open" })
  root.append(h("style", {}, style))
  // What stands below the cell for a page without a kernel; as long as this is here nobody needs it.
  const rule = h("style", {}, `.${model.get("_still")} { display: none }`)
  el.append(rule)
  const bytes = model.get("_content")
  const view = new NotebookView(model, JSON.parse(new TextDecoder().decode(bytes)), worker, library, root)

  const paint = () => {
    if (!el.isConnected) return  // JupyterLab may render a cell before it is in the page
    const theme = isDark(el) ? "dark" : "light"
    if (host.dataset.theme === theme) return
    host.dataset.theme = theme
    if (view.panel.map.ready) view.panel.map.choose()
  }
  paint()
  const repaint = () => requestAnimationFrame(paint)
  const placed = new ResizeObserver(paint)  // and puts it there later: at once, before it is seen
  placed.observe(host)
  const watch = new MutationObserver(repaint)
  for (const node of [document.documentElement, document.body]) watch.observe(node, { attributes: true })
  watch.observe(document.head, { childList: true })  // themes come as style sheets
  const system = matchMedia("(prefers-color-scheme: dark)")
  system.addEventListener("change", repaint)

  const chosen = model.get("_chosen")
  await view.show(model.get("_query"), model.get("z"), model.get("k"))
  if (chosen) view.setGiven(chosen)
  return () => {
    placed.disconnect()
    watch.disconnect()
    system.removeEventListener("change", repaint)
    view.close()
    host.remove()
    rule.remove()
  }
}
