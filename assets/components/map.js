/* The map: all searched items on two axes, and what the query does among them.
 *
 * The query's point moves while a slider is dragged, and moves the sliders when it is dragged
 * itself; the items found are lit; the outline holds 99 % of all items; a lasso chooses items to
 * search among. Right and up is always more of what an axis is named after.
 */

const PAD = 26  // pixels around the points
const MAX_PICTURES = 40

class MapView {
  /**
   * @param on {move({axis: z}), pick(id), choose(), label(within)}
   */
  constructor(on) {
    this.on = on
    this.columns = new Map()
    this.lit = []
    this.build()
  }

  build() {
    const select = (label, name) => {
      const node = h("select", { "aria-label": label, title: label, "data-testid": `map-${name}` })
      node.onchange = () => this.choose()
      return node
    }
    const tool = (label, glyph, name, run) => {
      const node = h("button", { type: "button", title: label, "aria-label": label,
        "data-testid": `map-${name}` }, icon(glyph))
      node.onclick = run
      return node
    }
    this.right = select("To the right", "x")
    this.up = select("Upwards", "y")
    this.colour = select("Colour", "colour")
    this.lassoButton = tool("Choose items with a lasso (or hold Shift)", "lasso", "lasso",
      () => this.hand?.setLasso(!this.hand.lassoing))
    this.foot = new MapChosen({
      save: () => this.save(), clear: () => this.select(null), label: () => this.on.label(this.within),
    })
    this.canvas = h("canvas", { "aria-hidden": "true" })
    this.over = new MapOver()
    this.svg = this.over.element
    this.preview = h("img", { class: "map-preview", alt: "", hidden: true })
    this.legend = h("div", { class: "map-legend", "data-testid": "map-legend" })
    this.trouble = h("p", { class: "error", role: "alert" })
    this.stage = h("div", { class: "map-stage" }, this.canvas, this.svg, this.preview, this.legend)
    this.element = h("section", { class: "map", "aria-label": "Map of all items", hidden: true },
      h("div", { class: "bar" }, this.right, this.up, this.colour, this.lassoButton,
        tool("Show everything", "whole", "reset", () => this.hand?.reset()),
        tool("Fill the page", "expand", "fill", () => this.fill())),
      this.trouble, this.stage, this.foot.element)
  }

  // opening

