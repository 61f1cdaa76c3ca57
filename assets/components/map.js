/* The map: all searched items on two axes, and what the query does among them.
 *
 * The query's point moves while a slider is dragged, and moves the sliders when it is dragged
 * itself; the items found are lit; the outline holds 99 % of all items; a lasso chooses items to
 * search among. Right and up is always more of what an axis is named after.
 */

import { here, reach } from "./reach.js"
import { csvOf } from "./csv.js"
import { clamp, debounce, h, icon, setText } from "./dom.js"
import { MapChosen } from "./map_chosen.js"
import { colouring, coloursOf, marking } from "./map_colours.js"
import { MapColumns, addedNames } from "./map_columns.js"
import { MapHand } from "./map_hand.js"
import { MapHits } from "./map_hits.js"
import { MapNames } from "./map_names.js"
import { MapOver } from "./map_over.js"
import { roomFor } from "./map_pictures.js"
import { Points } from "./map_points.js"
import { MapSelections, selectionsIn } from "./map_selections.js"

const REST_MS_OF_HITS = 300
const UNREAD = "The map could not be loaded: reload the page."

export class MapView {
  /**
   * @param on {move([[axis, value]]), pick(id), choose(), label({within, only}), layout(), picture(id), narrow(id),
   *   selections({do, …})}; with `narrow` the search is among the items of a selection, without `selections` none
   *   are kept;
   *   without `move` the query stays where it is, without `layout` none is computed; without `picture`
   *   what is found is lit and never shown
   */
  constructor(on) {
    this.on = on
    this.columns = new MapColumns(() => this.choose())
    this.lit = []
    // While an axis is dragged nothing but what is found moves.
    this.giveWay = debounce(() => {
      if (this.ready && this.frame) this.showPictures()
    }, REST_MS_OF_HITS)
    this.build()
  }

  build() {
    const tool = (label, glyph, name, run) => {
      const node = h("button", { type: "button", title: label, "aria-label": label,
        "data-testid": `map-${name}` }, icon(glyph))
      node.onclick = run
      return node
    }
    this.lassoButton = tool("Choose items with a lasso (or hold Shift)", "lasso", "lasso",
      () => this.hand?.setLasso(!this.hand.lassoing))
    this.foot = new MapChosen({
      save: () => this.save(), clear: () => this.select(null), keep: () => this.keepChosen(),
      label: () => this.on.label({ within: this.within ?? null, only: this.only || "" }),
    })
    this.selections = new MapSelections({
      choose: (id) => (this.on.narrow ? this.on.narrow(id) : this.pressLocally(id)),
      change: this.on.selections ? (what) => this.on.selections(what) : null,
    })
    this.masks = new Map()
    this.canvas = h("canvas", { "aria-hidden": "true" })
    this.over = new MapOver()
    this.svg = this.over.element
    this.names = new MapNames()
    this.over.lights.before(this.names.element)
    this.preview = h("img", { class: "map-preview", alt: "", hidden: true })
    this.legend = h("div", { class: "map-legend", "data-testid": "map-legend" })
    this.trouble = h("p", { class: "error", role: "alert" })
    this.hits = this.on.picture && new MapHits(this.on)
    this.stage = h("div", { class: "map-stage" }, this.canvas, this.svg, this.hits?.element, this.preview, this.legend)
    if (this.hits) this.over.lights.before(this.hits.lines)
    this.element = h("section", { class: "map", "aria-label": "Map of all items", hidden: true },
      h("div", { class: "bar" }, ...this.columns.elements, this.lassoButton,
        tool("Show everything", "whole", "reset", () => this.hand?.reset()),
        tool("Fill the page", "expand", "fill", () => this.fill())),
      this.trouble, this.stage, this.selections.element, this.foot.element)
  }

  // opening

