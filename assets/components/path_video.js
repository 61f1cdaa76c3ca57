/* A path as a video, recorded by the browser from a canvas, in the time that it takes to play. */

import { h } from "./dom.js"

const VIDEO_SIDE = 720, TICK_MS = 40, FADE_MS = 120, END_MS = 400
// The first that a browser can write: MP4 opens in slides as well, Firefox writes WebM alone.
const KINDS = ["video/mp4;codecs=avc1.42E01F", "video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"]
const OUT_OF_SIGHT = "The video was not finished: keep this page in view while it is recorded."

/** What this browser records; null where it cannot. */
export function videoKind() {
  if (typeof MediaRecorder === "undefined" || !HTMLCanvasElement.prototype.captureStream) return null
  return KINDS.find((kind) => MediaRecorder.isTypeSupported(kind)) || null
}

export class PathVideo {
  constructor() {
    this.canvas = h("canvas", { width: VIDEO_SIDE, height: VIDEO_SIDE })
    this.context = this.canvas.getContext("2d")
  }

  /**
   * Records `frames` [{img, tiny, ms}]: a loaded picture, whether its pixels stay sharp, how long it stays.
   * @param tell called with the share done, 0 to 1
   * @returns a Blob, or null when `stop` was called; rejects with a sentence
   */
  async record(frames, tell) {
    await Promise.all(frames.map(({ img }) => img.decode()))
    const ends = []
    frames.reduce((sum, { ms }) => (ends.push(sum + ms), sum + ms), 0)
    const total = ends[ends.length - 1]
    const kind = videoKind()
    const recorder = new MediaRecorder(this.canvas.captureStream(1000 / TICK_MS), { mimeType: kind, videoBitsPerSecond: 6e6 })
    const parts = []
    recorder.ondataavailable = ({ data }) => parts.push(data)
    this.draw(frames, 0, FADE_MS)
    return new Promise((done, fail) => {
      const began = performance.now()
      const end = (settle) => {
        clearInterval(timer)
        document.removeEventListener("visibilitychange", hide)
        recorder.onstop = settle
        if (recorder.state === "inactive") settle()
        else recorder.stop()
      }
      const hide = () => document.hidden && end(() => fail(new Error(OUT_OF_SIGHT)))
      this.stop = () => end(() => done(null))
      recorder.onerror = () => end(() => fail(new Error("This browser could not record the video; save a GIF.")))
      document.addEventListener("visibilitychange", hide)
      recorder.start()
      // Drawn again at every tick: a canvas at rest would give no frames, and the video no length.
      const timer = setInterval(() => {
        const at = performance.now() - began
        if (at >= total + END_MS) return end(() => done(new Blob(parts, { type: kind.split(";")[0] })))
        const n = ends.findIndex((to) => at < to)
        const shown = n < 0 ? frames.length - 1 : n
        this.draw(frames, shown, at - (ends[shown] - frames[shown].ms))
        return tell(Math.min(1, at / total))
      }, TICK_MS)
    })
  }

  stop() {}

  /** Picture `n`, `since` ms after it came: it fades over the one before. */
  draw(frames, n, since) {
    const { context } = this
    context.globalAlpha = 1
    context.fillStyle = "white"
    context.fillRect(0, 0, VIDEO_SIDE, VIDEO_SIDE)
    const share = Math.min(1, since / FADE_MS)
    if (n && share < 1) this.place(frames[n - 1], 1)
    this.place(frames[n], n ? share : 1)
  }

  place({ img, tiny }, alpha) {
    const { context } = this
    const scale = VIDEO_SIDE / Math.max(img.naturalWidth, img.naturalHeight)
    const [width, height] = [img.naturalWidth * scale, img.naturalHeight * scale]
    context.globalAlpha = alpha
    context.imageSmoothingEnabled = !tiny
    context.drawImage(img, (VIDEO_SIDE - width) / 2, (VIDEO_SIDE - height) / 2, width, height)
  }
}
