/* The parts of the Explore panel and where they stand; what they do is in explore.js. */

import { ORDERS } from "./axis_order.js"
import { clamp, h, icon, setText } from "./dom.js"

const JUMPS = [-3, -2, -1, 0, 1, 2, 3]
const SPANS = [2, 4, 10]
// Where a query lies, as `Distance.where` in Python says it.
export const WHERE = { inside: "", edge: "Edge of the data", far: "Far from the data" }

/**
 * The query card.
 * @param choose called with "gallery" or "random"; `search` is what stands below, or null
 */
export function buildQuery(choose, search = null) {
  const button = (how, label, glyph) =>
    h("button", { type: "button", onclick: () => choose(how), "data-testid": `query-${how}` },
      icon(glyph), label)
  const buttons = h("div", { class: "buttons" },
    button("gallery", "Choose", "gallery"), button("random", "Random", "dice"))
  const picture = h("img", { alt: "", class: "query-picture", draggable: false })
  const title = h("b", {})
  const text = h("span", { class: "muted" })
  const element = h(
    "section", { class: "query", "aria-label": "Query", "data-testid": "query" },
    picture,
    h("div", { class: "about" }, h("span", { class: "label" }, "Query"), title, text, buttons),
    search,
  )
  return { element, picture, title, text }
}

/** Puts a query into its card. */
export function showQuery(card, { picture, title, text, tiny }) {
  card.picture.src = picture
  card.picture.alt = title
  card.picture.classList.toggle("tiny", tiny)
  setText(card.title, title)
  setText(card.text, text)
}

/**
 * The sliders with what stands above and below them.
 * @param on {find(), order(name), precise(), fold(), want(), span(s), jump(sigmas), reset(), random()}
 */
export function buildControls(on) {
  const find = h("input", {
    type: "search", placeholder: "Find an axis", "aria-label": "Find an axis", class: "find",
    "data-testid": "find-axis", oninput: on.find,
  })
  const order = h("select", { "aria-label": "Order of the axes", "data-testid": "order", onchange: () => on.order(order.value) },
    ...Object.entries(ORDERS).map(([name, title]) => h("option", { value: name }, title)))
  const precise = h("button", { type: "button", class: "toggle", onclick: on.precise, "aria-pressed": "false",
    "data-testid": "precise", title: "Show numbers, locks and ranges" }, "Precise")
  const fold = h("button", { type: "button", class: "fold", onclick: on.fold, "aria-expanded": "false", "data-testid": "fold" })
  const missing = h("span", {})
  const want = h("button", { type: "button", onclick: on.want, "data-testid": "want-axis" })
  const none = h("p", { class: "none", hidden: true, role: "status", "data-testid": "no-axis" }, missing, want)
  const span = h("select", { "aria-label": "Range of the sliders", "data-testid": "span" },
    ...SPANS.map((s) => h("option", { value: s }, `±${s} s.d.`)))
  span.onchange = () => on.span(Number(span.value))
  const list = h("div", { class: "rows", "data-testid": "sliders" })
  const jumpName = h("b", {})
  const jumpLabel = (n) => (n ? `Mean ${n > 0 ? "plus" : "minus"} ${Math.abs(n)} s.d.` : "Mean")
  const jumps = h("div", { class: "jump", role: "group", "data-testid": "jump" }, jumpName,
    ...JUMPS.map((n) => h("button",
      { type: "button", onclick: () => on.jump(n), "aria-label": jumpLabel(n), title: jumpLabel(n) },
      n ? `${n > 0 ? "+" : "−"}${Math.abs(n)}σ` : "μ")))
  const reset = h("button", { type: "button", onclick: on.reset, "data-testid": "reset-all",
    title: "Reset all axes to the query", "aria-label": "Reset all" }, icon("reset"))
  const random = h("button", { type: "button", onclick: on.random, "data-testid": "random-z",
    title: "A random point among the training queries", "aria-label": "Random point" }, icon("dice"))
  const element = h(
    "section", { class: "controls", "aria-label": "Axes" },
    h("div", { class: "bar" }, h("h2", {}, "Axes"), h("span", { class: "grow" }), precise, reset, random),
    h("div", { class: "bar finding" }, find, order, span),
    list,
    fold,
    none,
    jumps,
  )
  return { element, find, order, precise, fold, none, missing, want, span, list, jumps, jumpName }
}

/**
 * The results: heading, options, the given grid, and what is said about them; how many there may be
 * (`k.max`) says the server.
 * @param on {k(value), whole(checked)}
 */
export function buildResults(grid, on) {
  const heading = h("h2", {})
  const count = h("span", { class: "muted", "data-testid": "count" })
  const k = h("input", {
    type: "number", min: 1, step: 1, "aria-label": "Number of results", "data-testid": "k",
  })
  k.onchange = () => on.k(clamp(Math.round(Number(k.value)) || 10, 1, Number(k.max)))
  const whole = h("input", { type: "checkbox", "data-testid": "whole" })
  whole.onchange = () => on.whole(whole.checked)
  const wholeLabel = h("span", {})
  const watched = h("span", { class: "muted watched-place", "data-testid": "watched" })
  const far = h("p", { class: "far", "data-testid": "far-warning" })
  const engine = h("p", { class: "muted engine", "data-testid": "engine" })
  const error = h("p", { class: "error", role: "alert", "data-testid": "explore-error" })
  const live = h("p", { class: "sr", role: "status", "aria-live": "polite" })
  const element = h(
    "section", { class: "results", "aria-label": "Results" },
    h("div", { class: "bar" }, heading, count, watched, h("span", { class: "grow" }),
      h("label", { class: "check" }, whole, wholeLabel),
      h("label", { class: "check" }, "Show", k)),
    error, grid, engine, far, live,
  )
  return { element, heading, count, k, whole, wholeLabel, watched, engine, far, error, live }
}
