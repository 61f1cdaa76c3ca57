/* What belongs to the page as a whole: its steps in the browser's history, what has just opened
 * below the fold, where the focus goes when the panel at the side closes, and held keys.
 */

/**
 * Reaching a page is one step of the history. Streamlit opens a page under its bare address, and
 * the page then adds what it shows; or what it shows arrives first, and stands for a moment in the
 * address of the page before. As long as nobody has touched anything, both are the same step.
 */
function mergeSteps() {
  const push = history.pushState.bind(history)
  // And nothing done there yet. A visitor may be quicker than this code, which comes with the page's
  // parts: what was clicked meanwhile is a step of its own.
  let reached = !navigator.userActivation?.hasBeenActive
  let ahead = null  // what the last step added, and nothing done since
  for (const name of ["pointerdown", "keydown", "input", "click", "popstate"]) {
    addEventListener(name, () => {
      reached = false
      ahead = null
    }, true)
  }
  history.pushState = (state, title, url) => {
    const { pathname, search } = new URL(url, location.href)
    const samePage = pathname === location.pathname
    const sameStep = samePage ? reached : ahead === search
    ahead = samePage ? search : null
    if (!samePage) reached = true
    if (sameStep) history.replaceState(state, title, url)
    else push(state, title, url)
  }
}

/** The focus goes back to where it was when the panel at the side, which has it, closes. */
function followFocus() {
  let outside = null
  const closing = new MutationObserver(() => {
    if (closing.dock.isConnected) return
    closing.disconnect()
    if (document.activeElement === document.body && outside?.isConnected) outside.focus({ preventScroll: true })
  })
  // Asked when the focus leaves: a step within a component is not reported here.
  addEventListener("focusout", (event) => {
    if (!event.target.closest(".st-key-dock")) outside = event.composedPath()[0]
  })
  addEventListener("focusin", (event) => {
    closing.disconnect()
    closing.dock = event.target.closest(".st-key-dock")
    if (closing.dock) closing.observe(document.body, { childList: true, subtree: true })
  })
}

/** An Escape closes the panel at the side even before its Close button is there: Streamlit fetches
 * the code of buttons when the page shows its first one, and listens to their keys only then.
 */
function closeEarly() {
  const button = () => document.querySelector(".st-key-dock_close button")
  const waiting = new MutationObserver(() => {
    const close = button()
    if (close || !document.querySelector(".st-key-dock")) waiting.disconnect()
    close?.click()
  })
  addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !document.querySelector(".st-key-dock") || button()) return
    waiting.observe(document.body, { childList: true, subtree: true })
  })
}

/** A held Enter or Space presses once: the next button may stand where the pressed one was, and a
 * form would be sent again and again. In a text both still write.
 */
function pressOnce() {
  addEventListener("keydown", (event) => {
    if (!event.repeat || (event.key !== "Enter" && event.key !== " ")) return
    const [target] = event.composedPath()
    const field = event.key === " " ? "input, textarea" : "textarea"
    if (target.isContentEditable || target.matches?.(field)) return
    event.preventDefault()
    event.stopImmediatePropagation()
  }, true)
}

/** Brings what a click has opened into view, with the focus. */
function reveal(name) {
  const part = document.querySelector(`.st-key-${CSS.escape(name)}`)
  if (!part) return
  part.tabIndex = -1
  part.focus({ preventScroll: true })
  const { top, bottom } = part.getBoundingClientRect()
  if (top >= 64 && bottom <= innerHeight) return
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
  part.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" })
}

/** One for the window: the frame is loaded again when it moves within a page. */
function start() {
  mergeSteps()
  followFocus()
  closeEarly()
  pressOnce()
  return { revealed: 0 }
}

/** The page's colours, for what stands outside of components; the theme is known inside only. */
function takeColours(parentElement) {
  const theme = getComputedStyle(parentElement.host || parentElement)
  const [ground] = [["ground", "background"], ["accent", "link"]].map(([name, of]) => {
    const colour = theme.getPropertyValue(`--st-${of}-color`)
    document.documentElement.style.setProperty(`--page-${name}`, colour)
    return colour
  })
  return ground
}

const page = (window.rivaePage ??= start())

export default function ({ data, parentElement, setTriggerValue }) {
  // What Python draws has the colours of its last run: from light to dark it has to run again.
  const before = page.ground
  page.ground = takeColours(parentElement)
  if (before && before !== page.ground) setTriggerValue("theme", page.ground)
  const [name, count] = data.reveal
  if (count > page.revealed) reveal(name)
  page.revealed = count
}
