/* A page of items to choose from; a click or Enter reports the item's number. */

import { h } from "./dom.js"

const galleries = new WeakMap()

export default function (component) {
  const { parentElement, data } = component
  let gallery = galleries.get(parentElement)
  if (!gallery) {
    gallery = { list: h("div", { class: "gallery", role: "group", "data-testid": "gallery" }) }
    parentElement.append(h("div", { class: "frame" }, gallery.list))
    galleries.set(parentElement, gallery)
  }
  gallery.component = component
  gallery.list.setAttribute("aria-label", data.label)
  gallery.list.style.setProperty("--aspect", data.aspect)
  const key = JSON.stringify([data.ids, data.chosen])
  if (gallery.key !== key) {
    gallery.key = key
    gallery.list.replaceChildren(
      ...data.ids.map((id) => {
        const [title, address, tiny] = data.items[id]
        const chosen = id === data.chosen
        return h(
          "button",
          {
            type: "button", class: "tile", "data-id": id, "data-testid": "gallery-tile",
            "aria-pressed": String(chosen), title,
            onclick: () => gallery.component.setTriggerValue("pick", id),
          },
          h("span", { class: "pic" }, h("img", { alt: "", src: address, class: tiny ? "tiny" : "" })),
          h("span", { class: "cap" }, h("span", { class: "title" }, title)),
        )
      }),
    )
  }
  return () => galleries.delete(parentElement)
}
