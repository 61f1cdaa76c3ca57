/* The Explore panel: query, sliders and the grid that follows them while they are dragged.
 *
 * The browser owns z between two `rev`s. Python sends a new `rev` only when it changes the state
 * itself (another query, a link, the back button); every other rerun leaves the panel alone, so a
 * thumb that is being dragged is never overwritten.
 */

import { Before } from "./before.js"
import { debounce, h, icon, setText } from "./dom.js"
import { keep, kept } from "./kept.js"
import { WHERE, buildQuery, buildResults, showQuery } from "./layout.js"
import { MapView } from "./map.js"
import { withSelection } from "./map_selections.js"
import { COMMIT_MS, Panel, SPEAK_MS, mounted } from "./panel.js"
import { here } from "./reach.js"
import { Said } from "./said.js"
import { SearchBox } from "./search.js"
import { Sliders } from "./sliders.js"
import { Tiles } from "./tiles.js"
import { Wire } from "./wire.js"

const ONLY_MS = 200
const REST_MS = 700  // after which no further drag is expected, which a measurement would slow down

export class ExplorePanel extends Panel {
  constructor(root) {
    super()
    this.wire = new Wire({
      question: () => this.question(),
      onAnswer: (answer) => this.paint(answer),
      onTrouble: (sentence) => this.trouble(sentence),
      askServer: (body) => this.send("ask", body),
    })
    this.tiles = new Tiles({
      pick: (id) => this.act("pick", { id }),
      picture: (id) => this.wire.picture(id),
      large: (id) => this.large(id),
    })
    this.said = new Said()
    this.before = new Before(this, (isHeld) => this.compare(isHeld))
    this.commitSoon = debounce(() => this.send("commit", this.view()), COMMIT_MS)
    this.sayRest = debounce(() => this.said.ask(), REST_MS)
    this.speakSoon = debounce(() => setText(this.results.live, this.tiles.sentence()), SPEAK_MS)
    this.map = new MapView({
      move: (wanted) => {
        this.sliders.setTogether(wanted)
        this.sliders.on.rest()
      },
      pick: (id) => this.act("pick", { id }),
      choose: () => this.searchAmong(),
      label: (chosen) => this.act("label", chosen),
      layout: () => this.act("layout", {}),
      narrow: (id) => this.narrowTo(id),
      selections: here.answer ? null : (what) => this.act("selections", what),
      picture: (id) => this.wire.picture(id),
    })
    this.sliders = new Sliders({
      gesture: () => this.tiles.startGesture(),
      change: () => {
        this.map.moved(this.sliders.values)
        this.wire.ask()
      },
      rest: () => {
        this.commitSoon()
        this.sayRest()
      },
      release: () => {},
      focus: () => {},
      touch: (j) => this.said.touch(this.sliders.rows[j].dim),
      about: (j) => this.about(j),
      add: (words) => this.act("add", { within: this.map.within ?? null, only: this.only.value.trim(), words }),
    })
    this.build(root)
  }

  view() {
    const { values, span, byEffect, order } = this.sliders
    return {
      rev: this.rev, z: values, k: this.k, only: this.only.value.trim(), whole: this.whole, span, by_effect: byEffect, order,
      locked: this.sliders.lockedDims(), added: this.sliders.added.moved(), only_this: this.sliders.added.only.checked,
    }
  }

  /** All about one axis. */
  about(j) {
    const { id } = this.sliders.rows[j].dim
    this.act("about", id ? { added: id } : { axis: j })
  }

  question() {
    const { run, rows, asks, side } = this.data
    const { within } = this.map
    const only = this.only.value.trim()
    this.asksBefore = this.before.held
    const z = this.asksBefore ? this.data.base : this.sliders.values
    return { run, rows, asks, z, k: this.k, side: this.whole ? 0 : side, within, only }
  }

