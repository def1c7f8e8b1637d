// Places → whether one is at or above another. A schema has hundreds of references, and each of its keywords asks.

type Step = string | number

/** Each step with those that follow it. */
interface Node {
  readonly after: Map<Step, Node>
}

export class PlaceTree {
  readonly #root: Node = { after: new Map() }

  add(place: readonly Step[]): void {
    let node = this.#root
    for (const step of place) {
      const next = node.after.get(step) ?? { after: new Map() }
      node.after.set(step, next)
      node = next
    }
  }

  /** Whether a place that was added is this one, or below it. */
  has(place: readonly Step[]): boolean {
    let node: Node | undefined = this.#root
    for (const step of place) {
      node = node.after.get(step)
      if (node === undefined) return false
    }
    return true
  }
}
