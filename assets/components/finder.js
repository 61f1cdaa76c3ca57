/* One search for everything: a button and Ctrl-K open it, arrows and Enter choose. */

import { debounce, h, icon } from "./dom.js"
import { markOption } from "./options.js"
import { reach } from "./reach.js"

const SEARCH_MS = 120

class Finder {
  constructor(root) {
    this.seq = 0
    this.button = h("button", { type: "button", class: "open", "data-testid": "find-all", title: "Search (Ctrl-K)",
      "aria-label": "Search everything" }, icon("search"), h("kbd", {}, "Ctrl-K"))
    this.input = h("input", { type: "search", maxLength: 200, role: "combobox", "aria-expanded": "true",
      "aria-controls": "all-hits", "aria-autocomplete": "list", autocomplete: "off",
      "aria-label": "Search items, axes, runs and views", placeholder: "Items, axes, runs, views …",
      "data-testid": "find-all-text" })
    this.list = h("div", { id: "all-hits", role: "listbox", "aria-label": "Results", "data-testid": "all-hits" })
    this.dialog = h("dialog", { "aria-label": "Search" }, this.input, this.list)
    this.button.onclick = () => this.open()
    this.input.oninput = debounce(() => this.find(), SEARCH_MS)
    this.dialog.onkeydown = (event) => this.key(event)
    this.dialog.onclick = (event) => event.target === this.dialog && this.dialog.close()
    root.append(h("div", { class: "frame finder" }, this.button, this.dialog))
  }

  open() {
    if (this.dialog.open || !this.dialog.isConnected) return
    this.dialog.showModal()
    this.input.select()
    this.find()
  }

  async find() {
    const seq = ++this.seq
    const { url, run, asks } = this.data
    let hits = null
    try {
      const reply = await reach(url, { method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ run, asks, text: this.input.value.trim(), seq }) })
      hits = reply.ok ? (await reply.json()).hits : null
    } catch {
      // said below
    }
    if (seq === this.seq) this.show(hits)
  }

  show(hits) {
    const parts = [...grouped(hits ?? [])].map(([group, of]) => h("div", { role: "group", "aria-label": group },
      h("small", { class: "group" }, group), ...of.map((hit) => this.row(hit))))
    if (!hits?.length) {
      const sentence = hits ? "Nothing fits: try another word" : "The search failed: try again"
      parts.push(h("p", { class: "none" }, sentence))
    }
    this.list.replaceChildren(...parts)
    this.mark(0)
  }

  row({ title, note, picture, tiny, page, params }) {
    const node = h("div", { role: "option", id: `all-${Math.random().toString(36).slice(2)}`, class: "hit",
      "aria-selected": "false", "data-testid": "all-hit" },
      picture ? h("img", { src: picture, alt: "", class: tiny ? "tiny" : "" }) : null,
      h("span", {}, h("b", {}, title), note ? h("small", { title: note }, note) : null))
    node.onclick = () => {
      this.dialog.close()
      this.send("go", { page, params, at: Date.now() })
    }
    return node
  }

  options() {
    return [...this.list.querySelectorAll("[role=option]")]
  }

  mark(at) {
    this.at = markOption(this.input, this.options(), at)
  }

  key(event) {
    event.stopPropagation()
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (way) this.mark(this.at + way)
    else if (event.key === "Enter") this.options()[this.at]?.click()
    else return
    event.preventDefault()
  }
}

function grouped(hits) {
  const groups = new Map()
  for (const hit of hits) groups.set(hit.group, [...(groups.get(hit.group) ?? []), hit])
  return groups
}

function listen() {
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    window.rivaeFinder?.open()
  }, true)
}

const finders = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!("rivaeFinder" in window)) listen()
  const finder = finders.get(parentElement) ?? new Finder(parentElement)
  finders.set(parentElement, finder)
  window.rivaeFinder = finder
  finder.data = data
  finder.button.hidden = !data.url
  finder.send = setTriggerValue
}