  build(root) {
    this.search = new SearchBox({
      pick: (id) => this.act("choose", { how: "row", id }),
      ask: (text) => this.act("search", { text }),
      picture: (name, content) => this.act("search", { name, content }),
      trouble: (sentence) => this.trouble(sentence),
    })
    this.query = buildQuery((how) => this.act("choose", { how }), this.search.element)
    this.search.dropOn(this.query.element)
    this.results = buildResults(this.tiles.element, {
      k: (k) => this.setK(k),
      whole: (checked) => this.setWhole(checked),
    })
    const parts = [this.query, this.sliders, this.results, this.map].map((part) => part.element)
    this.element = h("div", { class: "explore", "data-testid": "explore" }, ...parts)
    this.mapButton = h("button", { type: "button", "data-testid": "map-open", "aria-pressed": "false" },
      icon("map"), "Map")
    this.mapButton.onclick = () => this.showMap(this.map.element.hidden, true)
    this.results.heading.after(this.mapButton, this.before.button)
    this.results.element.prepend(this.said.element)
    this.conditions = h("datalist", { id: "conditions" })
    this.only = h("input", { type: "search", maxLength: 100, placeholder: "Filter", class: "only",
      "aria-label": "Filter: only items with these words, #tags or factors", "data-testid": "only" })
    this.only.setAttribute("list", this.conditions.id)
    const searchSoon = debounce(() => this.searchAmong(), ONLY_MS)
    this.only.oninput = () => {
      this.suggest()
      searchSoon()
    }
    this.results.k.parentElement.before(this.only, this.conditions)
    root.append(h("div", { class: "frame" }, this.element))
  }

  /** What could be asked next is listed after what is asked already. */
  suggest() {
    const asked = this.only.value
    if (asked && !asked.endsWith(" ")) return
    this.conditions.replaceChildren(...this.data.conditions.map((one) => h("option", { value: asked + one })))
  }

  // the map

  /** Opens or closes the map; a visitor's own choice is remembered in the browser. */
  showMap(isOpen, chosen) {
    if (chosen) keep("rivae-map", isOpen ? "open" : "closed")
    if (!isOpen) this.map.select(null)
    this.element.classList.toggle("with-map", isOpen)
    this.mapButton.setAttribute("aria-pressed", String(isOpen))
    this.map.open(isOpen)
  }

  /** Live with its map where the visitor wants it, or the Map in the place of the pictures. */
  setView(data) {
    const isMap = data.view === "Map"
    const isOpen = Boolean(data.map) && (isMap || kept("rivae-map") === "open")
    this.mapButton.hidden = !data.map
    this.element.classList.toggle("map-alone", isMap)
    this.map.setAlone(isMap, this.results.element)
    if (this.map.element.hidden === isOpen) this.showMap(isOpen, false)
  }

  /** Which axes are the best is kept in the browser: the server is told where it thinks otherwise. */
  sayOrder(best) {
    const { byEffect, order } = this.sliders
    if (best && byEffect && order !== best) this.commitSoon()
  }

  adoptMap(data) {
    this.map.adopt({ ...data, offersLayout: true }, data.dims)
    this.map.moved(data.z)
    this.map.narrow(this.only.value.trim())
    this.setView(data)
  }

  /** Other items are searched: those of a lasso, those that have some words, or all. */
  searchAmong() {
    this.map.narrow(this.only.value.trim())
    this.tiles.clearMarks()
    this.wire.ask()
    this.commitSoon()
  }

  /** Only the items of a selection, or all again. */
  narrowTo(id) {
    this.only.value = withSelection(this.only.value, id)
    this.searchAmong()
  }

  /** The item that is open at the side is framed, and its place said while z moves. */
  update(component) {
    const { view } = this.data || {}
    super.update(component)
    if (view !== component.data.view) this.setView(component.data)
    this.sliders.setMarks(component.data.marks)
    this.map.setLayout(component.data.map?.layout)
    this.map.setSelections(component.data.map?.selections, component.data.gone)
    this.element.classList.toggle("docked", Boolean(component.data.docked))
    this.tiles.watch(component.data.watched)
    this.sayWatched()
  }

  sayWatched() {
    const { watched } = this.tiles
    const rank = this.tiles.ids.indexOf(watched)
    const text = rank < 0 ? "The open item is not among the results" : `The open item is number ${rank + 1}`
    setText(this.results.watched, watched === null ? "" : text)
  }

