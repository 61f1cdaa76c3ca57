/* Runs inside the page: notes when a slider changed, when the question that carries the change was
 * sent, and when the pictures of its answer were on the screen. */
(() => {
  const probe = { inputs: [], sent: [], painted: [] }
  window.dragProbe = probe

  /** Depth-first through shadow roots: the component draws inside one. */
  const find = (root, testid) => {
    const hit = root.querySelector(`[data-testid="${testid}"]`)
    if (hit) return hit
    for (const node of root.querySelectorAll("*")) {
      const inner = node.shadowRoot && find(node.shadowRoot, testid)
      if (inner) return inner
    }
    return null
  }

  // Captured at the window: before the component's own listener, as near to the hand as it gets.
  // A key on a slider is handled as a key press and fires no `input`.
  const note = () => probe.inputs.push(performance.now())
  window.addEventListener("input", note, true)
  window.addEventListener("keydown", note, true)

  const fetchAsBefore = window.fetch
  window.fetch = (address, options) => {
    const body = options && typeof options.body === "string" ? options.body : ""
    const seq = body.startsWith("{") ? JSON.parse(body).seq : undefined
    if (seq !== undefined) probe.sent.push({ seq, at: performance.now() })
    return fetchAsBefore(address, options)
  }

  /** Notes what the next frame shows, once its pictures are decoded and the frame is painted. */
  const notePaint = async (grid) => {
    const pictures = [...grid.querySelectorAll("img")]
    await Promise.all(pictures.map((img) => img.decode().catch(() => null)))
    requestAnimationFrame(() => {
      const seq = Number(grid.dataset.seq)
      if (seq === probe.last) return // two answers within one frame: only the later one was seen
      probe.last = seq
      const ids = [...grid.querySelectorAll("[data-id]")].map((tile) => tile.dataset.id).join()
      const channel = new MessageChannel() // its message is handled behind the paint of this frame
      channel.port1.onmessage = () => probe.painted.push({ seq, ids, at: performance.now() })
      channel.port2.postMessage(null)
    })
  }

  probe.watch = () => {
    const grid = find(document, "grid")
    const observer = new MutationObserver(() => notePaint(grid))
    observer.observe(grid, { attributes: true, attributeFilter: ["data-seq"] })
  }

  probe.clear = () => {
    for (const list of [probe.inputs, probe.sent, probe.painted]) list.length = 0
  }
})()
