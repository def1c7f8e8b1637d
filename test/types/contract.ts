// What a tool's author may write and may not. Nothing here runs: the compiler judges it.
import {
  type Entry,
  type Envelope,
  type ErrorSource,
  failure,
  type JsonSchema,
  listing,
  normalizeResult,
  preflight,
  requireInt,
  requireStringArray,
  success,
  ToolError,
} from '../../src/contract/index.ts'

export function writing(
  args: { readonly [name: string]: unknown },
  envelope: Envelope<{ readonly size: number }>,
): void {
  if (envelope.ok) envelope.result.size.toFixed()
  else envelope.message.trim()
  // @ts-expect-error it was not checked whether it succeeded
  envelope.result.size.toFixed()

  switch (envelope.ok ? undefined : envelope.kind) {
    case 'timeout':
      break
    // @ts-expect-error there is no such kind
    case 'time_out':
  }

  const size: number = success('t', { size: 1 }).result.size
  const nothing: null = success('t').result
  const count: number = listing({ path: '.', entries: [] }).result.entry_count
  // @ts-expect-error an entry has a path
  const entry = { name: 'a', type: 'file' } satisfies Entry
  // @ts-expect-error there is no such kind
  failure({ kind: 'oops', message: 'm' })
  // @ts-expect-error a failure says something
  failure({ kind: 'timeout' })

  const number = requireInt(args, 'n', { expected: 'a count' })
  // @ts-expect-error it may have been refused
  number.value
  if (number.ok) number.value.toFixed()
  else number.failure.field?.trim()
  // @ts-expect-error what it should look like is part of every refusal
  requireStringArray(args, 'n', { tool: 't' })

  const schema = { type: 'object', properties: { n: { type: 'integer' } } } satisfies JsonSchema
  const ready = preflight('t', '{}', schema)
  // @ts-expect-error a refusal has no text
  ready.text
  if (ready.ok) ready.text.trim()

  const source: ErrorSource = 'folder.fileNotFound'
  const error: Error = new ToolError(source, { path: 'a' })
  // @ts-expect-error there is no such error
  const lost = new ToolError('folder.fileLost')
  void [size, nothing, count, entry, error, lost, normalizeResult('t', '').ok]
}
