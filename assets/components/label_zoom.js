/* One item of a sheet, enlarged beside it with its text: where the mouse rests, under a finger that
 * stays, or at the cursor after a key. Labelling continues.
 */

import { h } from "./dom.js"
import { ItemText } from "./label_focus.js"

const REST = 350  // ms that the mouse rests, or a finger stays, on a tile
const ABOVE = 68, BELOW = 76  // px kept free: the page's header, the bar under the sheet

export class Zoom {
  /** @param home the desk; @param items pictures and texts */
  constructor(home, items) {
    Object.assign(this, { home, items, pinned: false, at: -1, tile: null, timer: 0 })
    this.picture = h("img", { alt: "The item, enlarged", draggable: false, "data-testid": "zoom-picture" })
    this.text = new ItemText()
    this.element = h("aside", { class: "zoom", hidden: true, "aria-label": "The item, enlarged", "data-testid": "zoom" },
      h("span", { class: "pic" }, this.picture), this.text.element)
  }

  /** Shows a tile that is rested on; `at` is asked for when the time comes, for tiles change. */
  watch(tile) {
    const at = () => Number(tile.dataset.at)
    const later = () => this.later(() => this.show(at(), tile))
    tile.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && later())
    tile.addEventListener("pointerdown", (event) => {
      this.held = false
      if (event.pointerType !== "mouse") this.later(() => { this.held = true; this.show(at(), tile) })
    })
    for (const end of ["pointerleave", "pointerup", "pointercancel"]) {
      tile.addEventListener(end, (event) => (end === "pointerleave" || event.pointerType !== "mouse") && this.leave())
    }
    // A finger that stayed has looked at the item, and not chosen it.
    tile.addEventListener("contextmenu", (event) => this.held && event.preventDefault())
    tile.addEventListener("click", (event) => {
      if (this.held) event.stopImmediatePropagation()
      this.held = false
    }, { capture: true })
  }

  later(run) {
    clearTimeout(this.timer)
    this.timer = setTimeout(run, REST)
  }

  leave() {
    clearTimeout(this.timer)
    if (this.pinned) this.show(this.cursor.at, this.cursor.tile)
    else this.hide()
  }

  /** The key: keeps the item at the cursor enlarged, or no longer. */
  toggle() {
    this.pinned = !this.pinned
    if (this.pinned && this.cursor) this.show(this.cursor.at, this.cursor.tile)
    else this.hide()
  }

  /** Where the cursor is; `tile` is null where there is none (the end of a sheet, Focus). */
  follow(at, tile) {
    const moved = !this.cursor || this.cursor.at !== at || !tile !== !this.cursor.tile
    this.cursor = { at, tile }
    if (this.pinned ? moved || this.at === at : this.at >= 0 && !tile) this.show(at, tile)
    else if (this.at >= 0) this.fill()  // texts may have arrived
  }

  show(at, tile) {
    if (!tile || at < 0) return this.hide()
    Object.assign(this, { at, tile })
    this.fill()
    this.element.hidden = false
    this.element.classList.toggle("pinned", this.pinned)  // then its text can be scrolled
    this.place()
  }

  fill() {
    const address = this.items.picture(this.at)
    if (this.picture.getAttribute("src") !== address) this.picture.src = address
    this.text.show(this.items.text(this.at))
  }

  /** On the side of the sheet where the tile is not, as high as the window. */
  place() {
    const desk = this.home.getBoundingClientRect(), tile = this.tile.getBoundingClientRect()
    const left = tile.left + tile.width / 2 > desk.left + desk.width / 2
    const top = Math.max(ABOVE, desk.top)
    Object.assign(this.element.style, {
      top: `${top - desk.top}px`, maxHeight: `${Math.max(window.innerHeight - top - BELOW, 240)}px`,
      left: left ? "0" : "auto", right: left ? "auto" : "0",
    })
  }

  hide() {
    clearTimeout(this.timer)
    this.at = -1
    this.element.hidden = true
  }
}
