// The registry of what [require] may say: one file and one line for each field.
import type { Document, Pointer } from '../../../model/document.ts'
import type { RequiredLine } from '../../../model/judged.ts'
import { own } from '../../../model/own.ts'
import type { Anchor, Requirements } from '../../../model/trust.ts'
import type { TableReader } from '../../toml/closed-table.ts'
import { maySign } from '../anchors.ts'
import { anchors } from './anchors.ts'
import { attestations } from './attestations.ts'
import type { Given, Requirement } from './field.ts'
import { enoughSigners, signatures } from './signatures.ts'

/** In the order in which they are judged: the first that is not met gives the code. */
export const REQUIREMENTS = { anchors, signatures, attestations } as const satisfies {
  readonly [F in keyof Requirements]-?: Requirement<Requirements[F]>
}

type Name = keyof Requirements
type Value = Requirements[Name]
const FIELDS = Object.entries(REQUIREMENTS) as readonly (readonly [name: Name, field: Requirement<Value>])[]

/** The table `[require]`. */
export function readRequire(
  reader: TableReader,
  document: Document,
  value: unknown,
  all: readonly Anchor[],
): Requirements {
  const at = ['require']
  const table = reader.table(value, at)
  reader.closed(table, Object.keys(REQUIREMENTS), at)
  const policy = { document, anchors: all, signing: new Set(all.filter(maySign).map(({ name }) => name)) }
  const read = FIELDS.flatMap(([name, field]) => {
    const required = field.read(reader, own(table, name), [...at, name], policy)
    return required === undefined ? [] : [[name, required]]
  })
  return Object.fromEntries(read) as unknown as Requirements
}

/** A line for each thing that is required. */
export function requiredLines(require: Requirements | undefined, given: Given): RequiredLine[] {
  if (require === undefined) {
    const line = enoughSigners(1, given, ['anchors'])
    return line.says === 'for' ? [] : [line]
  }
  const at = (name: Name): Pointer => ['require', name]
  return FIELDS.flatMap(([name, field]) => field.judge(require[name], given, at(name)))
}

export function requirementWords(require: Requirements): string {
  return FIELDS.flatMap(([name, { shown }]) => shown(require[name], require) || []).join('; ')
}

/** Why an anchor cannot go, as a clause; undefined if it can. @param left anchors without it */
export function lostWithout(
  require: Requirements | undefined,
  anchor: string,
  left: readonly Anchor[],
): string | undefined {
  if (require === undefined) return undefined
  for (const [name, { lost }] of FIELDS) {
    const why = lost(require[name], anchor, left)
    if (why !== undefined) return why
  }
  return undefined
}
