/* The selections that are kept with a run: chips that choose among their items, with names that are edited in place.
 *
 * A selection has a colour and a shape, on the map as on its chip, so that neither alone tells it.
 */

import { SVG, h, icon } from "./dom.js"

// Paths in a square of 10; the map's points have the same shapes in the same order.
const SHAPES = ["M5 1a4 4 0 1 0 0 8a4 4 0 1 0 0-8z", "M1.500 1.500h7v7h-7z", "M5 1L9.500 9H.500z", "M5 0L10 5L5 10L0 5z"]
export const shapeOf = (mark) => mark % SHAPES.length
const CONDITION = /(?<!\S)@(s[1-9]\d*)(?!\S)/g

/** The ids of selections that are conditions in a text. */
export function selectionsIn(only) {
  return [...only.matchAll(CONDITION)].map(([, id]) => id)
}

/** A text with the selection as its only one, or without it where it is there already. */
export function withSelection(only, id) {
  const rest = only.replace(CONDITION, "").split(/\s+/).filter(Boolean)
  return [...rest, ...(selectionsIn(only).includes(id) ? [] : [`@${id}`])].join(" ")
}

export class MapSelections {
  /** @param on {choose(id), change({do, id, name}) or null where they are kept elsewhere} */
  constructor(on) {
    this.on = on
    this.chips = h("span", { class: "selections" })
    this.undo = h("button", { type: "button", class: "quiet", hidden: true, "data-testid": "selection-undo" })
    this.undo.onclick = () => this.on.change({ do: "restore" })
    this.element = h("div", { class: "bar selection-bar", role: "group", "aria-label": "Selections", hidden: true,
      "data-testid": "selections" }, this.chips, this.undo)
    this.known = []
    this.active = []
  }

  /** @param known [{id, name, mark, n}], `colours` by mark, `gone` the name that Undo brings back or "" */
  adopt(known, colours, gone) {
    const said = JSON.stringify([known, colours, gone])
    if (said === this.said) return
    this.said = said
    Object.assign(this, { known, colours })
    this.undo.hidden = !gone
    this.undo.replaceChildren(icon("undo"), `Undo: ${gone}`)
    this.element.hidden = !known.length && !gone
    this.draw()
  }

  /** Shows which selections are chosen among. */
  press(ids) {
    if (String(ids) === String(this.active)) return
    this.active = ids
    this.draw()
  }

  draw() {
    if (this.isEdited) return  // what is typed stays; it is drawn when that ends
    const active = this.chips.getRootNode().activeElement
    const last = this.chips.contains(active) ? active.dataset : null
    // An answer that was on its way may take a button away for a moment: its chip holds the focus for it.
    const wanted = last && this.held?.by === active ? this.held.wanted : last && { id: last.id, part: last.part }
    this.chips.replaceChildren(...this.known.map((one) => this.chip(one)))
    this.held = null
    if (!wanted) return
    const button = (part) => this.chips.querySelector(`[data-id="${wanted.id}"][data-part="${part}"]`)
    const found = button(wanted.part) ?? button("choose")
    if (found && found.dataset.part !== wanted.part) this.held = { by: found, wanted }
    found?.focus()
  }

  chip(one) {
    const isActive = this.active.includes(one.id)
    const button = (part, props, ...children) => h("button", { type: "button", "data-id": one.id, "data-part": part,
      "data-testid": `selection-${part}`, ...props }, ...children)
    const choose = button("choose", { "aria-pressed": String(isActive), title: `Only these ${one.n.toLocaleString()} items (@${one.id})` },
      this.swatch(one.mark), h("span", { class: "selection-name" }, one.name), h("span", { class: "muted" }, one.n.toLocaleString()))
    choose.onclick = () => this.on.choose(one.id)
    const chip = h("span", { class: "selection" }, choose)
    if (!isActive || !this.on.change) return chip
    const rename = button("rename", { title: `Rename ${one.name}`, "aria-label": `Rename ${one.name}` }, icon("pen"))
    rename.onclick = () => this.edit(chip, one)
    const remove = button("remove", { title: `Remove ${one.name}`, "aria-label": `Remove ${one.name}` }, icon("remove"))
    remove.onclick = () => {
      this.on.choose(one.id)  // not among the items of one that is gone
      this.on.change({ do: "remove", id: one.id })
      this.known = this.known.filter((other) => other !== one)  // what comes next says whether it is
      this.said = null
      this.draw()
    }
    chip.append(rename, remove)
    return chip
  }

  /** Its name as a field; Enter keeps it, Escape leaves it as it was. */
  edit(chip, one) {
    const field = h("input", { type: "text", value: one.name, maxLength: 60, class: "selection-field",
      "aria-label": `Name of ${one.name}`, "data-testid": "selection-field", "data-id": one.id, "data-part": "rename" })
    this.isEdited = true
    const end = (name) => {
      if (!this.isEdited) return
      this.isEdited = false
      if (name && name !== one.name) this.on.change({ do: "rename", id: one.id, name })
      this.draw()
    }
    field.onkeydown = (event) => {
      event.stopPropagation()
      if (event.key === "Enter") {
        event.preventDefault()  // it would press the button that has the focus next
        end(field.value.trim())
      } else if (event.key === "Escape") end("")
    }
    field.onblur = () => end(field.value.trim())
    chip.replaceChildren(this.swatch(one.mark), field)
    field.focus()
    field.select()
  }

  swatch(mark) {
    const svg = document.createElementNS(SVG, "svg")
    svg.setAttribute("viewBox", "0 0 10 10")
    svg.setAttribute("class", "swatch")
    svg.setAttribute("aria-hidden", "true")
    const path = document.createElementNS(SVG, "path")
    path.setAttribute("d", SHAPES[shapeOf(mark)])
    path.setAttribute("fill", this.colours[mark % this.colours.length])
    svg.append(path)
    return svg
  }
}
