/* Small choices of how things are shown, which the browser keeps; some browsers forbid it. */

export function kept(name) {
  try {
    return window.localStorage.getItem(name)
  } catch {
    return null
  }
}

export function keep(name, value) {
  try {
    window.localStorage.setItem(name, value)
  } catch {
    // then it is asked for again
  }
}
