/* A run that the browser holds altogether: Explore without a server.
 *
 * The panel is the app's own; what the app's server answers is answered here, from the content of
 * an exported page or of a notebook's cell (`rivae.figures.page.content`).
 */

import { placeOn } from "./added.js"
import { folded, h } from "./dom.js"
import { Engine, numbersOf } from "./engine.js"
import { ExplorePanel } from "./explore.js"
import { chooseItem, showAddAxis, showAxis, showItem } from "./file_parts.js"
import { STEPS } from "./map_points.js"
import { selectionsIn } from "./map_selections.js"
import { here } from "./reach.js"
import { aloneOf, axisOfWords } from "./word_axis.js"

const HITS = 12
const USUAL = { span: 2, order: "number" }  // where nothing says it

/** The items; a place is where one stands in its lists. */
class Items {
  constructor({ ids, titles, texts, factors, pictures, asked, tiny }, selections) {
    Object.assign(this, { ids, titles, texts, factors, pictures, tiny })
    this.askedWith = asked || pictures
    this.at = new Map(ids.map((id, place) => [id, place]))
    this.selected = new Map(selections.map(({ id, bits }) => [id, numbersOf(bits, Uint8Array)]))
    this.words = titles.map((title, place) => folded(`${title} ${texts[place]}`))
    this.known = {}  // which items meet some conditions that words alone do not say, a bit each
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
    const known = this.known[text.trim()]
    if (known) return Uint8Array.from(this.ids, (_, place) => (known[place >> 3] >> (place & 7)) & 1)
    const inside = selectionsIn(text).map((id) => this.selected.get(id))
    const wanted = folded(text).split(/\s+/).filter((word) => word && !word.startsWith("@"))
    return Uint8Array.from(this.words, (words, place) =>
      Number(wanted.every((word) => words.includes(word)) && inside.every((bits) => bits && (bits[place >> 3] >> (place & 7)) & 1)))
  }

  find(text) {
    const mask = this.having(text)
    const found = this.ids.filter((_, place) => mask[place])
    const id = Number(text)
    return text.trim() && this.at.has(id) ? [id, ...found.filter((one) => one !== id)] : found
  }
}

/** Searches in a worker; in this thread where the page around forbids workers. */
class Searcher {
  constructor(code, model) {
    this.waiting = new Map()
    this.seq = 0
    this.model = model
    try {
      this.address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }))
      this.worker = new Worker(this.address)
      this.worker.onmessage = ({ data }) => this.settle(data.seq, data)
      this.worker.onerror = () => this.stay()
      this.worker.postMessage({ model })
    } catch {
      this.stay()
    }
  }

  /** From here on without a worker. */
  stay() {
    if (this.engine) return
    this.close()
    this.engine = new Engine(this.model)
    for (const [seq, { question }] of this.waiting) this.settle(seq, this.answer(question))
  }

  answer({ z, k, among }) {
    return { places: this.engine.topk(z, k, among), far: this.engine.far(z) }
  }

  settle(seq, found) {
    this.waiting.get(seq)?.resolve(found)
    this.waiting.delete(seq)
  }

  ask(z, k, among = null) {
    if (this.engine) return Promise.resolve(this.answer({ z, k, among }))
    const seq = ++this.seq
    return new Promise((resolve) => {
      this.waiting.set(seq, { resolve, question: { z, k, among } })
      this.worker.postMessage({ seq, z, k, among })
    })
  }

  close() {
    this.worker?.terminate()
    URL.revokeObjectURL(this.address)
  }
}

export class HeldRun {
  /**
   * @param told the content, see `rivae.figures.page.content`; `code` of the worker; `library` of the map;
   *   `root` takes the panel
   */
  constructor(told, code, library, root) {
    this.told = told
    this.addedAxes = told.addedAxes
    this.nAdded = 0  // here, by words
    this.items = new Items(told.items, told.map?.selections || [])
    this.searcher = new Searcher(code, told.model)
    this.z = numbersOf(told.z, Float64Array)
    this.rev = 0
    this.given = null  // what else says which items are searched, 0 and 1 each
    this.brought = null  // the query that a page opens with, where it is no item of it
    here.library = library
    here.answer = (address, options) => this.answer(String(address), options)
    here.picture = (id) => this.items.picture(id)[1]
    this.panel = new ExplorePanel(root)
    this.frame = root.querySelector(".frame")
  }

