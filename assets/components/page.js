/* What belongs to the page as a whole: its steps in the browser's history, what has just opened
 * below the fold, and where the focus goes when the panel at the side closes.
 */

/**
 * Reaching a page is one step of the history. Streamlit opens a page under its bare address, and
 * the page then adds what it shows; or what it shows arrives first, and stands for a moment in the
 * address of the page before. As long as nobody has touched anything, both are the same step.
 */
function mergeSteps() {
  const push = history.pushState.bind(history)
  let reached = true  // and nothing done there yet
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

/** The element that had the focus last, other than in the panel at the side. */
function followFocus(page) {
  addEventListener("focusin", (event) => {
    const [inner] = event.composedPath()  // inside a component, too
    if (!event.target.closest(".st-key-dock")) page.focused = inner
  })
}

function closeDock(page) {
  const now = document.activeElement
  const lost = !now || now === document.body || now.closest(".st-key-dock")  // it goes in a moment
  if (lost && page.focused?.isConnected) page.focused.focus({ preventScroll: true })
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

/** One for the window: the frame is loaded anew when it moves within a page. */
function start() {
  const page = { focused: null, docked: false, revealed: 0 }
  mergeSteps()
  followFocus(page)
  return page
}

const page = (window.rivaePage ??= start())

export default function ({ data, parentElement }) {
  // The theme is known inside components only.
  const ground = getComputedStyle(parentElement.host || parentElement).getPropertyValue("--st-background-color")
  document.documentElement.style.setProperty("--page-ground", ground)
  if (page.docked && !data.docked) closeDock(page)
  page.docked = data.docked
  const [name, count] = data.reveal
  if (count > page.revealed) reveal(name)
  page.revealed = count
}