  /** Takes a run over; it is drawn once the map is open. */
  adopt(data, dims) {
    const key = `${data.map?.url}/${data.map?.version}`
    const added = addedNames(data.addedAxes)
    const isAdded = added !== this.added
    this.added = added
    this.dims = dims
    this.data = data
    if (key !== this.key) {
      this.key = key
      if (data.map) this.columns.adopt(data.map)
      this.masks.clear()
      this.selected = this.chosen = this.inside = this.fitting = this.followed = this.following = this.within = this.corners = this.frame = this.asked = null
      this.ready = false
    } else if (isAdded && this.ready) this.renew()
    if (!this.element.hidden && !this.ready) this.load()
  }

  /** Axes were added or removed: the lists follow, the view stays. */
  async renew() {
    const { key } = this
    try {
      await this.columns.renew(this.dims, this.data)
      if (key === this.key && this.frame) await this.choose()
    } catch {
      setText(this.trouble, UNREAD)
    }
  }

  /** Whether the layout is "there", being "made" or neither; one that was asked for is drawn. */
  setLayout(state) {
    const before = this.layout
    this.layout = state
    if (!this.ready || !this.columns.isLayout || !this.frame?.poles) return
    if (before === "made" && !state) this.columns.leaveLayout(this.frame)  // it was stopped
    if (state === "there" || before !== state) this.choose()
  }

  /** The selections that are kept with the run now, and the name of the one that Undo brings back. */
  async setSelections(known, gone) {
    const { map } = this.data
    if (!map || !known) return
    const isMore = known.length > this.selections.known.length
    const isThere = new Set(known.map(({ id }) => id))
    const goneNow = this.selections.known.filter(({ id }) => !isThere.has(id) && this.selections.active.includes(id))
    this.selections.adopt(known, map.colours[this.isDark() ? "dark" : "light"].classes, gone || "")
    if (isMore && this.keeping) this.select(null)  // it is kept: the next one can be drawn
    this.keeping = false
    for (const { id } of goneNow) this.selections.on.choose(id)  // somebody else has removed it
    await this.mark()
  }

  isDark() {
    // JupyterLab may render a cell before it is in the page, where nothing has a colour.
    return this.element.isConnected && coloursOf(this.element).dark
  }

  /** Colours the points of the selections where nothing else colours them. */
  async mark() {
    const { known } = this.selections
    if (!this.ready || !this.items) return
    const { key } = this
    await Promise.all(known.map(async ({ id }) => this.masks.has(id) || this.masks.set(id, await this.having(`@${id}`))))
    if (key !== this.key || !this.points?.n) return
    this.showPressed()  // as soon as its items are known
    if (!this.columns.colour.value) this.paintColour(null)
  }

  keepChosen() {
    this.keeping = true
    this.on.selections({ do: "keep", within: this.within ?? null, only: this.only || "" })
  }

  /** Where no search goes on among some items, the items of a selection are shown alone. */
  pressLocally(id) {
    const isOn = !this.selections.active.includes(id)
    this.selections.press(isOn ? [id] : [])
    this.showPressed()
  }

  showPressed() {
    const [id] = this.on.narrow ? [] : this.selections.active
    const selected = this.masks.get(id) ?? null
    if (selected === (this.selected ?? null) || !this.points?.n) return
    this.selected = selected
    this.dim()
  }

  async open(isOpen) {
    this.element.hidden = !isOpen
    if (isOpen && !this.ready) await this.load()
    if (isOpen) this.fit()
  }

  async load() {
    const { map } = this.data
    const key = this.key
    this.ready = true
    setText(this.trouble, "")
    this.element.classList.add("loading")
    try {
      this.lib ||= here.library || await import(new URL(map.library, window.location.href).href)
      const [items] = await Promise.all([this.columns.get("items"), this.columns.open(this.dims, this.data)])
      if (key !== this.key) return
      this.items = items
      this.at = new Map([...items].map((id, i) => [id, i]))
      this.listen()
      await this.choose()
      await this.narrow(this.only || "")
      await this.mark()
      this.follow(this.following)
    } catch (error) {
      this.ready = false
      const why = /WebGL/.test(error.message) ? "This browser has no WebGL 2, which the map needs: use another one."
        : UNREAD
      setText(this.trouble, why)
    } finally {
      this.element.classList.remove("loading")
    }
  }

