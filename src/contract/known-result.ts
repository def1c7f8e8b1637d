// The result of a success → which known kind of result it is, and which members it lacks.
import { own } from '../model/own.ts'
import { type Fields, isFields, member } from './json-text.ts'
import type { NoteRemark } from './remark.ts'
import { shown } from './say.ts'

/** What a success is about. `text` has only a text. */
export type ResultForm = 'listing' | 'search' | 'file' | 'truncated_output' | 'text' | 'result'

type Type = 'string' | 'number' | 'boolean' | 'array'

const MEMBERS: Readonly<Record<string, Readonly<Record<string, Type>>>> = {
  listing: { path: 'string', entries: 'array', entry_count: 'number', truncated: 'boolean' },
  search: { query: 'string', entries: 'array', match_count: 'number', truncated: 'boolean' },
  file: { path: 'string', text: 'string' },
  truncated_output: { truncated: 'boolean', original_chars: 'number', content: 'string' },
}

/** The kind of a result; missing members are reported to `note`. */
export function checkKnownResult(result: unknown, note: NoteRemark): ResultForm {
  if (!isFields(result)) return 'result'
  if (Object.keys(result).join() === 'text' && typeof result['text'] === 'string') return 'text'
  const kind = member(result, 'kind')
  const wanted = typeof kind === 'string' ? own(MEMBERS, kind) : undefined
  if (wanted === undefined) {
    if (kind === undefined && ['stdout', 'exit_code'].every(name => Object.hasOwn(result, name)))
      checkShell(result, note)
    return 'result'
  }
  for (const [name, type] of Object.entries(wanted)) {
    const value = member(result, name)
    if (typeOf(value) === type) continue
    const state = value === undefined ? 'lacks' : 'has another type for'
    note(
      'problem',
      `The ${kind} ${state} "${name}"`,
      `Give "${name}" as ${type === 'array' ? 'an array' : `a ${type}`}`,
    )
  }
  if (kind === 'listing' || kind === 'search') checkEntries(result, kind, note)
  return kind as ResultForm
}

function checkEntries(result: Fields, kind: 'listing' | 'search', note: NoteRemark): void {
  const entries = member(result, 'entries')
  if (!Array.isArray(entries)) return
  const counter = kind === 'listing' ? 'entry_count' : 'match_count'
  const count = member(result, counter)
  if (typeof count === 'number' && count !== entries.length)
    note(
      'problem',
      `"${counter}" is ${count}, and there are ${entries.length} entries`,
      `Make it with ${kind === 'listing' ? 'listing' : 'searchResult'}(), which counts`,
    )
  const at = entries.findIndex(entry => !isEntry(entry))
  if (at === -1) return
  note(
    'problem',
    `Entry ${at} of the ${kind} lacks "name", "path" or "type"`,
    'Give each entry its name, a path that can be passed on as it is, and "file" or "directory" as type',
  )
}

function isEntry(entry: unknown): boolean {
  if (!isFields(entry)) return false
  const type = member(entry, 'type')
  return (
    ['name', 'path'].every(name => typeof member(entry, name) === 'string') &&
    (type === 'file' || type === 'directory')
  )
}

/** A command that failed is a failure, even if its wrapper reports a success. */
function checkShell(result: Fields, note: NoteRemark): void {
  const exit = member(result, 'exit_code')
  if (typeof exit === 'number' && exit !== 0 && exit !== 141)
    note(
      'remark',
      `It is a success, and "exit_code" is ${shown(String(exit))}`,
      "Answer failure({ kind: 'execution_error', message }) unless the exit code is the answer",
    )
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}
