/* The points of the map: one dot per item, drawn with WebGL 2 by TWGL.
 *
 * A point's place and value are 16-bit columns (`rivae.explore.maps`), which go to the graphics card as
 * they come. In software, and while the map moves, only some points are drawn; all follow at rest.
 */

const PAD = 26  // pixels around the points
export const STEPS = 65534
export const UNKNOWN = 65535
const MOVING_POINTS = 25000
const VERTEX = `#version 300 es
in float x; in float y; in float value; in float inside;
uniform vec2 scale; uniform vec2 shift; uniform float size;
out float v; flat out float lit;
void main() {
  gl_Position = vec4(vec2(x, y) * scale + shift, 0.0, 1.0);
  gl_PointSize = size;
  v = value; lit = inside;
}`
const FRAGMENT = `#version 300 es
precision highp float;
in float v; flat in float lit;
uniform sampler2D palette; uniform float alpha; uniform vec4 plain; uniform bool coloured;
out vec4 colour;
void main() {
  float r = length(gl_PointCoord - 0.5);
  vec4 c = coloured ? texture(palette, vec2(v, 0.5)) : plain;
  if (coloured && v > 1.0) c = plain;
  else if (coloured) {
    // A palette has no transparent colours: what its alpha lacks is the number of a shape.
    int shape = int(255.5 - c.a * 255.0);
    c.a = 1.0;
    vec2 p = gl_PointCoord - 0.5;
    if (shape == 1) r = 1.25 * max(abs(p.x), abs(p.y));
    else if (shape == 2) r = max(p.y + 0.1, 0.944 * abs(p.x) - 0.5 * p.y + 0.275);
    else if (shape == 3) r = abs(p.x) + abs(p.y);
  }
  if (r > 0.5) discard;
  float a = c.a * alpha * smoothstep(0.5, 0.38, r) * (lit > 0.5 ? 1.0 : 0.12);
  colour = vec4(c.rgb * a, a);
}`

export class Points {
  /** @param lib the library; throws where the browser has no WebGL 2 */
  constructor(lib, canvas) {
    this.lib = lib
    this.canvas = canvas
    this.gl = canvas.getContext("webgl2", { alpha: true, antialias: false, premultipliedAlpha: true })
    if (!this.gl) throw new Error("no WebGL 2")
    this.program = lib.createProgramInfo(this.gl, [VERTEX, FRAGMENT])
    this.view = { k: 1, x: 0, y: 0 }
    this.frame = null
  }

  /** Takes columns over: places (Uint16Array), and the map of item numbers (Uint32Array). */
  place(x, y) {
    this.x = x
    this.y = y
    this.n = x.length
    const share = (data) => ({ numComponents: 1, data, normalize: true })
    this.buffers = this.lib.createBufferInfoFromArrays(this.gl, {
      x: share(x), y: share(y),
      value: { numComponents: 1, data: new Float32Array(this.n) },
      inside: { numComponents: 1, data: new Uint8Array(this.n).fill(1), normalize: false },
    })
    const tree = new this.lib.KDBush(this.n, 64, Uint16Array)
    for (let i = 0; i < this.n; i++) tree.add(x[i], y[i])
    this.tree = tree.finish()
  }

  /** Where a point lies, in shares of both axes. */
  at(i) {
    return [this.x[i] / STEPS, this.y[i] / STEPS]
  }

  /** Colours by values from 0 to 1, above for unknown ones; null for one colour. */
  colour(values, stops) {
    const { gl, lib } = this
    this.coloured = Boolean(values)
    if (!values) return this.drawSoon()
    lib.setAttribInfoBufferFromArray(gl, this.buffers.attribs.value, values)
    const options = { width: stops.length, height: 1, src: new Uint8Array(stops.flat()), minMag: gl.NEAREST,
      wrap: gl.CLAMP_TO_EDGE }
    if (this.palette) gl.deleteTexture(this.palette)
    this.palette = lib.createTexture(gl, options)
    this.drawSoon()
  }