  /** Draws the columns that the lists name; a layout that there is not yet is asked for. */
  async choose() {
    const { columns, key } = this
    if (columns.isLayout && this.layout !== "there") {
      this.legend.replaceChildren(h("span", {}, "Computing the layout …"))
      return this.layout === "made" || this.on.layout()
    }
    const frame = columns.frame()
    const places = await Promise.all(frame.keys.map((name) => columns.get(name)))
    if (key !== this.key) return
    const changed = String(frame.keys) !== String(this.frame?.keys) || this.points.n !== places[0].length
    if (changed) {
      this.frame = frame
      this.select(null)
      this.points.place(...places.map((column, at) => frame.turned(column, at)))
      this.dim()
      this.edge = frame.poles ? this.outline() : []
      this.name(frame)
    }
    const values = await columns.values(this.points)
    if (key !== this.key || frame !== this.frame && changed) return
    this.paintColour(values)
    this.fit()
    if (changed) this.hand.reset()
    this.draw()
  }

  /** Fetches what lies where on the map of `frame`, which is drawn meanwhile. */
  async name(frame) {
    this.names.adopt([])
    const found = await this.columns.get(`names.${frame.keys.join(".")}`).catch(() => [])
    if (frame !== this.frame) return
    this.names.adopt(found.map((one) => ({ ...one, place: frame.back([one.x, one.y]) })))
    this.showPictures()
  }

  /** The convex outline of the 99 % of a sample that lie nearest to the middle. */
  outline() {
    const { n } = this.points
    const step = Math.max(1, Math.floor(n / 20000))
    const some = []
    for (let i = 0; i < n; i += step) some.push(this.points.at(i))
    const mean = [0, 1].map((k) => some.reduce((sum, p) => sum + p[k], 0) / some.length)
    const spread = [0, 1].map((k) => Math.sqrt(some.reduce((sum, p) => sum + (p[k] - mean[k]) ** 2, 0) / some.length) || 1)
    const far = (p) => ((p[0] - mean[0]) / spread[0]) ** 2 + ((p[1] - mean[1]) / spread[1]) ** 2
    const sorted = some.map((p) => [far(p), p]).sort((a, b) => a[0] - b[0])
    return this.lib.polygonHull(sorted.slice(0, Math.ceil(0.99 * sorted.length)).map(([, p]) => p)) || []
  }

  paintColour(values) {
    const { accent, ink, dark } = coloursOf(this.element)
    const colours = this.data.map.colours[dark ? "dark" : "light"]
    const marked = values ? [] : this.selections.known.filter(({ id }) => this.masks.get(id))
    this.points.plain = [...(values || marked.length ? ink : accent), values ? 0.4 : marked.length ? 0.25 : 1]
    if (!values) {
      this.legend.replaceChildren()
      if (!marked.length) return this.points.colour(null)
      const { shares, stops } = marking(marked, marked.map(({ id }) => this.masks.get(id)), colours.classes)
      return this.points.colour(shares, stops)
    }
    const { shares, stops, legend } = colouring(this.columns.coloured, values, colours)
    this.points.colour(shares, stops)
    this.legend.replaceChildren(...legend)
  }

  // looking

  listen() {
    if (this.hand) return
    this.points = this.over.points = new Points(this.lib, this.canvas)
    this.hand = new MapHand(this, {
      look: (view, moving) => this.look(view, moving),
      drag: (place) => this.on.move?.(this.frame.wanted(place)),
      lasso: (corners) => this.select(corners),
      pick: (i) => this.on.pick(this.items[i]),
      hover: (i, at) => this.showPreview(i, at),
      escape: () => this.escape(),
      lassoing: (on) => this.lassoButton.setAttribute("aria-pressed", String(on)),
    })
    this.seen = new ResizeObserver(() => this.fit())
    this.seen.observe(this.stage)
  }

