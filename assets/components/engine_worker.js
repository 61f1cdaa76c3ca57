/* The engine in a thread of its own: {seq, z, k, among} comes in, {seq, places, far} goes out. */

import { Engine } from "./engine.js"

let engine = null
self.onmessage = ({ data }) => {
  if (data.model) {
    engine = new Engine(data.model)
    return
  }
  self.postMessage({ seq: data.seq, places: engine.topk(data.z, data.k, data.among), far: engine.far(data.z) })
}
