/* What the Explore and the Compare panel have in common: how they are mounted and closed, how they
 * report to Python and when they take a state over.
 *
 * A panel has `wire`, `sliders`, `commitSoon`, `speakSoon`, `view()` and `adopt(data)`.
 */

export const COMMIT_MS = 220
export const SPEAK_MS = 900
const panels = new WeakMap()

/** What a panel's changes are changes of: its run and its query. */
const ground = ({ key, query }) => JSON.stringify([key, query])

export class Panel {
  constructor() {
    this.rev = null
  }

  send(name, value) {
    this.component.setTriggerValue(name, value)
  }

  /** An action for Python, together with the changes not committed yet. */
  act(name, value) {
    this.commitSoon.cancel()
    this.send(name, { ...value, view: this.view() })
  }

  /**
   * Called with new data; takes the state over only when its `rev` is new. A new session, after the
   * server was started again or on another one, has its state from the address: what the visitor
   * sees stays, and it is told.
   */
  update(component) {
    this.component = component
    const { data } = component
    if (this.data && data.session !== this.data.session && ground(data) === ground(this.data)) {
      this.data = data
      this.rev = data.rev
      this.commitSoon()
    } else if (data.rev !== this.rev) this.adopt(data)
    else this.data = data
    if (data.answer) this.wire.receive(data.answer)
  }

  setWhole(whole) {
    this.whole = whole
    this.wire.forget()
    this.wire.ask()
    this.commitSoon()
  }

  close() {
    this.wire.close()
    this.commitSoon.cancel()
    this.speakSoon.cancel()
  }
}

/** What a component exports: one panel of class `Kind` per place on the page. */
export function mounted(Kind) {
  return (component) => {
    const { parentElement } = component
    let panel = panels.get(parentElement)
    if (!panel) {
      panel = new Kind(parentElement)
      panels.set(parentElement, panel)
    }
    panel.update(component)
    return () => {
      panel.close()
      panels.delete(parentElement)
    }
  }
}
