/* Small helpers shared by the components. Text only ever enters through textContent. */

export const SVG = "http://www.w3.org/2000/svg"

export const ICONS = {
  lock: "M5 11V8a5 5 0 0 1 10 0v3M4 11h12v7H4z",
  unlock: "M5 11V8a5 5 0 0 1 9.6-2M4 11h12v7H4z",
  reset: "M4 10a6 6 0 1 0 2-4.5M4 3v4h4",
  search: "M9 3.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 1 0 0-11M13 13l4 4",
  undo: "M7 4 3 8l4 4M3 8h8a5 5 0 0 1 0 10H8",
  redo: "M13 4l4 4-4 4M17 8H9a5 5 0 0 0 0 10h3",
  dice: "M4 4h12v12H4zM7.5 7.5h.01M12.5 7.5h.01M10 10h.01M7.5 12.5h.01M12.5 12.5h.01",
  gallery: "M3 4h6v6H3zM11 4h6v6h-6zM3 12h6v5H3zM11 12h6v5h-6z",
  average: "M3 16c4 0 4-11 7-11s3 11 7 11M10 3v14",
  tune: "M3 6h7M14 6h3M12 4v4M3 14h3M10 14h7M8 12v4",
  map: "M3 5l5-2 4 2 5-2v12l-5 2-4-2-5 2zM8 3v12M12 5v12",
  lasso: "M10 13c-4 0-7-2-7-4.500S6 4 10 4s7 2 7 4.500-3 4.500-7 4.500c-3 0-4 1-3.500 2.500S8 17 9 17",
  save: "M10 3v9M6.500 9l3.500 3.500L13.500 9M4 16h12",
  whole: "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4",
  remove: "M5 5l10 10M15 5 5 15",
  expand: "M12 3h5v5M17 3l-6 6M8 17H3v-5M3 17l6-6",
  pen: "M4 16l1-4 8-8 3 3-8 8zM11 6l3 3",
  warn: "M10 3 18 17H2zM10 8v4M10 14.5v.01",
}

// Marks that people leave out when they search; those of other scripts make other words.
const OPTIONAL = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}])\p{Mn}+/gu

/** A text as it is searched: without case and optional marks, as `rivae.data.search_words` does. */
export function folded(text) {
  const plain = text.normalize("NFKD").toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ")
  return plain.replace(OPTIONAL, "$1").normalize("NFC")
}

/** An element with properties, attributes (`aria-…`, `data-…`) and children. */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined) continue
    if (name.startsWith("on")) node[name] = value
    else if (name === "class") node.className = value
    else if (name in node && !name.includes("-")) node[name] = value
    else node.setAttribute(name, value)
  }
  node.append(...children.filter((child) => child !== null && child !== undefined))
  return node
}

/** A 20 x 20 line icon, hidden from screen readers. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg")
  svg.setAttribute("viewBox", "0 0 20 20")
  svg.setAttribute("aria-hidden", "true")
  svg.setAttribute("class", "icon")
  const path = document.createElementNS(SVG, "path")
  path.setAttribute("d", ICONS[name])
  svg.append(path)
  return svg
}

/** The name that an axis was given, or that words suggest; null where there is none. */
export function givenName({ given, suggested }, kind) {
  if (!given) return null
  if (!suggested) return h("span", { class: kind, title: given }, given)
  const title = `Nobody has named this axis yet; it grows with these words: ${given.replace(/\?$/, "")}`
  return h("span", { class: `${kind} suggested`, title }, given)
}

/** How sure an axis is, as a small disc: `{verdict, text}`; the text names it for screen readers. */
export function sureMark({ verdict, text }, id) {
  return h("i", {
    class: "sure", id, role: "img", title: text, "aria-label": text, "data-verdict": verdict,
    "data-testid": "sure",
  })
}

/** Sets text only where it differs: writing the same text still costs a layout. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

/** Calls `run` once, `wait` ms after the last call; `.flush()` calls it now, `.cancel()` never. */
export function debounce(run, wait) {
  let timer = null
  const later = () => {
    clearTimeout(timer)
    timer = setTimeout(later.flush, wait)
  }
  later.flush = () => {
    clearTimeout(timer)
    timer = null
    run()
  }
  later.cancel = () => {
    clearTimeout(timer)
    timer = null
  }
  return later
}

export const round4 = (x) => Math.round(x * 1e4) / 1e4 + 0
export const clamp = (x, low, high) => Math.min(high, Math.max(low, x))
