/* Sweep: one factor, a sheet of 24 items. */

import { h, setText } from "./dom.js"
import { ELSEWHERE, NOTHING, SKIPPED } from "./label_desk.js"

export const SHEET = 24

export class Sheet {
  /** @param on {pick(at), next()} */
  constructor(on) {
    this.tiles = Array.from({ length: SHEET }, () => this.tile(on))
    this.grid = h("div", { class: "sheet", role: "group", "aria-label": "Sheet", "data-testid": "sheet" },
      ...this.tiles.map((tile) => tile.element))
    this.over = h("p", { class: "over", "data-testid": "sheet-over" })
    this.next = h("button", { type: "button", class: "primary", onclick: on.next, "data-testid": "next" })
    this.end = h("div", { class: "end", hidden: true }, this.over, this.next)
    this.element = h("div", {}, this.grid, this.end)
  }

  tile(on) {
    const picture = h("img", { alt: "", draggable: false })
    const badge = h("span", { class: "badge" })
    const title = h("span", { class: "title" })
    const element = h("button",
      { type: "button", class: "tile", tabIndex: -1, "data-testid": "label-tile" },
      h("span", { class: "pic" }, picture), badge, h("span", { class: "cap" }, title))
    element.onclick = () => on.pick(Number(element.dataset.at))
    return { element, picture, badge, title }
  }

  /** @param shown {start, n, at, k, desk, factor, items, hint(at)}; `at` is -1 at the end */
  show({ start, n, at, k, desk, factor, items, hint }) {
    this.tiles.forEach((tile, i) => {
      const here = start + i
      tile.element.hidden = here >= n
      if (here >= n) return
      tile.element.dataset.at = here
      if (tile.picture.getAttribute("src") !== items.picture(here)) tile.picture.src = items.picture(here)
      const mark = desk.mark(k, here), flagged = desk.flags.has(here)
      const guess = mark === NOTHING ? hint(here) : NOTHING
      const text = items.text(here)
      setText(tile.title, (text && text.title) || "")
      tile.element.title = (text && text.title) || ""
      setText(tile.badge, mark === "0" ? "?" : mark === SKIPPED ? "–" : mark !== NOTHING ? inShort(mark) : guess !== NOTHING ? `${guess}?` : "")
      tile.badge.className = `badge ${mark === SKIPPED ? "skipped" : mark !== NOTHING ? "given" : guess !== NOTHING ? "guess" : ""}`
      tile.element.dataset.mark = mark
      tile.element.dataset.flag = String(flagged)
      tile.element.setAttribute("aria-current", String(here === at))
      tile.element.setAttribute("aria-label", `Item ${here + 1}: ${inWords(factor, mark)}` +
        (flagged ? ", flagged" : "") + (guess !== NOTHING ? `, suggested ${guess}` : ""))
      if (here === at) reveal(tile.element)
    })
  }

  /** What is said when every item of the sheet has its level; "" hides it. */
  finish(sentence, button) {
    this.end.hidden = !sentence
    setText(this.over, sentence)
    setText(this.next, button)
  }

  /** How many tiles stand beside each other. */
  columns() {
    const tops = this.tiles.filter((tile) => !tile.element.hidden).map((tile) => tile.element.offsetTop)
    const second = tops.findIndex((top) => top > tops[0])
    return second < 0 ? Math.max(tops.length, 1) : second
  }
}

/** A mark in the words of its factor. */
export function inWords(factor, mark) {
  if (mark === NOTHING) return "no level yet"
  if (mark === SKIPPED) return "skipped"
  if (mark === "n") return "not applicable"
  if (mark === ELSEWHERE) return "asked of somebody else"
  const low = UNSURE_MARKS.indexOf(mark)
  if (low >= 0) return `${factor.levels[low]} or ${factor.levels[low + 1]}`
  return mark === "0" ? "cannot tell" : `${mark} ${factor.levels[Number(mark) - 1]}`
}

const UNSURE_MARKS = "abcd" // between two levels, as in rivae/labels/desk.py

/** The mark of an answer between a level and the next one. */
export function betweenLevels(low) {
  return UNSURE_MARKS[low - 1]
}

/** The answer of a click on the button of a mark: with Shift on a level, between it and the next. */
export function pressedMark(mark, event) {
  const low = Number(mark)
  return event.shiftKey && low >= 1 && low <= UNSURE_MARKS.length ? betweenLevels(low) : mark
}

/** Whether an answer is the one of a button, or between two that it is one of. */
export function isAnswer(mark, button) {
  const low = UNSURE_MARKS.indexOf(mark)
  return low >= 0 ? button === String(low + 1) || button === String(low + 2) : mark === button
}

/** What an event says of a mark. */
export function answerOf(mark) {
  const low = UNSURE_MARKS.indexOf(mark)
  if (mark === "n") return { action: "inapplicable", level: null }
  return low >= 0 ? { action: "unsure", level: low + 1 } : { level: mark === "0" ? null : Number(mark) }
}

/** A mark as a badge. */
function inShort(mark) {
  const low = UNSURE_MARKS.indexOf(mark)
  return low >= 0 ? `${low + 1}–${low + 2}` : mark === "n" ? "n/a" : mark === ELSEWHERE ? "·" : mark
}

/** Scrolls only when the element is not in sight, so that a sheet stands still while it is labelled. */
export function reveal(element) {
  const { top, bottom } = element.getBoundingClientRect()
  if (top < 60 || bottom > window.innerHeight - 8) element.scrollIntoView({ block: "center" })
}
