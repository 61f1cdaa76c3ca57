/* A word cloud as SVG, from places that Python has found. */

import { SVG } from "./dom.js"

/** An empty cloud; `drawCloud` fills it. */
export function makeCloud() {
  const svg = document.createElementNS(SVG, "svg")
  svg.setAttribute("class", "cloud")
  svg.setAttribute("aria-label", "Words to come")
  svg.setAttribute("role", "img")
  return svg
}

/**
 * Draws `cloud` {width, height, alt, words: [text, x, y, size, relation, count in words]}.
 * Relation is said twice: by colour, and by an underline or slanted letters.
 */
export function drawCloud(svg, cloud) {
  svg.setAttribute("viewBox", `0 0 ${cloud.width} ${cloud.height}`)
  svg.setAttribute("aria-label", cloud.alt)
  svg.replaceChildren(...cloud.words.map(([text, x, y, size, relation, count]) => {
    const node = document.createElementNS(SVG, "text")
    for (const [name, value] of Object.entries({ x, y, "font-size": size, class: relation })) {
      node.setAttribute(name, value)
    }
    const title = document.createElementNS(SVG, "title")
    title.textContent = count
    node.textContent = text
    node.append(title)
    return node
  }))
}