  fit() {
    if (!this.points || this.element.hidden) return
    const { width, height } = this.stage.getBoundingClientRect()
    if (!width || (width === this.points.width && height === this.points.height)) return
    this.points.resize(width, height)
    this.draw()
    this.showPictures()
  }

  look(transform, moving) {
    this.points.look(transform, moving)
    this.draw()
    if (!moving) return this.showPictures()
    this.over.shift(transform)
    this.names.shift(this.points)
  }

  /** Gives up the whole page, or what was chosen. */
  escape() {
    if (this.element.classList.contains("filled")) this.fill()
    else if (this.within) this.select(null)
    else return false
    return true
  }

  /** Over the rest of the page, and back; what is said of the chosen items comes along. */
  fill() {
    this.element.classList.toggle("filled")
    this.putAbout()
    this.fit()
  }

  /** Whether it shows the pictures of what is found itself, and all else; what is said of the chosen
   *  items stands `beside` it otherwise.
   */
  setAlone(isAlone, beside) {
    this.beside = beside
    this.isAlone = isAlone
    if (this.hits) this.hits.element.hidden = !isAlone
    this.hits?.lines.toggleAttribute("hidden", !isAlone)
    this.putAbout()
    this.fit()
    if (this.points?.n) this.drawLit()
  }

  putAbout() {
    const { about, element } = this.foot
    const isBeside = this.beside && !this.isAlone && !this.element.classList.contains("filled")
    ;(isBeside ? this.beside : element).append(about)
  }

  // what lies above the points: the outline, the axes, what was found, the query

  /** z has moved. */
  moved(z) {
    this.z = z
    if (this.ready && this.points?.n) this.drawQuery()
  }

  /** Other items are found. */
  light(ids) {
    this.lit = ids
    if (this.ready && this.points?.n) this.drawLit()
  }

  draw() {
    if (!this.points.n || !this.frame) return
    this.over.draw({ edge: this.edge, corners: this.corners, poles: this.frame.poles })
    this.drawLit()
  }

  drawLit() {
    this.found = this.lit.map((id) => this.at.get(id)).filter((i) => i !== undefined)
    this.over.light(this.found)
    this.drawQuery()
  }

  drawQuery() {
    const lit = (this.found || []).map((i) => this.points.at(i))
    const place = this.z && this.frame && this.frame.place(this.z, lit)
    const query = place ? this.over.query(place, Boolean(this.frame.poles && this.on.move)) : null
    if (!this.isAlone || !this.hits) return
    const { width, height } = this.points
    const pixels = this.lit.map((id) => {
      const [x, y] = this.at.has(id) ? this.points.screen(this.points.at(this.at.get(id))) : [-1, -1]
      return x < 0 || y < 0 || x > width || y > height ? null : [x, y]
    })
    this.hits.show(this.lit, pixels, query, width, height)
    this.giveWay()
  }

  /** At rest: pictures instead of dots where few are in sight, and names that cover no picture. */
  showPictures() {
    const hits = this.isAlone && this.hits ? this.hits.boxes : []
    const { side, shown } = this.data.map.thumbnails ? roomFor(this.points, this.chosen, hits) : { shown: [] }
    this.over.pictures(shown.map(({ x, y, i }) => [[x, y], this.picture(this.items[i])]), side)
    this.names.draw(this.points, [...hits, ...shown])
  }

  /** A picture of the item under the pointer. */
  showPreview(i, at) {
    this.preview.hidden = i < 0 || !this.data.map.thumbnails
    if (this.preview.hidden) return
    const src = this.picture(this.items[i])
    if (this.preview.getAttribute("src") !== src) this.preview.src = src
    const { width, height } = this.points
    this.preview.style.left = `${at[0] > width / 2 ? at[0] - 108 : at[0] + 14}px`
    this.preview.style.top = `${clamp(at[1] - 48, 0, Math.max(0, height - 96))}px`
  }

