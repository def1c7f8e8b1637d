// The answers about one tool → the tool.
import type { Answers } from '../../cli/wizard/question.ts'
import type { Reading } from '../../model/reading.ts'
import type { JsonSchema, Tool, Transport } from '../../model/tools.ts'
import type { SchemaSide } from '../../schema/cover.ts'
import { readsStdin } from '../../tools/transports/exec.ts'
import { TRANSPORTS } from '../../tools/transports/index.ts'
import { itemsOf } from './answer.ts'
import { headersIn } from './header-lines.ts'
import { readSchema } from './schema-answer.ts'
import { FOLDERS, MOST_HEADERS, type ToolContext } from './tool-questions.ts'

/** Facts about a tool that only options can give. */
export interface ToolExtras extends Omit<Tool['rlp'], 'stdin'> {
  readonly headers: Readonly<Record<string, string>>
}

export const NO_EXTRAS: ToolExtras = { headers: {}, timeoutMs: undefined, env: [] }

/** @param answers to all of `toolQuestions(answers, context)`, accepted by their questions */
export function toolOf(answers: Answers, context: ToolContext, extras: ToolExtras = NO_EXTRAS): Tool {
  const text = (name: string) => answers.get(context.prefix + name) ?? ''
  const { headers, ...rlp } = extras
  const tokens = text('budget-tokens')
  const usd = text('budget-usd')
  return {
    id: text('id'),
    description: text('description'),
    transport: transportOf(text, headers),
    inputSchema: schemaOf(text, 'input', context.schemaFiles),
    resultSchema: schemaOf(text, 'result', context.schemaFiles),
    schemaRefs: {},
    capabilities: itemsOf([text('capability'), ...folderCapabilities(text)].join(',')),
    secrets: itemsOf(text('secret')),
    budget:
      tokens === '' && usd === ''
        ? undefined
        : { ...(tokens !== '' && { tokens: Number(tokens) }), ...(usd !== '' && { usd: Number(usd) }) },
    requiresConfirmation: text('requires-confirmation') === 'yes',
    tags: itemsOf(text('tag')),
    rlp: { ...rlp, stdin: readsStdin(text('stdin')) },
  }
}

/** As many as there are secrets whose header can be asked for. */
const HEADER_NUMBERS = Array.from({ length: MOST_HEADERS }, (_, index) => index + 1)

/** What the answers about folders mean. */
function folderCapabilities(text: TextOf): string[] {
  return FOLDERS.flatMap(({ name, family }) => itemsOf(text(name)).map(folder => `${family}:${folder}`))
}

type TextOf = (name: string) => string

function transportOf(text: TextOf, headers: ToolExtras['headers']): Transport {
  const chosen = TRANSPORTS.find(({ kind }) => kind === text('kind'))
  if (chosen === undefined) throw new TypeError('the question about the kind accepted another one')
  const lines = HEADER_NUMBERS.flatMap(number => text(`header${number}`) || [])
  return chosen.asked.answered(text, { headers: { ...headers, ...taken(headersIn(lines)) } })
}

function schemaOf(text: TextOf, side: SchemaSide, files: readonly string[]): JsonSchema {
  return taken(readSchema(text(`${side}-schema`), files, side))
}

/** A problem here is our bug: the question's `check` accepted the same answer with the same reader. */
function taken<T>(reading: Reading<T>): T {
  if ('problem' in reading) throw new TypeError(`an answer that its question accepted: ${reading.problem}`)
  return reading.value
}
