/* An exported page: Explore without a server. Everything it shows is in the file.
 *
 * The panel is the app's own; what the app's server answers is answered here.
 */

import { h, icon, setText } from "./dom.js"
import { numbersOf } from "./engine.js"
import { ExplorePanel } from "./explore.js"
import { chooseItem, showAxis, showItem } from "./file_parts.js"
import { here } from "./reach.js"

const HITS = 12

/** The items of the page; a place is where one stands in its lists. */
class Items {
  constructor({ ids, titles, texts, factors, pictures, asked, tiny }) {
    Object.assign(this, { ids, titles, texts, factors, pictures, tiny })
    this.askedWith = asked || pictures
    this.at = new Map(ids.map((id, place) => [id, place]))
    this.words = titles.map((title, place) => `${title} ${texts[place]}`.toLowerCase())
  }

  title(id) {
    return this.titles[this.at.get(id)]
  }

  picture(id) {
    return [this.title(id), this.pictures[this.at.get(id)], this.tiny]
  }

  asked(id) {
    return [this.title(id), this.askedWith[this.at.get(id)], this.tiny]
  }

  /** Which items have all words of a text: 0 and 1 each. */
  having(text) {
    const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
    return Uint8Array.from(this.words, (words) => Number(wanted.every((word) => words.includes(word))))
  }

  find(text) {
    const mask = this.having(text)
    const found = this.ids.filter((_, place) => mask[place])
    const id = Number(text)
    return text.trim() && this.at.has(id) ? [id, ...found.filter((one) => one !== id)] : found
  }
}

/** The worker that searches; one question at a time is under way for each number. */
class Searcher {
  constructor(code, model) {
    this.waiting = new Map()
    this.seq = 0
    this.worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })))
    this.worker.onmessage = ({ data }) => {
      this.waiting.get(data.seq)(data)
      this.waiting.delete(data.seq)
    }
    this.worker.postMessage({ model })
  }

  ask(z, k, among = null) {
    const seq = ++this.seq
    return new Promise((resolve) => {
      this.waiting.set(seq, resolve)
      this.worker.postMessage({ seq, z, k, among })
    })
  }
}

class ExportedPage {
  constructor(told, code) {
    this.told = told
    this.items = new Items(told.items)
    this.searcher = new Searcher(code, told.model)
    this.z = numbersOf(told.z, Float64Array)
    this.rev = 0
    here.answer = (address, options) => this.answer(String(address), options)
    here.picture = (id) => this.items.picture(id)[1]
    const root = document.getElementById("page")
    this.panel = new ExplorePanel(root)
    root.firstChild.prepend(this.head())
    root.firstChild.append(h("footer", {}, h("p", {}, told.rights), h("p", { class: "muted" }, told.made)))
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
    return h("header", { class: "bar top" }, h("b", {}, this.told.title), h("span", { class: "muted" }, this.told.about),
      h("span", { class: "grow" }), this.tour, theme)
  }

  /** z of an item as the query, with the four decimals that the app uses. */
  own(id) {
    const d = this.told.dims.length
    const place = this.items.at.get(id)
    return Array.from(this.z.slice(place * d, (place + 1) * d), (v) => Math.round(v * 1e4) / 1e4 + 0)
  }

  /** Shows an item as the query, or `null` for the mean; at `z` where that is given. */
  async show(id, z = null) {
    const base = id === null ? this.told.dims.map((dim) => dim.mean) : this.own(id)
    const [title, picture, tiny] = id === null ? ["Average query", "", false] : this.items.asked(id)
    const text = id === null ? "the mean of all queries" : `${this.told.queryName} · item ${id}`
    this.query = id
    const locked = this.panel.sliders.lockedDims()
    const { values } = this.panel.sliders
    const place = z || base.map((v, j) => (locked.includes(j) ? values[j] : v))
    const k = this.panel.k || 10
    this.rev += 1
    const { told } = this
    this.panel.update({
      setTriggerValue: (name, value) => this.hear(name, value),
      data: {
        rev: this.rev, key: told.run, url: "", run: told.run, rows: told.rows, asks: told.asks, side: told.side, letter: told.letter,
        k, whole: false, only: this.panel.only.value.trim(), span: this.panel.sliders.span || 4,
        byEffect: this.panel.sliders.byEffect ?? false, locked, z: place, base, dims: told.dims,
        wholeLabel: "", conditions: [], aspects: [told.aspect, told.aspect], marks: told.marks, watched: null,
        takes: { text: false, picture: false }, hits: "hits", map: told.map,
        query: { title, text, picture, tiny }, first: await this.found(place, k, this.panel.only.value, null),
      },
    })
  }

  /** What is found for z, as the app's server says it. */
  async found(z, k, only, inside) {
    const masks = [only.trim() && this.items.having(only), inside].filter(Boolean)
    const among = masks.length ? masks.reduce((all, mask) => all.map((one, i) => one & mask[i])) : null
    const { places, far } = await this.searcher.ask(z, k, among)
    const ids = places.map((place) => this.items.ids[place])
    const n = among ? among.reduce((sum, one) => sum + one, 0) : this.items.ids.length
    return { ids, far, among: n, items: Object.fromEntries(ids.map((id) => [id, this.items.picture(id)])) }
  }

  async hear(name, value) {
    if (name === "ask") {
      const { seq, z, k, only, within } = value
      const found = await this.found(z, k, only, within && this.panel.map.inside)
      this.panel.wire.receive({ seq, ...found })
    } else if (name === "pick") showItem(this.items, value.id, (id) => this.show(id))
    else if (name === "about") this.about(value.axis)
    else if (name === "choose") {
      const { ids } = this.items
      if (value.how === "gallery") chooseItem(this.items, (id) => this.show(id))
      else this.show(value.how === "row" ? value.id : ids[Math.floor(Math.random() * ids.length)])
    }
  }

  about(axis) {
    showAxis(this.items, this.told.dims[axis], this.told.cards[axis], null, (id) => this.hear("pick", { id }))
  }

  /** What the map and the search box ask for. */
  async answer(address, options) {
    const json = (value) => new Response(JSON.stringify(value), { headers: { "content-type": "application/json" } })
    const name = address.split("?")[0].split("/").pop()
    const asked = options?.body ? JSON.parse(options.body) : {}
    if (name === "hits") {
      const hits = this.items.find(asked.text).slice(0, HITS).map((id) => {
        const [title, picture, tiny] = this.items.asked(id)
        return { id, title: [[title, false]], snippet: [[`item ${id}`, false]], picture, tiny }
      })
      return json({ hits })
    }
    if (name === "found") {
      const mask = this.items.having(asked.only)
      const bits = new Uint8Array(Math.ceil(mask.length / 8))
      mask.forEach((one, i) => (bits[i >> 3] |= one << (i & 7)))
      return new Response(bits)
    }
    if (name === "columns") return json(this.told.columns.about)
    if (name === "items") return new Response(Uint32Array.from(this.items.ids))
    const codes = this.told.columns.codes[name]
    return codes ? new Response(numbersOf(codes, Uint16Array)) : new Response("", { status: 404 })
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
  here.library = library
  const read = (id) => JSON.parse(document.getElementById(id).textContent)
  const page = new ExportedPage(read("data"), read("worker"))
  await page.show(page.items.ids[0])
  // For whoever wants the numbers: `await rivae.topk([…], 10)` in the browser's console.
  window.rivae = {
    topk: async (z, k) => (await page.found(z, k, "", null)).ids,
    z: () => [...page.panel.sliders.values],
    page,
  }
  setText(document.getElementById("opening"), "")
}
