/* One search box: words find items, best first; a number names one; words, or a picture that is dropped
 * or pasted, can themselves be what is asked with.
 */

import { reach } from "./reach.js"
import { debounce, h, icon } from "./dom.js"
import { markOption } from "./options.js"

const SEARCH_MS = 150
const PICTURE_SIDE = 768  // pixels that a dropped picture is made smaller to

export class SearchBox {
  /** @param on {pick(id), ask(text), picture(name, content), trouble(sentence)} */
  constructor(on) {
    this.on = on
    this.seq = 0
    this.input = h("input", {
      type: "search", maxLength: 200, role: "combobox", "aria-expanded": "false", "aria-controls": "hits",
      "aria-autocomplete": "list", autocomplete: "off", "data-testid": "search",
    })
    this.list = h("ul", { id: "hits", class: "hits", role: "listbox", "aria-label": "Items found", hidden: true,
      "data-testid": "hits" })
    this.element = h("div", { class: "search" }, this.input, this.list)
    const soon = debounce(() => this.find(), SEARCH_MS)
    this.input.oninput = soon
    this.input.onfocus = () => this.options().length && this.open(true)
    this.input.onblur = () => this.open(false)
    this.input.onkeydown = (event) => this.key(event)
    this.input.onpaste = (event) => this.take(event, event.clipboardData)
    this.list.onpointerdown = (event) => event.preventDefault()  // the box keeps the focus
  }

  /** Takes pictures that are dropped on `node`. */
  dropOn(node) {
    const over = (on) => (event) => {
      if (!this.takes.picture || ![...event.dataTransfer.types].includes("Files")) return
      event.preventDefault()
      node.classList.toggle("over", on)
    }
    node.addEventListener("dragover", over(true))
    node.addEventListener("dragleave", over(false))
    node.addEventListener("drop", (event) => {
      over(false)(event)
      this.take(event, event.dataTransfer)
    })
  }

  /** @param data {run, rows, asks, takes: {text, picture}, hits: address} */
  adopt({ run, rows, asks, takes, hits }) {
    const isOther = JSON.stringify(this.question) !== JSON.stringify({ run, rows, asks })
    Object.assign(this, { question: { run, rows, asks }, takes, url: hits })
    this.element.hidden = !hits
    const label = takes.picture ? "Search, or drop a picture" : "Search"
    this.input.placeholder = `${label} …`
    this.input.setAttribute("aria-label", takes.picture
      ? "Search items by words or number, or paste a picture" : "Search items by words or number")
    if (isOther) this.clear()  // what is being typed stays where only the query changes
  }

  clear() {
    this.seq++
    this.input.value = ""
    this.list.replaceChildren()
    this.open(false)
  }

  async find() {
    const text = this.input.value.trim()
    const seq = ++this.seq
    if (!text) return this.clear()
    let found = null
    try {
      const reply = await reach(this.url, {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ ...this.question, text, seq }),
      })
      found = reply.ok ? (await reply.json()).hits : null
    } catch {
      // said below
    }
    if (seq === this.seq) this.show(text, found)
  }

  show(text, found) {
    const rows = (found || []).map((hit) => this.row(() => this.on.pick(hit.id),
      h("img", { src: hit.picture, alt: "", class: hit.tiny ? "tiny" : "" }),
      h("span", { class: "hit" }, marked("b", hit.title), marked("small", hit.snippet))))
    if (this.takes.text && /\p{L}/u.test(text)) {
      rows.unshift(this.row(() => this.on.ask(text), icon("tune"),
        h("span", { class: "hit" }, h("b", {}, `Ask with “${text}”`), h("small", {}, "The text is the query"))))
    }
    const none = found ? "No item has all these words" : "The search failed: try again"
    if (!found?.length) rows.push(h("li", { class: "muted none" }, none))
    this.list.replaceChildren(...rows)
    this.open(true)
    this.mark(0)
  }

  row(choose, ...parts) {
    const node = h("li", { role: "option", id: `hit-${Math.random().toString(36).slice(2)}`,
      "data-testid": "hit", "aria-selected": "false" }, ...parts)
    node.onclick = () => {
      this.clear()
      choose()
    }
    return node
  }

  options() {
    return [...this.list.querySelectorAll("[role=option]")]
  }

  open(isOpen) {
    this.list.hidden = !isOpen
    this.input.setAttribute("aria-expanded", String(isOpen))
  }

  /** Marks the option that Enter takes. */
  mark(at) {
    this.at = markOption(this.input, this.options(), at)
  }

  key(event) {
    const isOpen = !this.list.hidden
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.mark(this.at + (event.key === "ArrowDown" ? 1 : -1))
    else if (event.key === "Enter" && isOpen) this.options()[this.at]?.click()
    else if (event.key === "Escape" && isOpen) this.open(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  /** A picture among what was dropped or pasted becomes the query. */
  async take(event, transfer) {
    const file = [...transfer.files].find((one) => one.type.startsWith("image/"))
    if (!file || !this.takes.picture) return
    event.preventDefault()
    try {
      this.on.picture(file.name || "pasted picture", await smallPicture(file))
    } catch {
      this.on.trouble("This file cannot be read as a picture: use PNG or JPEG.")
    }
  }
}

/** A text in pieces [text, whether it was matched]. */
function marked(tag, pieces) {
  return h(tag, {}, ...pieces.map(([text, is]) => (is ? h("mark", {}, text) : text)))
}

/** A picture file as PNG of at most PICTURE_SIDE pixels on white, in base64. */
async function smallPicture(file) {
  const picture = await createImageBitmap(file)
  const scale = Math.min(1, PICTURE_SIDE / Math.max(picture.width, picture.height))
  const canvas = h("canvas", { width: Math.max(1, Math.round(picture.width * scale)),
    height: Math.max(1, Math.round(picture.height * scale)) })
  const drawn = canvas.getContext("2d")
  drawn.fillStyle = "#fff"
  drawn.fillRect(0, 0, canvas.width, canvas.height)
  drawn.imageSmoothingQuality = "high"
  drawn.drawImage(picture, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL("image/png").split(",")[1]
}