  picture(id) {
    return here.picture?.(id) ?? `${this.data.map.thumbnails}/${this.data.run}/${this.data.side}/${id}`
  }

  /** Searches among the points inside `corners` (shares of both axes as shown); null for all. */
  select(corners) {
    const usable = corners && corners.length > 2
    if (!usable && !this.within) return this.say()
    const { n } = this.points
    this.corners = usable ? corners.map((p) => p.map((v) => clamp(v, -0.9, 1.9))) : null
    this.inside = usable ? new Uint8Array(n).map((_, i) =>
      Number(this.lib.polygonContains(this.corners, this.points.at(i)))) : null
    const [right, up] = this.frame.keys
    this.within = usable ? { x: right, y: up, corners: this.corners.map((p) => this.frame.back(p)) } : null
    this.dim()
    this.draw()
    this.on.choose(this.within)
  }

  /** Dims the items that do not have all words of `only`; "" dims none. */
  async narrow(only) {
    const asked = JSON.stringify([this.key, only])
    this.only = only
    if (!this.points?.n || asked === this.asked) return
    this.asked = asked
    this.fitting = null
    if (this.on.narrow) this.selections.press(selectionsIn(only))
    if (only) {
      const having = await this.having(only)
      if (asked !== this.asked) return
      this.fitting = having
    }
    this.dim()
  }

  /** Which items meet the conditions `only`, 0 and 1 each; null where that cannot be read. */
  async having(only) {
    const { run, rows, asks, map } = this.data
    const reply = await reach(map.found, {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ run, rows, asks, only }),
    }).catch(() => null)
    const bits = reply?.ok ? new Uint8Array(await reply.arrayBuffer()) : null
    return bits && new Uint8Array(this.items.length).map((_, i) => (bits[i >> 3] >> (i & 7)) & 1)
  }

  /** Dims what lies outside the lasso or lacks the words. */
  dim() {
    const masks = [this.inside, this.fitting, this.selected, this.followed].filter(Boolean)
    this.chosen = masks.length ? masks.reduce((all, mask) => all.map((one, i) => one & mask[i])) : null
    this.points.choose(this.chosen)
    this.showPictures()
    this.say()
    this.on.chosen?.(this)
  }

  /** Dims all but the items `ids`, which were chosen elsewhere; null for none. */
  follow(ids) {
    this.following = ids
    const wanted = ids && new Set(ids)
    this.followed = wanted && this.items ? new Uint8Array(this.items.length).map((_, i) => Number(wanted.has(this.items[i]))) : null
    if (this.points?.n) this.dim()
  }

  /** The numbers of the chosen items; null for all. */
  chosenIds() {
    return this.chosen && [...this.items].filter((_, i) => this.chosen[i])
  }

  say() {
    const n = this.items?.length ?? 0
    const count = this.chosen ? this.chosen.reduce((sum, one) => sum + one, 0) : null
    const { run, rows, asks, map } = this.data
    const isKept = !this.within && selectionsIn(this.only || "").some((id) => this.only === `@${id}`)
    this.foot.show({ run, rows, asks, within: this.within ?? null, only: this.only || "" }, map.described, count, n, this.on.selections && !isKept)
  }

  /** The chosen items as a table: number, and place on both axes. */
  save() {
    const { frame, points, items } = this
    const rows = [["item", ...frame.keys.map((key) => this.columns.about.get(key).label)]]
    this.chosen.forEach((one, i) => {
      if (!one) return
      const values = frame.shown(points.at(i))
      rows.push([items[i], ...values.map((v) => v.toFixed(4))])
    })
    const link = h("a", { href: URL.createObjectURL(new Blob([csvOf(rows)], { type: "text/csv" })),
      download: `${this.data.run}-chosen.csv` })
    link.click()
    URL.revokeObjectURL(link.href)
  }

  close() {
    this.hand?.close()
    this.seen?.disconnect()
    this.points?.close()
  }
}
