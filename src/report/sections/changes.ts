// What changed since another version → a section: what it may do more comes first.
import type { ComparedSide } from '../../compare/compared.ts'
import { type AgentDiff, isSame } from '../../compare/diff.ts'
import type { FieldDifference, SchemaDifference, ToolDifference } from '../../compare/diff-tools.ts'
import { grouped, plural } from '../../format/text/counts.ts'
import type { Item, Section } from '../page.ts'
import { digestStart, nameOf } from '../words.ts'

const WORD = { added: 'new', removed: 'gone', renamed: 'warning', changed: 'warning' } as const

export function changesSection(before: ComparedSide, diff: AgentDiff): Section {
  const { widened, narrowed, undecided, agent, tools, isReordered, schemas, files } = diff
  const items: Item[] = [
    ...widened.map(({ message }): Item => ({ mark: 'new', words: [{ text: message }] })),
    ...undecided.map((message): Item => ({ mark: 'warning', words: [{ text: message }] })),
    ...narrowed.map(({ message }): Item => ({ mark: 'gone', words: [{ text: message }] })),
    ...agent.map(field => ({ words: fieldWords(field) })),
    ...tools.map(toolItem),
    ...(isReordered ? [{ words: ['the tools are in another order'] }] : []),
    ...schemas.map(schemaItem),
    ...files.map(fileItem),
  ]
  const is = isSame(diff)
    ? 'Nothing has changed.'
    : widened.length > 0
      ? `It may do more than before, in ${plural(widened.length, 'point')}.`
      : undecided.length > 0
        ? 'Whether it may do more cannot be told.'
        : 'It may do nothing that it might not do before.'
  const signers = before.signers.map(({ anchors }) => anchors.join('/') || 'a key that no trust policy names')
  const who = signers.length === 0 ? [] : [', signed by ', { text: signers.join(' and ') }]
  return {
    id: 'new',
    title: `New since ${nameOf(before.agent) || 'the other version'}`,
    note: [`${is} Compared with `, { text: before.target }, ` (${before.verdict}`, ...who, ').'],
    items,
  }
}

function fieldWords({ field, before, after }: FieldDifference) {
  return [{ text: field }, ': ', ...shown(before), ' → ', ...shown(after)]
}

function shown(value: unknown) {
  if (value === undefined) return ['none']
  return [{ text: typeof value === 'string' ? value : JSON.stringify(value) }]
}

function toolItem({ id, change, isBreaking, to, fields }: ToolDifference): Item {
  const what = change === 'renamed' ? [' is called ', { text: to ?? '' }, ' now'] : [` ${change}`]
  return {
    mark: WORD[change],
    words: ['tool ', { text: id }, ...what, ...(isBreaking ? [', breaking for callers'] : [])],
    ...(fields.length > 0 && { more: fields.map(field => ({ words: fieldWords(field) })), isOpen: true }),
  }
}

function schemaItem({ tool, side, is, gaps }: SchemaDifference): Item {
  const more = gaps.map((gap): Item => ({ words: [{ text: schemaGapText(gap, is) }] }))
  return {
    ...(is === 'compatible' ? {} : { mark: is === 'breaking' ? 'bad' : 'warning' }),
    words: [`${side} schema of `, { text: tool }, `: ${is}`],
    ...(more.length > 0 && { more, isOpen: true }),
  }
}

function fileItem({ path, change, before, after }: AgentDiff['files'][number]): Item {
  const facts = [before, after].flatMap(file =>
    file === null
      ? []
      : [
          `${grouped(file.size)} bytes, ${file.blake3 === null ? 'digest not known' : digestStart(file.blake3)}`,
        ],
  )
  const what = change === 'unknown' ? 'cannot be compared' : change
  return { words: ['file ', { text: path }, ` ${what}: ${facts.join(' → ')}`] }
}

/** A gap that differs from what the whole change is called says so. */
function schemaGapText(
  { at, message, is }: SchemaDifference['gaps'][number],
  whole: SchemaDifference['is'],
): string {
  return `${at === '' ? '' : `${at}: `}${message}${is === whole ? '' : ` (${is})`}`
}