  /** z of an item as the query, with the four decimals that the app uses. */
  own(id) {
    const d = this.told.dims.length
    const place = this.items.at.get(id)
    return Array.from(this.z.slice(place * d, (place + 1) * d), (v) => Math.round(v * 1e4) / 1e4 + 0)
  }

  /** Opens as the app was left: `seen` as in `rivae.figures.page.opening`. */
  async open(seen) {
    const { sliders, only } = this.panel
    if (seen.card) this.brought = seen
    if (seen.meets) this.items.known[seen.only] = numbersOf(seen.meets, Uint8Array)
    only.value = seen.only
    sliders.span = seen.span
    sliders.order = seen.order
    sliders.locked = new Set(seen.locked)
    sliders.added.only.checked = seen.onlyThis
    await this.show(seen.query, seen.z, seen.k, seen.added)
    if (seen.onMap && this.told.map) this.panel.showMap(true, false)
  }

  /** Where a query is and what its card shows; `null` is the mean of all. */
  queryOf(id) {
    const { brought, told } = this
    if (brought && brought.query === id) return { base: brought.base, card: brought.card }
    if (id === null) {
      const text = "the mean of all queries"
      return { base: told.dims.map((dim) => dim.mean), card: { title: "Average query", text, picture: "", tiny: false } }
    }
    const [title, picture, tiny] = this.items.asked(id)
    return { base: this.own(id), card: { title, text: `${told.queryName} · item ${id}`, picture, tiny } }
  }

  /**
   * Shows an item as the query, or `null` for the mean; at `z` where that is given, with `k` results.
   * @param amounts that added axes were moved by, as part of z
   */
  async show(id, z = null, k = this.panel.k || 10, amounts = {}) {
    const { base, card } = this.queryOf(id)
    this.query = id
    const { sliders } = this.panel
    const locked = sliders.lockedDims()
    const place = z || base.map((v, j) => (locked.includes(j) ? sliders.values[j] : v))
    this.rev += 1
    const { told } = this
    const { span = USUAL.span, order = USUAL.order } = sliders
    this.panel.update({
      setTriggerValue: (name, value) => this.hear(name, value),
      data: {
        rev: this.rev, key: told.run, url: "", run: told.run, rows: told.rows, asks: told.asks, side: told.side, letter: told.letter,
        k, maxK: told.maxK, whole: false, only: this.panel.only.value.trim(), span, order,
        locked, z: place, base, dims: told.dims,
        addedAxes: this.addedAxes, added: amounts, onlyThis: sliders.added.only.checked, adds: told.adds,
        wholeLabel: "", conditions: [], aspects: [told.aspect, told.aspect], marks: told.marks, watched: null,
        takes: { text: false, picture: false }, hits: "hits", changes: "changes", map: told.map,
        query: card, first: await this.found(place, k, this.panel.only.value, null),
      },
    })
  }

  /** Which items are searched, 0 and 1 each: those with the words `only`, and `inside`; null for all. */
  among(only, inside) {
    const masks = [only.trim() && this.items.having(only), inside, this.given].filter(Boolean)
    return masks.length ? masks.reduce((all, mask) => all.map((one, i) => one & mask[i])) : null
  }

