/* The pictures of a step and of its query: small ones at once, the full ones in their place once they are here. */

import { h, setText } from "./dom.js"

const FADE_MS = 220
const SLOTS = 5

/** Whether somebody has asked for no motion. */
export function isCalm() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches
}

export class TourPictures {
  constructor() {
    this.fetched = new Map()
    this.element = h("div", { class: "pictures", "data-testid": "tour-pictures" })
    this.slots = Array.from({ length: SLOTS }, () => {
      const img = h("img", { alt: "" })
      const name = h("figcaption", {})
      const element = h("figure", {}, h("span", { class: "pic" }, img), name)
      this.element.append(element)
      return { element, img, name }
    })
    this.queryPicture = h("img", { alt: "" })
    this.queryTitle = h("span", {})
    this.query = h("div", { class: "query" }, this.queryPicture,
      h("div", {}, h("span", { class: "small" }, "Query"), this.queryTitle))
  }

  /** The full picture of an item, fetched with the first call; null without the web route. */
  full(run, side, id) {
    if (!this.url) return null
    const address = `${this.url}/${encodeURIComponent(run)}/${side}/${id}`
    if (!this.fetched.has(address)) this.fetched.set(address, Object.assign(new Image(), { src: address }))
    return this.fetched.get(address)
  }

  /** Fetches the full pictures of `part` {items, side} before they are shown. */
  fetch({ items, side }, run) {
    for (const [id] of items || []) this.full(run, side, id)
  }

  /** Shows the items of `part`; without one, empty places. What is only passed by stays small, and changes as under a hand. */
  show(part, run, isPassedBy = false) {
    this.slots.forEach(({ element, img, name }, rank) => {
      const item = part && part.items ? part.items[rank] : null
      element.classList.toggle("gone", !item && Boolean(part))
      if (!item) {
        img.removeAttribute("src")
        img.alt = ""
        setText(name, "")
        return
      }
      const [id, title, small, tiny] = item
      this.put(img, small, id, isPassedBy ? null : this.full(run, part.side, id), !isPassedBy)
      img.classList.toggle("tiny", Boolean(tiny))
      img.alt = title
      setText(name, title)
    })
  }

  showQuery(card, run) {
    this.query.classList.toggle("gone", !card)
    if (!card) return
    const [title, small, tiny, id, side] = card
    this.put(this.queryPicture, small, id, this.full(run, side, id))
    this.queryPicture.classList.toggle("tiny", Boolean(tiny))
    setText(this.queryTitle, title)
  }

  /** Another picture comes in softly; a sharper one of the same item takes its place at once. */
  put(img, small, id, full, isSoft = true) {
    const isReady = full && full.complete && full.naturalWidth
    const src = isReady ? full.src : small
    const isOther = img.dataset.id !== String(id)
    img.dataset.id = id
    if (full && !isReady) {
      full.addEventListener("load", () => img.dataset.id === String(id) && img.getAttribute("src") === small && this.put(img, small, id, full))
    }
    if (img.src === src) return
    img.src = src
    if (isOther && isSoft && !isCalm()) img.animate([{ opacity: 0.25 }, { opacity: 1 }], FADE_MS)
  }
}
