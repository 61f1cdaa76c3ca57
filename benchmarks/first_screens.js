// What first_screens.py measures in the page: the shift of its layout, and what stands on its first screen.

window.shifts = 0
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value
}).observe({ type: "layout-shift", buffered: true })

/** Controls and words that can be seen, in shadow roots too, beside tiles, axes, charts and bar; the
 * width of the smallest picture; the shift until now. A table of results is a chart in numbers, and
 * a row of a run on Train is data as a tile is: its controls are counted, its words are not.
 */
window.counted = () => {
  const tests = ["tile", "shot", "dim-row", "stHeader", "clouds", "cloud", "held-items", "gallery-tile",
    "result-table"]
  const besides = [...tests.map((name) => `[data-testid=${name}]`), ".row", ".st-key-bar", ".st-key-tabs", "header",
    ".js-plotly-plot", "figure", "[data-testid=stIconMaterial]"].join(", ")
  const runs = "[data-testid=stHorizontalBlock]:has(> * > * > [class*=-open-], > [class*=-open-], > [data-testid=stColumn] [class*=-open-])"
  const seen = (node) => {
    const { width, height, top, bottom } = node.getBoundingClientRect()
    return width > 1 && height > 1 && top < innerHeight && bottom > 0 && getComputedStyle(node).visibility !== "hidden"
  }
  let controls = 0, words = 0, smallest = Infinity
  const walk = (root, aside, ofRun) => {
    for (const node of root.children) {
      const isAside = aside || node.matches(besides), isOfRun = ofRun || node.matches(runs)
      if (node.shadowRoot) walk(node.shadowRoot, isAside, isOfRun)
      if (["STYLE", "SCRIPT", "NOSCRIPT", "svg"].includes(node.tagName)) continue
      if (node.tagName === "IMG" && seen(node)) smallest = Math.min(smallest, node.getBoundingClientRect().width)
      if (!isAside && seen(node)) {
        if (node.matches("button, select, input, textarea, summary, a[href], [role=button]")) controls++
        for (const text of isOfRun ? [] : node.childNodes) {
          if (text.nodeType === 3) words += text.data.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
        }
      }
      walk(node, isAside, isOfRun)
    }
  }
  walk(document.body, false, false)
  return [controls, words, smallest === Infinity ? null : Math.round(smallest), window.shifts]
}
