/* A path through z: a large picture that plays it, a slider over its points, and the items on the way.
 *
 * Pictures of the whole path are fetched at once, so that playing does not wait. Nothing plays by itself.
 */

import { ICONS, h, icon, setText } from "./dom.js"
import { PathVideo, VideoTrouble } from "./path_video.js"

const FRAME_MS = 180
const STOP_MS = 900
const FAILED = "The video could not be written: reload the page, or save a GIF."
const paths = new WeakMap()
const GLYPHS = { play: "M6 4l10 6-10 6z", pause: "M6 4v12M13 4v12" }
Object.assign(ICONS, GLYPHS)

class PathPanel {
  constructor(root) {
    this.picture = h("img", { alt: "" })
    this.large = h("button", { type: "button", class: "large", "data-testid": "path-picture" }, this.picture)
    this.large.onclick = () => this.open()
    this.title = h("b", { "data-testid": "path-title" })
    this.where = h("span", { class: "muted" })
    this.button = h("button", { type: "button", "data-testid": "path-play" })
    this.button.onclick = () => this.play(!this.timer)
    this.slider = h("input", { type: "range", min: 0, step: 1, "aria-label": "Point of the path", "data-testid": "path-slider" })
    this.slider.oninput = () => {
      this.play(false)
      this.show(Number(this.slider.value))
    }
    this.video = h("button", { type: "button", class: "video", "data-testid": "path-video" })
    this.video.onclick = () => this.record()
    this.trouble = h("p", { class: "muted", role: "status" })
    this.sayVideo("Video")
    this.strip = h("div", { class: "way", role: "group", "aria-label": "Items on the way" })
    this.element = h("div", { class: "path" }, this.large,
      h("div", { class: "side" }, h("div", { class: "said" }, this.where, this.title),
        h("div", { class: "bar" }, this.button, this.slider, this.video), this.strip, this.trouble))
    root.append(h("div", { class: "frame" }, this.element))
  }

  update(component) {
    this.component = component
    const { data } = component
    const key = JSON.stringify({ ...data, open: null })
    if (key !== this.key) {
      this.key = key
      this.data = data
      this.play(false)
      this.recording?.stop()
      setText(this.trouble, "")
      this.build()
      this.show(0)
    }
    for (const tile of this.tiles) tile.toggleAttribute("data-open", Number(tile.dataset.id) === data.open)
  }

  /** One tile for every run of equal items; way-points are framed. */
  build() {
    const { frames, items, aspect, stops } = this.data
    this.element.style.setProperty("--aspect", aspect)
    this.slider.max = frames.length - 1
    this.loaded = new Map(Object.entries(items).map(([id, [, address]]) =>
      [Number(id), Object.assign(new Image(), { src: address })]))
    this.tiles = []
    frames.forEach(({ id }, n) => {
      const isStop = stops.includes(n)
      const last = this.tiles[this.tiles.length - 1]
      if (last && Number(last.dataset.id) === id) return isStop && last.classList.add("stop")
      const [title, address, tiny] = items[id]
      const tile = h("button", { type: "button", class: isStop ? "shot stop" : "shot", "data-id": id, "data-testid": "path-tile",
        title, "aria-label": title }, h("img", { alt: "", src: address, class: tiny ? "tiny" : "" }))
      tile.first = n
      tile.onclick = () => {
        this.play(false)
        this.show(n)
        this.open()
      }
      this.tiles.push(tile)
    })
    this.strip.replaceChildren(...this.tiles)
  }

  show(n) {
    const { frames, items, stops } = this.data
    this.at = n
    const [title, address, tiny] = items[frames[n].id]
    if (this.picture.getAttribute("src") !== address) this.picture.src = address
    this.picture.classList.toggle("tiny", Boolean(tiny))
    this.large.setAttribute("aria-label", title)
    setText(this.title, title)
    const stop = stops.indexOf(n)
    setText(this.where, stop < 0 ? `point ${n + 1} of ${frames.length}` : `way-point ${stop + 1}`)
    this.slider.value = n
    this.slider.setAttribute("aria-valuetext", title)
    const here = this.tiles.filter((tile) => tile.first <= n).pop()
    for (const tile of this.tiles) tile.classList.toggle("here", tile === here)
  }

  play(on) {
    clearTimeout(this.timer)
    this.timer = null
    this.button.replaceChildren(icon(on ? "pause" : "play"), on ? "Pause" : "Play")
    if (!on) return
    if (this.at === this.data.frames.length - 1) this.show(0)
    const next = () => {
      if (this.at === this.data.frames.length - 1) return this.play(false)
      this.show(this.at + 1)
      this.timer = setTimeout(next, this.data.stops.includes(this.at) ? STOP_MS : FRAME_MS)
    }
    this.timer = setTimeout(next, FRAME_MS)
  }

  sayVideo(words, title = "Save the path as a video") {
    this.video.title = title
    this.video.replaceChildren(icon("save"), words)
  }

  /** Writes the path as a video and saves it; another click gives up. */
  async record() {
    if (this.recording) return this.recording.stop()
    this.play(false)
    setText(this.trouble, "")
    this.recording = new PathVideo()
    const { frames, items, stops, run, library } = this.data
    const shots = frames.map(({ id }, n) => ({ img: this.loaded.get(id), tiny: Boolean(items[id][2]),
      ms: stops.includes(n) ? STOP_MS : FRAME_MS }))
    const tell = (share) => this.sayVideo(`${Math.round(100 * share)} %`, "Writing the video; click to stop")
    tell(0)
    try {
      const made = await this.recording.write(shots, library, tell)
      if (made) this.save(made, `${run}-path.${made.kind.toLowerCase()}`)
    } catch (error) {
      setText(this.trouble, error instanceof VideoTrouble ? error.message : FAILED)
    }
    this.recording = null
    this.sayVideo("Video")
    return undefined
  }

  save({ file, kind, size, seconds }, name) {
    const link = h("a", { href: URL.createObjectURL(file), download: name })
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 60000)  // a slow disk is still reading it
    setText(this.trouble, `${kind}, ${size.join(" × ")} px, ${seconds.toFixed(1)} s`)
  }

  open() {
    const { id, moved } = this.data.frames[this.at]
    this.component.setTriggerValue("open", { item: id, moved })
  }

  close() {
    clearTimeout(this.timer)
    this.recording?.stop()
  }
}

export default (component) => {
  const { parentElement } = component
  let panel = paths.get(parentElement)
  if (!panel) {
    panel = new PathPanel(parentElement)
    paths.set(parentElement, panel)
  }
  panel.update(component)
  return () => {
    panel.close()
    paths.delete(parentElement)
  }
}
