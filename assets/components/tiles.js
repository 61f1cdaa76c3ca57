/* The grid of retrieved items, and the marks of what a gesture has changed.
 *
 * Marks compare with the result at the start of the gesture (a drag, or a run of key presses), not
 * with the frame before: a mark that lives for 16 ms cannot be read.
 */

import { h, setText } from "./dom.js"
import { besideOf } from "./grid_rows.js"
import { SHARP_MS, sharpen } from "./sharp.js"

const LEAST = 166, GAP = 8  // pixels of a tile with its border, and between two

export class Tiles {
  /**
   * @param pick called with an item number, @param picture (id) => [title, address, tiny]
   * @param large (id) => address of the full picture; with it tiles fill the rows, each wide enough to look at
   */
  constructor({ pick, picture, large = null }) {
    Object.assign(this, { pick, picture, large })
    this.ids = []
    this.before = null
    this.watched = null
    this.slots = []
    this.grid = h("div", {
      class: "grid", role: "group", "aria-label": "Retrieved items", "data-testid": "grid",
    })
    this.grid.onkeydown = (event) => this.walk(event)
    this.gone = h("div", { class: "gone", "data-testid": "left-items" })
    this.element = h("div", { class: large ? "tiles filled-rows" : "tiles" }, this.grid, this.gone)
    if (!large) return
    this.seen = new ResizeObserver(([{ contentRect }]) => this.fit(contentRect.width))
    this.seen.observe(this.grid)
  }

  /** Fills the rows of a grid that is `width` pixels wide. */
  fit(width) {
    if (!width) return
    this.width = width
    const beside = besideOf(this.slots.length, width, LEAST, GAP)
    this.grid.classList.toggle("one-row", beside.length <= beside[0])
    this.slots.forEach(({ tile }, rank) => tile.style.setProperty("--beside", beside[rank]))
    this.sharpenSoon()
  }

  sharpenSoon() {
    if (!this.large) return
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.slots.forEach(({ img, id, tile }) =>
      sharpen(img, this.large(id), () => tile.dataset.id === String(id))), SHARP_MS)
  }

  close() {
    clearTimeout(this.timer)
    this.seen?.disconnect()
  }

  /** From here on changes are marked against what is shown now. */
  startGesture() {
    this.before = this.ids.length ? new Map(this.ids.map((id, rank) => [id, rank])) : null
  }

  /** Marks nothing until the next gesture. */
  clearMarks() {
    this.before = null
  }

  /** Item `id`, or null for none, is framed wherever it goes. */
  watch(id) {
    this.watched = id
    this.slots.forEach((slot) => this.frame(slot))
  }

  frame({ tile, id }) {
    const isWatched = id !== null && id === this.watched
    tile.classList.toggle("watched", isWatched)
    if (isWatched) tile.setAttribute("aria-current", "true")
    else tile.removeAttribute("aria-current")
  }

  /** Shows `ids`, best first. */
  show(ids, seq) {
    this.ids = ids
    const others = this.slots.length !== ids.length
    while (this.slots.length < ids.length) this.slots.push(this.makeSlot(this.slots.length))
    while (this.slots.length > ids.length) this.slots.pop().tile.remove()
    if (others) this.fit(this.width)
    this.sharpenSoon()
    this.grid.dataset.count = ids.length <= 10 ? "few" : ids.length <= 18 ? "some" : "many"
    this.grid.dataset.seq = seq
    ids.forEach((id, rank) => this.fill(this.slots[rank], id, rank))
    this.showGone()
  }

  makeSlot(rank) {
    const img = h("img", { alt: "", draggable: false, decoding: "sync" })
    const title = h("span", { class: "title" })
    const mark = h("span", { class: "mark" })
    const tile = h(
      "button",
      { class: "tile", type: "button", "data-testid": "tile", "data-rank": rank + 1 },
      h("span", { class: "pic" }, img),
      h("span", { class: "cap" }, h("span", { class: "rank" }, String(rank + 1)), title),
      mark,
    )
    tile.onclick = () => this.pick(Number(tile.dataset.id))
    this.grid.append(tile)
    return { tile, img, title, mark, id: null, state: null }
  }

  fill(slot, id, rank) {
    const [name, address, tiny] = this.picture(id) || ["", "", false]
    if (slot.id !== id || slot.address !== address) {
      slot.id = id
      slot.address = address
      slot.img.src = address
      delete slot.img.dataset.large
      slot.img.alt = name
      slot.img.classList.toggle("tiny", Boolean(tiny))
      setText(slot.title, name)
      slot.title.title = name
      slot.tile.dataset.id = id
    }
    this.frame(slot)
    const was = this.before ? this.before.get(id) : rank
    const moved = was === undefined ? 0 : was - rank
    const state = was === undefined ? "new" : moved > 0 ? "up" : moved < 0 ? "down" : "same"
    slot.tile.dataset.change = state
    const words = { new: "new", up: `▲ ${moved}`, down: `▼ ${-moved}`, same: "" }[state]
    setText(slot.mark, words)
    const spoken = { new: ", new", up: `, up ${moved}`, down: `, down ${-moved}`, same: "" }[state]
    slot.tile.setAttribute("aria-label", `${rank + 1}: ${name}${spoken}`)
  }

  showGone() {
    const shown = new Set(this.ids)
    const left = this.before ? [...this.before.keys()].filter((id) => !shown.has(id)) : []
    const gone = left.filter((id) => this.picture(id))
    const key = gone.join()
    if (this.gone.dataset.ids === key) return
    this.gone.dataset.ids = key
    this.gone.replaceChildren()
    if (!gone.length) return
    this.gone.append(h("span", { class: "label" }, "Dropped"))
    for (const id of gone) {
      const [name, address, tiny] = this.picture(id)
      const img = h("img", { alt: name, src: address, class: tiny ? "tiny" : "" })
      const mini = h(
        "button",
        { class: "mini", type: "button", title: name, "aria-label": `Dropped: ${name}`, "data-id": id },
        img,
      )
      mini.onclick = () => this.pick(id)
      this.gone.append(mini)
    }
  }

  /** Arrow keys walk over the tiles. */
  walk(event) {
    const at = this.slots.findIndex((slot) => slot.tile === event.target)
    if (at < 0) return
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const next = step ? this.slots[at + step]?.tile : way && this.nextRow(event.target, way)
    if (!next) return
    event.preventDefault()
    next.focus()
  }

  /** The tile below (1) or above (-1) another one. */
  nextRow(tile, way) {
    const middle = ({ offsetLeft, offsetWidth }) => offsetLeft + offsetWidth / 2
    const beyond = this.slots.map((slot) => slot.tile).filter((one) => way * (one.offsetTop - tile.offsetTop) > 0)
    const far = (one) => Math.abs(one.offsetTop - tile.offsetTop) * 1e4 + Math.abs(middle(one) - middle(tile))
    return beyond.sort((a, b) => far(a) - far(b))[0]
  }

  /** One sentence about the last gesture, for the screen reader. */
  sentence() {
    const count = (state) => this.slots.filter((slot) => slot.tile.dataset.change === state).length
    const first = this.slots[0] ? this.slots[0].title.textContent : ""
    const moved = count("up") + count("down")
    if (!count("new") && !moved) return `Results unchanged. Best match: ${first}.`
    return `${count("new")} new, ${moved} moved. Best match: ${first}.`
  }
}
