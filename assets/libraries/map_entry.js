/* What the map needs of others, as one file: see README.md. */
export { select } from "d3-selection"
export { zoom, zoomIdentity } from "d3-zoom"
export { polygonContains, polygonHull } from "d3-polygon"
export { default as KDBush } from "kdbush"
export {
  createBufferInfoFromArrays, createProgramInfo, createTexture, drawBufferInfo,
  setAttribInfoBufferFromArray, setBuffersAndAttributes, setUniforms,
} from "twgl.js"
