// Of many bundles those without lines of their own → their number: accepted ones, and those that are refused for one reason as one group.

import { wrap } from '../cli/render/layout.ts'
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { printable } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import { type OneOfMany, reasonTexts } from './render-many.ts'

/** Of one reason so many are told as they are judged. */
const MOST_ALIKE = 3
/** Names of a group; the report for programs has all. */
const MOST_NAMES = 100
/** Reasons that are kept: a report of millions has a bounded memory, and further reasons are told at once. */
const MOST_REASONS = 1000

interface Group extends Pick<OneOfMany, 'verdict' | 'reasons'> {
  count: number
  readonly names: string[]
}

export class Untold {
  accepted = 0
  readonly #groups = new Map<string, Group>()

  /** Whether a bundle is one of a group, and needs no lines of its own. */
  takes({ verdict, reasons, target }: OneOfMany): boolean {
    const key = JSON.stringify([verdict, reasons.map(({ code, message }) => [code, message])])
    const group = this.#groups.get(key)
    if (group === undefined) {
      if (this.#groups.size < MOST_REASONS) this.#groups.set(key, { verdict, reasons, count: 1, names: [] })
      return false
    }
    group.count += 1
    if (group.count <= MOST_ALIKE) return false
    if (group.names.length < MOST_NAMES) group.names.push(target)
    return true
  }

  /** Ends in a newline, or is empty. */
  render(style: Style, columns: number): string {
    const groups = [...this.#groups.values()].filter(({ count }) => count > MOST_ALIKE)
    const rest = this.accepted === 0 ? '' : `… and ${plural(this.accepted, 'more bundle')} accepted\n`
    return groups.map(group => renderGroup(group, style, columns)).join('') + rest
  }
}

function renderGroup({ verdict, reasons, count, names }: Group, style: Style, columns: number): string {
  const more = count - MOST_ALIKE
  const left = more - names.length
  const lines = [
    ...reasonTexts(reasons).flatMap(text => wrap(printable(text), Math.max(30, columns - 10))),
    ...names.map(name => style.bold(printable(name))),
    ...(left === 0 ? [] : [`… and ${plural(left, 'more bundle')}; --format ndjson lists all of them`]),
  ]
  const head = `${style.red(SYMBOLS.bad)} ${style.red(verdict)} ${plural(more, 'more bundle')} for one reason`
  return `${[head, ...lines.map(line => `    ${line}`)].join('\n')}\n`
}
