// What changed since another version → a section: what it may do more comes first.

import type { Change } from '../../../model/permissions.ts'
import { quoteText } from '../../../text/quote.ts'
import { grouped, plural } from '../../../text/words.ts'
import type { ComparedSide } from '../../compared.ts'
import {
  type AgentDiff,
  type FieldDifference,
  isSame,
  type SchemaDifference,
  type ToolDifference,
} from '../../diff.ts'
import { grantPhrase } from '../../widen.ts'
import { fileDigest, type Item, nameOf, type Section, signerNames } from '../page.ts'
import type { Power } from '../powers.ts'
import { dangerousTools, isDangerous } from './permissions.ts'

const MARK = {
  added: { isNew: true },
  removed: { mark: 'gone' },
  renamed: { mark: 'warning' },
  changed: { mark: 'warning' },
} as const

/** @param powers of the version that is shown: what of them is dangerous is dangerous here too */
export function changesSection(
  before: ComparedSide,
  diff: AgentDiff,
  powers: readonly Power[] | undefined,
): Section {
  const { widened, narrowed, agent, tools, isReordered, schemas, files } = diff
  const danger = dangersIn(powers ?? [])
  const items: Item[] = [
    ...widened.map(change => widenedItem(change, danger)),
    ...narrowed.map(({ message }): Item => ({ mark: 'gone', words: [{ text: message }] })),
    ...agent.map(field => ({ words: fieldWords(field) })),
    ...tools.map(tool => toolItem(tool, danger.tools)),
    ...(isReordered ? [{ words: ['the tools are in another order'] }] : []),
    ...schemas.map(schemaItem),
    ...files.map(fileItem),
  ]
  const is = isSame(diff)
    ? 'Nothing has changed.'
    : widened.length > 0
      ? `It may do more than before, in ${plural(widened.length, 'point')}.`
      : 'It may do nothing that it might not do before.'
  const signers = signerNames(before.signers)
  const who = signers.length === 0 ? [] : [', signed by ', { text: signers.join(' and ') }]
  return {
    id: 'new',
    title: `New since ${nameOf(before.agent) || 'the other version'}`,
    note: [`${is} Compared with `, { text: before.target }, ` (${before.verdict}`, ...who, ').'],
    items,
  }
}

/** The sentences about grants, and the tools, that a person should look at before anything else. */
function dangersIn(powers: readonly Power[]) {
  const grants = powers.filter(isDangerous).flatMap(({ kind, grants }) => {
    // An unknown family is in quotes where grants are told.
    return grants.map(grant => grantPhrase(kind === 'unknown' ? quoteText(grant) : grant))
  })
  return { grants: new Set(grants), tools: dangerousTools(powers) }
}

function widenedItem({ tool, message }: Change, danger: ReturnType<typeof dangersIn>): Item {
  const isDanger = tool === undefined ? danger.grants.has(message) : danger.tools.has(tool)
  return { isNew: true, mark: isDanger ? 'danger' : undefined, words: [{ text: message }] }
}

function fieldWords({ field, before, after }: FieldDifference) {
  return [{ text: field }, ': ', ...shown(before), ' → ', ...shown(after)]
}

function shown(value: unknown) {
  if (value === undefined) return ['none']
  return [{ text: typeof value === 'string' ? value : JSON.stringify(value) }]
}

function toolItem(
  { id, change, isBreaking, to, fields }: ToolDifference,
  dangerous: ReadonlySet<string>,
): Item {
  const what = change === 'renamed' ? [' is called ', { text: to ?? '' }, ' now'] : [` ${change}`]
  return {
    ...MARK[change],
    ...(dangerous.has(to ?? id) && change !== 'removed' && { mark: 'danger' }),
    words: ['tool ', { text: id }, ...what, ...(isBreaking ? [', breaking for callers'] : [])],
    more: fields.map(field => ({ words: fieldWords(field) })),
    isOpen: fields.length > 0,
  }
}

function schemaItem({ tool, side, is, gaps }: SchemaDifference): Item {
  const more = gaps.map((gap): Item => ({ words: [{ text: schemaGapText(gap, is) }] }))
  return {
    ...(is === 'compatible' ? {} : { mark: is === 'breaking' ? 'bad' : 'warning' }),
    words: [`${side} schema of `, { text: tool }, `: ${is}`],
    more,
    isOpen: more.length > 0,
  }
}

function fileItem({ path, change, before, after }: AgentDiff['files'][number]): Item {
  const facts = [before, after].flatMap(file =>
    file === null ? [] : [`${grouped(file.size)} bytes, ${fileDigest(file.blake3)}`],
  )
  return { words: ['file ', { text: path }, ` ${change}: ${facts.join(' → ')}`] }
}

/** A gap that differs from what the whole change is called says so. */
function schemaGapText(
  { at, message, is }: SchemaDifference['gaps'][number],
  whole: SchemaDifference['is'],
): string {
  return `${at === '' ? '' : `${at}: `}${message}${is === whole ? '' : ` (${is})`}`
}