  adopt(data) {
    const sameRun = this.data && this.data.key === data.key
    // Another query is no gesture: nothing has entered or left.
    const sameQuery = sameRun && String(this.data.base) === String(data.base)
    const dims = JSON.stringify(data.dims)
    const sameDims = sameRun && dims === this.saidDims  // an axis may have another name
    this.saidDims = dims
    this.data = data
    this.rev = data.rev
    this.wire.url = data.url
    this.wire.reset()
    if (!sameRun || this.whole !== data.whole) this.wire.forget()
    this.commitSoon.cancel()
    this.k = data.k
    this.whole = data.whole
    Object.assign(this.results.k, { max: data.maxK, value: this.k })
    if (this.only.value.trim() !== data.only) this.only.value = data.only
    this.only.title = `Words, #tags and factors, such as: ${data.conditions.slice(0, 2).join(" ")}`
    this.suggest()
    this.results.whole.checked = this.whole
    setText(this.results.wholeLabel, data.wholeLabel)
    this.results.wholeLabel.parentElement.hidden = !data.wholeLabel
    showQuery(this.query, data.query)
    this.search.adopt(data)
    this.said.adopt(data)
    this.sliders.adopt(sameDims ? null : data.dims, { ...data, values: data.z })
    this.sayOrder(data.best)
    this.wire.remember(data.first.items)
    this.adoptMap(data)
    this.after = null
    this.asksBefore = false
    if (!sameRun) this.tiles.ids = []
    this.trouble(data.first.error || "")
    if (sameQuery) this.tiles.startGesture()
    else this.tiles.clearMarks()
    this.paint({ ...data.first, seq: this.wire.shown })
    if (this.map.within) this.wire.ask()  // what was sent was searched among all items
  }

  // changes

  setK(k) {
    this.k = k
    this.results.k.value = k
    this.sliders.endGesture()
    this.tiles.clearMarks()  // what a longer list shows in addition has not entered
    this.wire.ask()
    this.commitSoon()
  }

  // before and after

  /** Shows the results before any axis was moved, as long as that is asked for; then what has changed since. */
  compare(isHeld) {
    if (isHeld) {
      this.tiles.clearMarks()
      return this.wire.ask()
    }
    if (this.sawBefore) this.tiles.startGesture()
    this.sawBefore = false
    if (this.after) this.draw(this.after)
    this.wire.ask()
  }

  // answers

  paint(answer) {
    const isBefore = Boolean(this.asksBefore)
    if (!isBefore) this.after = answer
    if (isBefore !== this.before.held) return  // it comes late: what is wanted was asked for since
    this.sawBefore = isBefore
    this.draw(answer)
  }

  draw(answer) {
    this.tiles.grid.style.setProperty("--aspect", this.data.aspects[this.whole ? 0 : 1])
    this.tiles.show(answer.ids, answer.seq)
    this.map.light(answer.ids)
    const { base } = this.data
    this.before.offer(this.sliders.values.some((value, j) => value !== base[j]))
    const { among } = answer
    const isPart = (this.map.within || this.only.value.trim()) && among !== undefined
    setText(this.results.heading, isPart && !among ? "No items match" : "Results")
    setText(this.results.count, isPart && among ? `${answer.ids.length} of ${among.toLocaleString()}` : "")
    setText(this.results.engine, answer.engine ?? "")
    this.showFar(answer.far)
    this.sayWatched()
    this.speakSoon()
  }

  /** The address of an item's full picture; null where there is none but the one that was sent. */
  large(id) {
    const { map, run, side } = this.data
    return here.picture || !map?.pictures ? null : `${map.pictures}/${run}/${this.whole ? 0 : side}/${id}`
  }

  showFar({ distance, limit, where }) {
    const note = this.results.far
    note.classList.toggle("on", where !== "inside")
    if (where === "inside") return
    const tail = where === "far" ? " These results mean little." : ""
    const text = `${WHERE[where]}: ${distance.toPrecision(2)} s.d. from the nearest training query, ` +
      `where 99 % of queries lie within ${limit.toPrecision(2)}.${tail}`
    if (note.dataset.text === text) return
    note.dataset.text = text
    note.replaceChildren(icon("warn"), text)
  }

  close() {
    super.close()
    this.sayRest.cancel()
    this.before.close()
    this.tiles.close()
    this.map.close()
  }

  trouble(sentence) {
    setText(this.results.error, sentence)
  }
}

export default mounted(ExplorePanel)
