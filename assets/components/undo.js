/* Undo and redo, which are steps of the browser's history: every change that an address holds is one. */

import { h, icon } from "./dom.js"

/** The browser knows whether a step stays in the app; where it does not say, both are offered. */
function possible(way) {
  const known = window.navigation
  return !known || (way < 0 ? known.canGoBack : known.canGoForward)
}

function go(way) {
  if (possible(way)) history.go(way)
}

/** Ctrl-Z and Ctrl-Shift-Z (or Ctrl-Y), but for in a text, which has its own. */
function listen() {
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return
    const key = event.key.toLowerCase()
    const way = key === "y" || (key === "z" && event.shiftKey) ? 1 : key === "z" ? -1 : 0
    const [target] = event.composedPath()
    const writes = target.isContentEditable || target.matches?.("textarea, input:not([type=range], [type=checkbox], [type=radio])")
    if (!way || writes) return
    event.preventDefault()
    go(way)
  })
}

function button(label, keys, glyph, way) {
  const node = h("button", { type: "button", title: `${label} (${keys})`, "aria-label": label,
    "data-testid": label.toLowerCase() }, icon(glyph))
  node.onclick = () => go(way)
  return node
}

export default function ({ parentElement }) {
  if (!window.rivaeUndo) {
    window.rivaeUndo = true
    listen()
  }
  if (parentElement.querySelector(".steps")) return
  const undo = button("Undo", "Ctrl-Z", "undo", -1), redo = button("Redo", "Ctrl-Shift-Z", "redo", 1)
  const show = () => {
    undo.disabled = !possible(-1)
    redo.disabled = !possible(1)
  }
  show()
  window.navigation?.addEventListener("currententrychange", show)
  parentElement.append(h("div", { class: "frame steps" }, undo, redo))
}