  /** What is found for z, as the app's server says it. */
  async found(z, k, only, inside) {
    const among = this.among(only, inside)
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
    } else if (name === "pick") showItem(this.frame, this.items, value.id, (id) => this.show(id))
    else if (name === "about") this.about(value)
    else if (name === "add") showAddAxis(this.frame, this.keeps, (high, low) => this.addAxis(high, low), value.words)
    else if (name === "choose") {
      const { ids } = this.items
      if (value.how === "gallery") chooseItem(this.frame, this.items, (id) => this.show(id))
      else this.show(value.how === "row" ? value.id : ids[Math.floor(Math.random() * ids.length)])
    }
  }

  about({ axis, added }) {
    const pick = (id) => this.hear("pick", { id })
    if (!added) return showAxis(this.frame, this.items, this.told.dims[axis], this.told.cards[axis], pick)
    const dim = this.addedAxes.find(({ id }) => id === added)
    const card = { effects: "", changes: [], words: null, ...dim.card, examples: this.examples(dim) }
    return showAxis(this.frame, this.items, dim, card, pick, () => this.removeAxis(added))
  }

  /** z of all items, a row each. */
  rows() {
    const d = this.told.dims.length
    return this.items.ids.map((_, place) => Array.from(this.z.slice(place * d, (place + 1) * d)))
  }

  /** The items nearest to some places of an added axis, from low to high. */
  examples({ reads, offset }) {
    const places = this.rows().map((row) => row.reduce((sum, v, j) => sum + v * reads[j], offset))
    const order = places.map((_, at) => at).sort((a, b) => places[a] - places[b])
    const n = Math.min(4, Math.floor(order.length / 5))
    return [0.05, 0.25, 0.5, 0.75, 0.95].map((share) => {
      const first = Math.max(0, Math.min(order.length - n, Math.round(share * order.length - n / 2)))
      return order.slice(first, first + n).map((at) => this.items.ids[at])
    })
  }

  /** What becomes of an axis that is added here, in a sentence. */
  get keeps() {
    return "It is found in the titles and texts of the items that this page holds, and lasts until the page is closed."
  }

  /** Adds an axis by words of the items; throws one sentence where there is none. */
  async addAxis(high, low) {
    const axis = axisOfWords(this.rows(), this.items.words, `w${this.nAdded + 1}`, high, low)
    this.nAdded += 1
    await this.setAdded(this.apart([...this.addedAxes, axis]))
  }

  async removeAxis(id) {
    await this.setAdded(this.apart(this.addedAxes.filter((axis) => axis.id !== id)))
  }

  /** The axes, each with how it moves alone among the others and the named ones of z. */
  apart(axes) {
    const z = this.rows()
    const unit = (j) => this.told.dims.map((_, k) => Number(j === k))
    const named = this.told.dims.flatMap((dim, j) => (dim.given && !dim.suggested ? [unit(j)] : []))
    return axes.map((axis) => {
      const others = [...named, ...axes.filter(({ id }) => id !== axis.id).map(({ reads }) => reads)]
      return { ...axis, alone: aloneOf(z, axis.reads, others) }
    })
  }

  /** Shows other added axes; z stays. */
  async setAdded(axes) {
    const { sliders, k } = this.panel
    const left = new Set(axes.map(({ id }) => id))
    const amounts = Object.fromEntries(Object.entries(sliders.added.moved()).filter(([id]) => left.has(id)))
    this.addedAxes = axes
    await this.show(this.query, [...sliders.values], k, amounts)
  }

  /** An axis that was added to the page after it was made, as a column of the map. */
  column({ id, name, reads, offset }) {
    const places = this.rows().map((row) => placeOn({ reads, offset }, 0, row))
    const [low, high] = [Math.min(...places), Math.max(...places)]
    const about = { key: `axis-${id}`, label: name, group: "axis", kind: "number", low, high, levels: [] }
    return { about, codes: Uint16Array.from(places, (v) => Math.round(((v - low) / (high - low || 1)) * STEPS)) }
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
    if (name === "changes") return json({ sentence: this.changes(asked.axis) })
    const { about, names, codes } = this.told.columns
    const later = this.addedAxes.filter(({ id }) => !codes[`axis-${id}`]).map((axis) => this.column(axis))
    if (name === "columns") return json([...about, ...later.map((column) => column.about)])
    if (name === "items") return new Response(Uint32Array.from(this.items.ids))
    if (names[name]) return json(names[name])
    if (codes[name]) return new Response(numbersOf(codes[name], Uint16Array))
    const made = later.find((column) => column.about.key === name)
    return made ? new Response(made.codes) : new Response("", { status: 404 })
  }

  /** What an axis changes, in a sentence that was measured when the content was made. */
  changes(axis) {
    const { dims, cards } = this.told
    const j = dims.findIndex(({ short }) => short === axis)
    const added = this.addedAxes.find(({ id }) => id === axis)
    const card = added ? added.card : cards[j]
    return card?.effects || `What ${added?.given ?? axis} changes is not measured here.`
  }

  close() {
    this.panel.close()
    this.searcher.close()
  }
}
