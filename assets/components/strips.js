/* Pictures found while z moves: a strip per axis, or a plane of two axes.
 *
 * A click opens an item. Arrow keys walk over the pictures; only one of them is a stop of the Tab
 * key. Pictures are fetched when they come into view.
 */

import { h, round4 } from "./dom.js"

const sheets = new WeakMap()

export default function (component) {
  const { parentElement, data } = component
  let sheet = sheets.get(parentElement)
  if (!sheet) {
    sheet = { body: h("div", { class: "sheet" }) }
    sheet.body.onkeydown = walk
    parentElement.append(h("div", { class: "frame" }, sheet.body))
    sheets.set(parentElement, sheet)
  }
  sheet.component = component
  const key = JSON.stringify({ ...data, open: null })
  if (sheet.key !== key) {
    sheet.key = key
    sheet.body.style.setProperty("--aspect", data.aspect)
    const parts = data.plane ? [plane(data, sheet)] : data.strips.map((each) => strip(each, data, sheet))
    sheet.body.replaceChildren(...(data.query ? [asked(data.query)] : []), h("div", { class: "parts" }, ...parts))
    const first = sheet.body.querySelector("button")
    if (first) first.tabIndex = 0
  }
  for (const button of sheet.body.querySelectorAll("button")) {
    button.toggleAttribute("data-open", Number(button.dataset.id) === data.open)
  }
  return () => sheets.delete(parentElement)
}

/** The query that everything starts from. */
function asked({ title, address, tiny, label }) {
  return h(
    "figure", { class: "asked" },
    h("span", { class: "pic" }, h("img", { alt: "", src: address, class: tiny ? "tiny" : "" })),
    h("figcaption", {}, h("span", { class: "kind" }, label), title),
  )
}

/** One axis: its poles or name, where its pictures change, and the pictures. */
function strip({ axis, left, right, note, at, span, points }, data, sheet) {
  const marks = points.map((point) => h("i", { style: place(point.share) }))
  const row = h(
    "div", { class: "row", role: "group", "aria-label": axis, style: `--n: ${points.length}` },
    ...points.map((point, n) => {
      const column = h(
        "div", { class: "point" },
        ...point.ids.map((id, rank) => {
          const rest = point.ids.length > 1 ? `, rank ${rank + 1}` : ""
          return tile(id, `${axis} = ${point.value}${rest}`, point.moved, data, sheet)
        }),
        h("span", { class: "value" }, point.value, point.query ? h("b", {}, " query") : null),
      )
      column.onpointerenter = () => marks[n].classList.add("lit")
      column.onpointerleave = () => marks[n].classList.remove("lit")
      return column
    }),
  )
  return h(
    "section", { class: "strip" },
    h(
      "div", { class: "head" },
      h("h3", { title: axis }, left ? `${left} ↔ ${right}` : right || axis),
      h(
        "span", { class: "ruler", title: span },
        ...marks,
        at === null ? null : h("b", { style: place(at), title: "query" }),
      ),
      note ? h("span", { class: "note" }, note) : null,
    ),
    row,
  )
}

/** Two axes: the first runs to the right, the second upwards. */
function plane(data, sheet) {
  const { x, y, ids, here } = data.plane
  const cells = []
  for (let b = y.values.length - 1; b >= 0; b--) {
    cells.push(h("span", { class: "value" }, y.values[b]))
    for (let a = 0; a < x.values.length; a++) {
      const said = `${x.axis} = ${x.values[a]}, ${y.axis} = ${y.values[b]}`
      const moved = [...x.moved[a], ...y.moved[b]]
      const cell = tile(ids[a][b], said, moved, data, sheet)
      cell.classList.toggle("own", here !== null && here[0] === a && here[1] === b)
      cells.push(cell)
    }
  }
  cells.push(h("span"), ...x.values.map((value) => h("span", { class: "value" }, value)))
  const grid = h("div", {
    class: "plane", role: "group", "aria-label": `${x.axis} and ${y.axis}`,
    style: `--n: ${x.values.length}`,
  }, ...cells)
  const side = (each, kind) =>
    h("div", { class: kind }, h("span", {}, each.left), h("h3", {}, each.axis), h("span", {}, each.right))
  return h("div", { class: "crossed" }, side(y, "up"), grid, side(x, "across"))
}

/** One picture; `moved` is where z is there, as [dimension, value] pairs in a row. */
function tile(id, said, moved, data, sheet) {
  const [title, address, tiny] = data.items[id]
  return h(
    "button",
    {
      type: "button", class: data.own === id ? "shot own" : "shot", "data-id": id, "data-testid": "shot",
      title: `${title}\n${said}`, "aria-label": `${title}, ${said}`, tabIndex: -1,
      onclick: () => sheet.component.setTriggerValue("open", { item: id, moved }),
    },
    h("img", { alt: "", loading: "lazy", decoding: "async", src: address, class: tiny ? "tiny" : "" }),
  )
}

const place = (share) => `left: ${round4(100 * share)}%`

/** Arrow keys: along a row, and to the nearest picture of the row above or below. */
function walk(event) {
  const buttons = [...event.currentTarget.querySelectorAll("button")]
  const from = event.target.closest("button")
  const keys = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }
  if (!from || !keys[event.key]) return
  event.preventDefault()
  const [dx, dy] = keys[event.key]
  const middle = (node) => {
    const { left, top, width, height } = node.getBoundingClientRect()
    return [left + width / 2, top + height / 2]
  }
  const [x, y] = middle(from)
  let best = null
  for (const button of buttons) {
    const [bx, by] = middle(button)
    const [along, aside] = dx ? [(bx - x) * dx, Math.abs(by - y)] : [(by - y) * dy, Math.abs(bx - x)]
    if (along <= 4 || (dx && aside > 4)) continue
    const far = dx ? along : 4 * along + aside
    if (best === null || far < best.far) best = { button, far }
  }
  if (best === null) return
  from.tabIndex = -1
  best.button.tabIndex = 0
  best.button.focus()
}
