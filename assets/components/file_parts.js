/* What opens over a run that the browser holds: an item, all items to choose a query from, one axis. */

import { drawCloud, makeCloud } from "./cloud.js"
import { h, icon, setText } from "./dom.js"

const MAX_SHOWN = 120

/** A dialog in the panel's `frame`; a click beside it or Escape closes it. */
function dialog(frame, title, ...parts) {
  const close = h("button", { type: "button", "aria-label": "Close", title: "Close" }, icon("remove"))
  const node = h("dialog", { class: "over", "aria-label": title, "data-testid": "dialog" },
    h("div", { class: "bar" }, h("h2", {}, title), h("span", { class: "grow" }), close), ...parts)
  close.onclick = () => node.close()
  node.onclick = (event) => {  // returns nothing: false would keep a form from being sent
    if (event.target === node) node.close()
  }
  node.onclose = () => node.remove()
  frame.append(node)
  node.showModal()
  return node
}

function picture([title, address, tiny]) {
  return h("span", { class: "pic" }, h("img", { alt: title, src: address, loading: "lazy", class: tiny ? "tiny" : "" }))
}

/** One item: its picture, its text, its factors. @param items of the run, `use(id)` */
export function showItem(frame, items, id, use) {
  const at = items.at.get(id)
  const ask = h("button", { type: "button", class: "go", "data-testid": "use-as-query" }, icon("tune"), "Use as query")
  const factors = items.factors.map(({ name, values }) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, values[at])))
  const opened = dialog(frame, items.titles[at], h("div", { class: "item" }, picture(items.picture(id)),
    h("div", {}, ask, factors.length ? h("table", {}, ...factors) : null,
      h("p", { class: "text" }, items.texts[at]), h("p", { class: "muted" }, `Item ${id}`))))
  ask.onclick = () => {
    opened.close()
    use(id)
  }
}

/** All items, to choose one as the query. */
export function chooseItem(frame, items, use) {
  const find = h("input", { type: "search", placeholder: "Find", "aria-label": "Find items by words or number" })
  const list = h("div", { class: "grid choices", "data-testid": "choices" })
  const note = h("p", { class: "muted" })
  const opened = dialog(frame, "Choose a query", find, list, note)
  const show = () => {
    const found = items.find(find.value)
    list.replaceChildren(...found.slice(0, MAX_SHOWN).map((id) => {
      const [title, address, tiny] = items.asked(id)
      const tile = h("button", { type: "button", class: "tile", title }, picture([title, address, tiny]),
        h("span", { class: "cap" }, h("span", { class: "title" }, title)))
      tile.onclick = () => {
        opened.close()
        use(id)
      }
      return tile
    }))
    const more = found.length - MAX_SHOWN
    setText(note, !found.length ? "No item has all these words." : more > 0 ? `${more.toLocaleString()} more: find them by words.` : "")
  }
  find.oninput = show
  show()
}

/** The words at both ends of an axis and in its middle. @param states [{name, note, cloud}] */
function axisClouds({ states, legend }) {
  const drawn = states.map(({ name, note, cloud }) => {
    const svg = makeCloud()
    drawCloud(svg, cloud)
    return h("div", {}, h("b", {}, name), h("span", { class: "muted" }, ` ${note}`), svg)
  })
  const kinds = legend.map(([kind, text]) => h("span", { class: kind }, text))
  return h("section", { class: "said", "data-testid": "clouds" }, h("div", { class: "states" }, ...drawn), h("div", { class: "legend" }, ...kinds))
}

/** Asks for the words of an axis. @param keeps what becomes of it; `add(high, low)` throws a sentence; `words` to begin with */
export function showAddAxis(frame, keeps, add, words = "") {
  const line = (label, placeholder, id) => {
    const input = h("input", { type: "search", maxLength: 300, placeholder, "data-testid": id })
    return [input, h("label", { class: "line" }, label, input)]
  }
  const [high, highLine] = line("More of", "words of the items' texts", "axis-high")
  const [low, lowLine] = line("Less of, or empty", "", "axis-low")
  const go = h("button", { type: "submit", "data-testid": "axis-add" }, "Add")
  const said = h("p", { class: "error", role: "alert", "data-testid": "axis-error" })
  const form = h("form", { class: "axis-form" }, highLine, lowLine, said, h("div", { class: "bar" }, go))
  const opened = dialog(frame, "Add an axis", form, h("p", { class: "muted" }, keeps))
  form.onsubmit = async (event) => {
    event.preventDefault()
    go.disabled = true
    setText(go, "Looking …")
    setText(said, "")
    try {
      await add(high.value, low.value)
      opened.close()
    } catch (error) {
      setText(said, error.message)
    }
    go.disabled = false
    setText(go, "Add")
  }
  high.value = words
  high.focus()
}

/** All about one axis as it is shown. @param card {examples, effects, changes, words}; `remove()` takes it away */
export function showAxis(frame, items, dim, card, pick, remove = null) {
  const left = dim.left || "less"
  const right = dim.right || dim.given || "more"
  const columns = card.examples.map((ids) => h("div", { class: "step" }, ...ids.map((id) => {
    const tile = h("button", { type: "button", class: "tile", title: items.title(id) }, picture(items.picture(id)))
    tile.onclick = () => pick(id)
    return tile
  })))
  const percent = Math.round(dim.effect * 100)
  const largest = Math.max(1, ...card.changes.map(({ change }) => Math.abs(change)))
  const changes = card.changes.map(({ name, kind, change, chance }) => h("tr", {}, h("th", { scope: "row" }, `${name} (${kind})`),
    h("td", {}, h("meter", { min: 0, max: largest, value: Math.abs(change) })),
    h("td", {}, change.toFixed(2).replace("-", "−")), h("td", { class: "muted" }, `chance ${chance.toFixed(2)}`)))
  const away = remove && h("button", { type: "button", "data-testid": "axis-remove" }, "Remove")
  const opened = dialog(frame, dim.name, h("p", { class: "muted" }, `${dim.effect ? `${percent} % of small steps along it change the best match. ` : ""}${dim.about}`),
    h("div", { class: "ends" }, h("b", {}, left), h("b", {}, right)), h("div", { class: "steps" }, ...columns),
    h("p", {}, card.effects),
    changes.length ? h("table", {}, h("caption", {}, "Change of the items found along it, in s.d."), ...changes) : null,
    card.words ? axisClouds(card.words) : null, away)
  if (away) {
    away.onclick = () => {
      opened.close()
      remove()
    }
  }
}