  /** Dims all but the chosen points; null for none. @param chosen Uint8Array of 0 and 1 */
  choose(chosen) {
    const all = chosen || new Uint8Array(this.n).fill(1)
    this.lib.setAttribInfoBufferFromArray(this.gl, this.buffers.attribs.inside, all)
    this.drawSoon()
  }

  resize(width, height) {
    const ratio = Math.min(2, window.devicePixelRatio || 1)
    this.width = width
    this.height = height
    this.canvas.width = Math.max(1, Math.round(width * ratio))
    this.canvas.height = Math.max(1, Math.round(height * ratio))
    this.ratio = ratio
    this.drawSoon()
  }

  /** Shows the part that `view` {k, x, y} says, in pixels as d3-zoom has it. */
  look(view, moving) {
    this.view = view
    this.moving = moving
    this.drawSoon()
  }

  drawSoon() {
    if (this.frame === null) this.frame = requestAnimationFrame(() => this.draw())
  }

  draw() {
    this.frame = null
    const { gl, lib, view, width, height } = this
    if (!this.buffers || !width) return
    gl.viewport(0, 0, this.canvas.width, this.canvas.height)
    gl.clearColor(0, 0, 0, 0)
    gl.clear(gl.COLOR_BUFFER_BIT)
    gl.enable(gl.BLEND)
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
    gl.useProgram(this.program.program)
    const count = this.moving ? Math.min(this.n, MOVING_POINTS) : this.n
    const [w, h] = [width - 2 * PAD, height - 2 * PAD]
    // 65535 of 65535 is 1 on the card: what is shown ends at 65534, which nobody sees.
    const scale = [(2 * view.k * w) / width, (2 * view.k * h) / height]
    const shift = [(2 * (view.x + view.k * PAD)) / width - 1, 1 - (2 * (view.y + view.k * (PAD + h))) / height]
    lib.setBuffersAndAttributes(gl, this.program, this.buffers)
    lib.setUniforms(this.program, {
      scale, shift, size: this.dot(count) * this.ratio, alpha: this.n > 20000 ? 0.55 : 0.8,
      plain: this.plain, coloured: this.coloured, palette: this.palette || null,
    })
    lib.drawBufferInfo(gl, this.buffers, gl.POINTS, count)
  }

  dot(count) {
    const base = count > 200000 ? 1.6 : count > 20000 ? 2.6 : count > 3000 ? 4 : 6
    return base * Math.min(3, Math.sqrt(this.view.k))
  }

  /** Where a place (shares of both axes) is on the screen, in pixels. */
  screen([u, v]) {
    const { view, width, height } = this
    const x = PAD + u * (width - 2 * PAD)
    const y = PAD + (1 - v) * (height - 2 * PAD)
    return [view.x + view.k * x, view.y + view.k * y]
  }

  /** The shares of both axes at a pixel. */
  shares([px, py]) {
    const { view, width, height } = this
    const x = (px - view.x) / view.k
    const y = (py - view.y) / view.k
    return [(x - PAD) / (width - 2 * PAD), 1 - (y - PAD) / (height - 2 * PAD)]
  }

  /** The point nearest to a pixel, at most `reach` pixels away; -1 where there is none. */
  nearest(pixel, reach) {
    const [u, v] = this.shares(pixel)
    const wide = (reach / this.view.k / (this.width - 2 * PAD)) * STEPS
    const high = (reach / this.view.k / (this.height - 2 * PAD)) * STEPS
    const [x, y] = [u * STEPS, v * STEPS]
    let best = -1
    let least = reach * reach
    for (const i of this.tree.range(x - wide, y - high, x + wide, y + high)) {
      const [sx, sy] = this.screen(this.at(i))
      const distance = (sx - pixel[0]) ** 2 + (sy - pixel[1]) ** 2
      if (distance < least) [least, best] = [distance, i]
    }
    return best
  }

  /** The points on the screen. */
  inView() {
    const [u1, v1] = this.shares([0, this.height])
    const [u2, v2] = this.shares([this.width, 0])
    return this.tree.range(u1 * STEPS, v1 * STEPS, u2 * STEPS, v2 * STEPS)
  }

  close() {
    cancelAnimationFrame(this.frame)
    this.gl.getExtension("WEBGL_lose_context")?.loseContext()
  }
}
