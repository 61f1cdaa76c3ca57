/* Word clouds side by side with a few pictures under each. A word that is pointed at lights up in
 * every cloud; a click or Enter reports it, {state, word} by number, or the item that was clicked.
 */

import { h } from "./dom.js"

const views = new WeakMap()

class Clouds {
  constructor(root) {
    this.list = h("div", { class: "clouds", "data-testid": "clouds" })
    root.append(h("div", { class: "frame" }, this.list))
    this.list.onpointerover = (event) => this.light(wordOf(event.target))
    this.list.onpointerleave = () => this.light(null)
    this.list.onclick = (event) => this.report(wordOf(event.target))
    this.list.onkeydown = (event) => this.key(event)
    this.list.onfocusin = (event) => this.light(wordOf(event.target))
    this.list.onfocusout = () => this.light(null)
  }

  update(component) {
    this.component = component
    const { states, aspect } = component.data
    const shown = JSON.stringify(states)
    if (shown === this.shown) return
    this.shown = shown
    this.list.style.setProperty("--aspect", aspect)
    this.list.replaceChildren(...states.map((state, s) => this.state(state, s)))
  }

  state({ name, note, svg, tiles }, s) {
    const drawing = drawn(svg)
    drawing.dataset.state = s
    const words = [...drawing.querySelectorAll("[data-word]")]
    words.forEach((word, n) => {
      word.setAttribute("role", "button")
      word.setAttribute("tabindex", n ? -1 : 0)
    })
    const tile = ([id, title, address, tiny]) => h(
      "button",
      {
        type: "button", class: "tile", title, "data-id": id, "data-testid": "cloud-dish",
        onclick: () => this.component.setTriggerValue("item", id),
      },
      h("span", { class: "pic" }, h("img", { alt: title, src: address, class: tiny ? "tiny" : "" })),
    )
    return h(
      "section", { class: "state", "aria-label": name, "data-testid": `cloud-${s + 1}` },
      h("div", { class: "head" }, h("b", {}, name), h("span", { class: "muted" }, note)),
      h("div", { class: "cloud" }, drawing),
      h("div", { class: "dishes" }, ...tiles.map(tile)),
    )
  }

  /** The same word in all clouds; the others stand back. */
  light(word) {
    const number = word ? word.dataset.word : null
    if (number === this.lit) return
    this.lit = number
    this.list.classList.toggle("lit", number !== null)
    for (const other of this.list.querySelectorAll("[data-word]"))
      other.classList.toggle("same", other.dataset.word === number)
  }

  report(word) {
    if (!word) return
    const state = Number(word.ownerSVGElement.dataset.state)
    this.component.setTriggerValue("word", { state, word: Number(word.dataset.word) })
  }

  /** Arrow keys go from word to word, the most frequent first. */
  key(event) {
    const word = wordOf(event.target)
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (!word || !(step || event.key === "Enter" || event.key === " ")) return
    event.preventDefault()
    if (!step) return this.report(word)
    const words = [...word.ownerSVGElement.querySelectorAll("[data-word]")]
    const next = words[words.indexOf(word) + step]
    if (!next) return
    word.setAttribute("tabindex", -1)
    next.setAttribute("tabindex", 0)
    next.focus()
  }
}

function wordOf(node) {
  return node && node.closest ? node.closest("[data-word]") : null
}

/** An SVG that Python wrote, as nodes: parsed as XML, whose text Python has escaped. */
function drawn(svg) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml")
  const drawing = document.importNode(parsed.documentElement, true)
  drawing.setAttribute("role", "group")
  return drawing
}

export default function (component) {
  const { parentElement } = component
  let view = views.get(parentElement)
  if (!view) {
    view = new Clouds(parentElement)
    views.set(parentElement, view)
  }
  view.update(component)
  return () => views.delete(parentElement)
}
