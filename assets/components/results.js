/* A result table: grouped cells, states, footnotes. A click on a heading reports its column. */

import { h } from "./dom.js"

const tables = new WeakMap()

export default function (component) {
  const { parentElement, data } = component
  let table = tables.get(parentElement)
  if (!table) {
    table = { frame: h("div", { class: "frame" }) }
    parentElement.append(table.frame)
    tables.set(parentElement, table)
  }
  table.component = component
  const drawn = JSON.stringify(data)
  if (table.drawn !== drawn) {
    table.drawn = drawn
    // The heading that was used keeps the focus, and a scrolled table its place.
    const focused = parentElement.getRootNode().activeElement?.dataset.column
    const left = table.frame.firstChild?.scrollLeft ?? 0
    table.frame.replaceChildren(scroller(table, data), ...notes(data.notes))
    table.frame.firstChild.scrollLeft = left
    if (focused) table.frame.querySelector(`[data-column="${CSS.escape(focused)}"]`)?.focus()
  }
  return () => tables.delete(parentElement)
}

function scroller(table, data) {
  return h(
    "div",
    { class: "scroll", role: "group", tabIndex: 0, "aria-label": data.label },
    h(
      "table",
      { "data-testid": "result-table" },
      h("thead", {}, h("tr", {}, ...data.columns.map((column) => heading(table, column, data.sort)))),
      h("tbody", {}, ...data.rows.map((row) => line(row, data.columns))),
    ),
  )
}

function heading(table, column, sort) {
  const mine = sort && sort.column === column.id
  const th = h("th", { scope: "col", class: column.kind, title: column.title })
  if (!column.sortable) {
    th.append(column.label)
    return th
  }
  th.setAttribute("aria-sort", mine ? sort.order : "none")
  th.append(
    h(
      "button",
      {
        type: "button", "data-column": column.id, "aria-label": column.spoken,
        onclick: () => table.component.setTriggerValue("sort", column.id),
      },
      h("span", {}, column.label),
      h("span", { class: "mark", "aria-hidden": "true" }, mine ? (sort.order === "ascending" ? "▲" : "▼") : "↕"),
    ),
  )
  return th
}

function line(row, columns) {
  if (row.section) {
    return h("tr", { class: "section" }, h("th", { scope: "rowgroup", colSpan: columns.length }, row.section))
  }
  const name = h("th", { scope: "row", class: "name", title: row.title }, h("span", {}, row.name))
  if (row.detail) name.append(h("span", { class: "detail" }, row.detail))
  const cells = row.cells.map((cell, i) => {
    const classes = [columns[i + 1].kind, cell.state, cell.best ? "best" : ""].filter(Boolean).join(" ")
    const td = h("td", { class: classes, title: cell.title })
    td.append(h("span", { class: "main" }, cell.main))
    if (cell.best) td.append(h("span", { class: "sr" }, " (best)"))
    if (cell.note) td.append(h("sup", {}, cell.note))
    if (cell.sub) td.append(h("span", { class: "sub" }, cell.sub))
    return td
  })
  return h("tr", { class: row.quiet ? "quiet" : "" }, name, ...cells)
}

function notes(list) {
  return list.map(([mark, text]) => h("p", { class: "note" }, h("sup", {}, mark), ` ${text}`))
}
