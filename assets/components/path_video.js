/* A path as a video, written by the browser as fast as it can, at the full size of the pictures. */

import { clamp, h } from "./dom.js"

const SIDES = [720, 1080]  // px of the longer one: smaller pictures are enlarged, larger ones made smaller
const FADE_MS = 120, FADE_STEPS = 3, END_MS = 400
const BREATH_MS = 40  // of work, after which the page is painted and clicks are heard
// The first that a browser can write: MP4 opens in slides as well.
const VIDEO_KINDS = [["avc", "MP4"], ["vp9", "WebM"], ["vp8", "WebM"]]
const UNABLE = "This browser cannot write videos here: use a current one, over https or on the app's computer, or save a GIF."
const NO_SERVER = "Videos need the app's own server: start it with rivae serve, or save a GIF."
const NOT_LOADED = "A picture of the path could not be loaded; reload the page."

/** What cannot be done, in one sentence. */
export class VideoTrouble extends Error {}

/** The [width, height] of a video of `pictures` [{naturalWidth, naturalHeight}], both even. */
export function videoSize(pictures) {
  const sides = ["naturalWidth", "naturalHeight"].map((name) => Math.max(...pictures.map((one) => one[name])))
  const scale = clamp(Math.max(...sides), ...SIDES) / Math.max(...sides)
  return sides.map((side) => Math.max(2, 2 * Math.round((side * scale) / 2)))
}

/**
 * What is drawn when: [{at, ms, shot, share}], `at` and `ms` in milliseconds; shot `shot` covers the one
 * before it by `share`. Equal pictures in a row are one.
 * @param shots [{img, ms}]
 */
export function videoFrames(shots) {
  const frames = []
  let at = 0
  shots.forEach(({ img, ms }, shot) => {
    const isNew = shot > 0 && img !== shots[shot - 1].img
    const fades = isNew ? FADE_STEPS : 0
    for (let step = 1; step <= fades; step++) {
      frames.push({ at: at + ((step - 1) * FADE_MS) / fades, ms: FADE_MS / fades, shot, share: step / (fades + 1) })
    }
    const spent = isNew ? FADE_MS : 0
    if (isNew || !shot) frames.push({ at: at + spent, ms: ms - spent, shot, share: 1 })
    else frames.at(-1).ms += ms
    at += ms
  })
  const last = frames.at(-1)
  return [...frames, { ...last, at: last.at + last.ms, ms: END_MS }]  // players cut the last one short
}

export class PathVideo {
  stop() {
    this.stopped = true
  }

  /**
   * Writes `shots` [{img, tiny, ms}]: a picture, whether its pixels stay sharp, how long it stays.
   * @param address of the library, @param tell called with the share done, 0 to 1
   * @returns {file, kind, size, seconds}, or null when `stop` was called; rejects with a sentence
   */
  async write(shots, address, tell) {
    if (!address) throw new VideoTrouble(NO_SERVER)
    if (typeof VideoEncoder === "undefined") throw new VideoTrouble(UNABLE)
    const pictures = [...new Set(shots.map(({ img }) => img))]
    const [lib] = await Promise.all([
      import(new URL(address, window.location.href).href),
      ...pictures.map((img) => img.decode().catch(() => Promise.reject(new VideoTrouble(NOT_LOADED)))),
    ])
    const size = videoSize(pictures)
    const [width, height] = size
    const bitrate = lib.QUALITY_HIGH
    let chosen = null
    for (const kind of VIDEO_KINDS) {
      chosen ||= (await lib.canEncodeVideo(kind[0], { width, height, bitrate })) ? kind : null
    }
    if (!chosen) throw new VideoTrouble(UNABLE)
    const [codec, kind] = chosen
    const format = kind === "MP4" ? new lib.Mp4OutputFormat() : new lib.WebMOutputFormat()
    const output = new lib.Output({ format, target: new lib.BufferTarget() })
    const canvas = h("canvas", { width, height })
    const source = new lib.CanvasSource(canvas, { codec, bitrate })
    output.addVideoTrack(source)
    const frames = videoFrames(shots)
    try {
      await output.start()
      await this.encode(source, canvas, shots, frames, tell)
      await (this.stopped ? output.cancel() : output.finalize())
    } catch (error) {
      await output.cancel().catch(() => {})  // gives the encoder back
      throw error
    }
    if (this.stopped) return null
    const file = new Blob([output.target.buffer], { type: `video/${kind.toLowerCase()}` })
    const last = frames.at(-1)
    return { file, kind, size, seconds: (last.at + last.ms) / 1000 }
  }

  /** Draws every frame and hands it to the encoder, until `stop` is called. */
  async encode(source, canvas, shots, frames, tell) {
    let breathed = performance.now()
    for (const [n, { at, ms, shot, share }] of frames.entries()) {
      if (this.stopped) return
      this.draw(canvas, shots, shot, share)
      await source.add(at / 1000, ms / 1000)
      if (performance.now() - breathed > BREATH_MS) {
        tell(n / frames.length)
        await breath()
        breathed = performance.now()
      }
    }
  }

  draw(canvas, shots, shot, share) {
    const context = canvas.getContext("2d")
    context.globalAlpha = 1
    context.fillStyle = "white"
    context.fillRect(0, 0, canvas.width, canvas.height)
    if (share < 1) this.place(canvas, context, shots[shot - 1])
    context.globalAlpha = share
    this.place(canvas, context, shots[shot])
  }

  place({ width, height }, context, { img, tiny }) {
    const scale = Math.min(width / img.naturalWidth, height / img.naturalHeight)
    const [wide, high] = [img.naturalWidth * scale, img.naturalHeight * scale]
    context.imageSmoothingEnabled = !tiny
    context.imageSmoothingQuality = "high"
    context.drawImage(img, (width - wide) / 2, (height - high) / 2, wide, high)
  }
}

/** Lets the page be painted; a message is not slowed down where nobody looks, as timers are. */
function breath() {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      done()
    }
    port2.postMessage(null)
  })
}