  /** Takes a run over; it is drawn once the map is open. */
  adopt(data, dims) {
    const key = `${data.map?.url}/${data.map?.version}`
    this.dims = dims
    this.data = data
    if (key !== this.key) {
      this.key = key
      this.columns.clear()
      this.chosen = this.within = this.corners = this.axes = null
      this.ready = false
    }
    if (!this.element.hidden && !this.ready) this.load()
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
      this.lib ||= await import(new URL(map.library, window.location.href).href)
      const [about, items] = await Promise.all([this.fetch("columns"), this.fetch("items")])
      if (key !== this.key) return
      this.about = about
      this.items = items
      this.at = new Map([...items].map((id, i) => [id, i]))
      this.listen()
      this.fillLists()
      await this.choose()
    } catch (error) {
      this.ready = false
      const why = /WebGL/.test(error.message) ? "This browser has no WebGL 2, which the map needs: use another one."
        : "The map could not be loaded: reload the page."
      setText(this.trouble, why)
    } finally {
      this.element.classList.remove("loading")
    }
  }

  async fetch(name) {
    if (!this.columns.has(name)) {
      const reply = await fetch(`${this.data.map.url}/${name}?v=${encodeURIComponent(this.data.map.version)}`)
      if (!reply.ok) throw new Error("no column")
      const isJson = (reply.headers.get("content-type") || "").includes("json")
      const kind = name === "items" ? Uint32Array : Uint16Array
      this.columns.set(name, isJson ? await reply.json() : new kind(await reply.arrayBuffer()))
    }
    return this.columns.get(name)
  }

  fillLists() {
    const option = (value, label) => h("option", { value }, label)
    const axes = this.about.filter((one) => one.kind === "axis")
    const order = axes.map((_, j) => j).sort((a, b) => this.dims[b].effect - this.dims[a].effect)
    const named = order.filter((j) => this.dims[j].given && !this.dims[j].suggested)
    const [x, y] = [...named, ...order.filter((j) => !named.includes(j))]
    for (const [list, j] of [[this.right, x], [this.up, y]]) {
      list.replaceChildren(...axes.map((axis, i) => option(i, axis.label)))
      list.value = j
    }
    const factors = this.about.filter((one) => one.kind !== "axis")
    this.colour.replaceChildren(option("", "One colour"), ...factors.map((one) => option(one.key, one.label)),
      ...axes.map((axis) => option(axis.key, axis.label)))
  }

  /** Draws the axes and the colour that the lists name. */
  async choose() {
    const [i, j] = [Number(this.right.value), Number(this.up.value)]
    const key = this.key
    const [x, y] = await Promise.all([this.fetch(`axis-${i}`), this.fetch(`axis-${j}`)])
    const values = this.colour.value ? await this.fetch(this.colour.value) : null
    if (key !== this.key) return
    const changed = !this.axes || this.axes[0] !== i || this.axes[1] !== j || this.points.n !== x.length
    this.axes = [i, j]
    if (changed) {
      this.select(null)
      this.points.place(this.turned(x, i), this.turned(y, j))
      this.edge = this.outline()
    }
    this.paintColour(values)
    this.fit()
    this.hand.reset()
  }

  /** A column as it is shown: right and up is more. */
  turned(column, j) {
    return this.dims[j].flipped ? column.map((code) => STEPS - code) : column
  }

  /** The convex outline of the 99 % of a sample that lie nearest to the middle. */
  outline() {
    const { x, y, n } = this.points
    const step = Math.max(1, Math.floor(n / 20000))
    const some = []
    for (let i = 0; i < n; i += step) some.push([x[i] / STEPS, y[i] / STEPS])
    const mean = [0, 1].map((k) => some.reduce((sum, p) => sum + p[k], 0) / some.length)
    const spread = [0, 1].map((k) => Math.sqrt(some.reduce((sum, p) => sum + (p[k] - mean[k]) ** 2, 0) / some.length) || 1)
    const far = (p) => ((p[0] - mean[0]) / spread[0]) ** 2 + ((p[1] - mean[1]) / spread[1]) ** 2
    const sorted = some.map((p) => [far(p), p]).sort((a, b) => a[0] - b[0])
    return this.lib.polygonHull(sorted.slice(0, Math.ceil(0.99 * sorted.length)).map(([, p]) => p)) || []
  }

  paintColour(values) {
    const { accent, ink, dark } = coloursOf(this.element)
    this.points.plain = [...(values ? ink : accent), values ? 0.4 : 1]
    if (!values) {
      this.legend.replaceChildren()
      this.points.colour(null)
      return
    }
    const about = this.about.find((one) => one.key === this.colour.value)
    const { shares, stops, legend } = colouring(about, values, this.data.map.colours[dark ? "dark" : "light"])
    this.points.colour(shares, stops)
    this.legend.replaceChildren(...legend)
  }

  // looking

  listen() {
    if (this.hand) return
    this.points = this.over.points = new Points(this.lib, this.canvas)
    this.hand = new MapHand(this, {
      look: (view, moving) => this.look(view, moving),
      drag: (place) => this.on.move(this.zAt(place)),
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
  }

  look(transform, moving) {
    this.points.look(transform, moving)
    this.draw()
    if (!moving) this.showPictures()
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
    const { about, element } = this.foot
    this.beside ||= about.parentElement
    const filled = this.element.classList.toggle("filled")
    ;(filled ? element : this.beside).append(about)
    this.fit()
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

  place(z, at) {
    const j = this.axes[at]
    const { low, high } = this.about[j]
    const share = (z[j] - low) / (high - low || 1)
    return this.dims[j].flipped ? 1 - share : share
  }

  /** z of both axes at a place of the map, by axis. */
  zAt(place) {
    return Object.fromEntries(this.axes.map((j, at) => {
      const { low, high } = this.about[j]
      const share = clamp(this.dims[j].flipped ? 1 - place[at] : place[at], -0.1, 1.1)
      return [j, low + share * (high - low)]
    }))
  }

  draw() {
    if (!this.points.n || !this.axes) return
    this.over.draw({ edge: this.edge, corners: this.corners, axes: this.axes.map((j) => this.dims[j]) })
    this.drawLit()
    this.drawQuery()
  }

  drawLit() {
    this.over.light(this.lit.map((id) => this.at.get(id)).filter((i) => i !== undefined))
  }

  drawQuery() {
    if (this.z && this.axes) this.over.query([this.place(this.z, 0), this.place(this.z, 1)])
  }

  /** Pictures instead of dots where few are in sight. */
  showPictures() {
    const seen = this.points.view.k > 2 ? this.points.inView() : []
    const few = seen.length <= MAX_PICTURES && this.data.map.pictures ? seen : []
    this.over.pictures(few.map((i) => [i, this.picture(this.items[i])]))
  }

  /** A picture of the item under the pointer. */
  showPreview(i, at) {
    this.preview.hidden = i < 0 || !this.data.map.pictures
    if (this.preview.hidden) return
    const src = this.picture(this.items[i])
    if (this.preview.getAttribute("src") !== src) this.preview.src = src
    const { width, height } = this.points
    this.preview.style.left = `${at[0] > width / 2 ? at[0] - 108 : at[0] + 14}px`
    this.preview.style.top = `${clamp(at[1] - 48, 0, Math.max(0, height - 96))}px`
  }

  picture(id) {
    return `${this.data.map.pictures}/${this.data.run}/${this.data.side}/${id}`
  }

  /** Searches among the points inside `corners` (shares of both axes as shown); null for all. */
  select(corners) {
    const usable = corners && corners.length > 2
    if (!usable && !this.within) return this.say()
    const { x, y, n } = this.points
    this.corners = usable ? corners.map((p) => p.map((v) => clamp(v, -0.9, 1.9))) : null
    this.chosen = null
    if (usable) {
      const within = new Uint8Array(n)
      for (let i = 0; i < n; i++) {
        within[i] = this.lib.polygonContains(this.corners, [x[i] / STEPS, y[i] / STEPS]) ? 1 : 0
      }
      this.chosen = within
    }
    const [i, j] = this.axes
    const back = (p) => p.map((v, at) => (this.dims[this.axes[at]].flipped ? 1 - v : v))
    this.within = usable ? { x: i, y: j, corners: this.corners.map(back) } : null
    this.points.choose(this.chosen)
    this.say()
    this.draw()
    this.on.choose(this.within)
  }

  say() {
    const n = this.items?.length ?? 0
    const count = this.chosen ? this.chosen.reduce((sum, one) => sum + one, 0) : n
    const { run, rows, asks, map } = this.data
    this.foot.show({ run, rows, asks, within: this.within ?? null }, map.described, count, n)
  }

  /** The chosen items as a table: number, and place on both axes. */
  save() {
    const names = this.axes.map((j) => `"${this.about[j].label.replaceAll('"', '""')}"`)
    const rows = [["item", ...names].join(",")]
    const z = (at, i) => {
      const { low, high } = this.about[this.axes[at]]
      const share = [this.points.x, this.points.y][at][i] / STEPS
      return (low + (this.dims[this.axes[at]].flipped ? 1 - share : share) * (high - low)).toFixed(4)
    }
    this.chosen.forEach((one, i) => one && rows.push([this.items[i], z(0, i), z(1, i)].join(",")))
    const link = h("a", { href: URL.createObjectURL(new Blob([rows.join("\n")], { type: "text/csv" })),
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
