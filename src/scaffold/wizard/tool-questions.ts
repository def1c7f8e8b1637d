// The questions about one tool, for the scaffold wizard and for `tool add`, and the tool that the answers make.
import { type Answers, type Question, YES_NO } from '../../cli/wizard/question.ts'
import type { Files } from '../../model/files.ts'
import type { Reading } from '../../model/reading.ts'
import type { JsonSchema, Tool, Transport } from '../../model/tools.ts'
import type { SchemaSide } from '../../schema/cover.ts'
import { placeholdersIn } from '../../tools/template.ts'
import { findInput } from '../../tools/template-input.ts'
import { readsStdin } from '../../tools/transports/exec.ts'
import { TRANSPORTS } from '../../tools/transports/index.ts'
import type { AskedAnswer } from '../../tools/transports/kind.ts'
import {
  decimalProblem,
  descriptionProblem,
  eachItem,
  folderProblem,
  headersIn,
  integerProblem,
  itemsOf,
  neededCapabilityProblem,
  secretAdvice,
  secretProblem,
} from './answer.ts'
import { readSchema, schemaProblem } from './schema-answer.ts'

/** The context of the questions about a tool. */
export interface ToolContext {
  /** Prefix of each question's id, if there are answers about several tools. */
  readonly prefix: string
  /** Ids of other tools. */
  readonly taken: readonly string[]
  /** Files in the agent's `schemas/`. */
  readonly schemaFiles: readonly string[]
  /** Headers that options have given. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Files that a tool's schema may be taken from. */
export function schemaFilesOf(files: Files): string[] {
  return files.list.map(({ path }) => path).filter(path => /^schemas\/.*\.json$/.test(path))
}

/** The questions about one tool, in order, as far as its transport kind is known. */
export function toolQuestions(answers: Answers, context: ToolContext): Question[] {
  const { prefix, taken, schemaFiles } = context
  const id = (name: string) => prefix + name
  const asked = TRANSPORTS.find(({ kind }) => kind === answers.get(id('kind')))?.asked.questions ?? []
  const templates = asked.map(({ name }) => answers.get(id(name)) ?? '')
  const told = (name: string) => answers.get(id(name)) ?? ''
  const asQuestion = ({ isRare: _, at: _at, ...asked }: AskedAnswer): Question => {
    if ('choices' in asked) {
      const { name, message, fallback } = asked
      return { kind: 'choice', id: id(name), message, fallback, choices: asked.choices(told) }
    }
    const { name, advise, ...question } = asked
    return {
      kind: 'text',
      id: id(name),
      ...question,
      advise: advise && (text => advise(text, told)),
    }
  }
  return [
    {
      kind: 'text',
      id: id('id'),
      message: 'Tool id (its stable name)',
      example: 'mail.smtp_send',
      check: text => idProblem(text, taken),
    },
    {
      kind: 'text',
      id: id('description'),
      message: 'Tool description (what it does, for a person and a model)',
      check: descriptionProblem,
    },
    {
      kind: 'choice',
      id: id('kind'),
      message: 'Transport kind (how it is called)',
      // http first: it is the default, and the existing wizard names it first.
      choices: [...TRANSPORTS]
        .reverse()
        .map(({ kind, summary }) => ({ value: kind, label: kind, hint: summary })),
      fallback: 'http',
      mustBeAnswered: true,
    },
    ...asked.filter(({ isRare }) => !isRare).map(asQuestion),
    ...folderQuestions(answers, prefix),
    {
      kind: 'text',
      id: id('input-schema'),
      message: `Input (${FIELDS}, nothing, ${OTHER_SCHEMAS})`,
      example: 'to:string (who gets it), count:integer?, tags:string[]',
      check: text => inputProblem(text, schemaFiles, templates),
    },
    {
      kind: 'text',
      id: id('result-schema'),
      message: `Result (anything, nothing, ${FIELDS}, ${OTHER_SCHEMAS})`,
      example: 'anything, or id:string (of the mail), sent:boolean',
      check: text => schemaProblem(text, schemaFiles, 'result'),
    },
    {
      kind: 'choice',
      id: id('more'),
      message: 'More questions about this tool (secrets, confirmation, budget, tags)?',
      choices: YES_NO,
      fallback: 'no',
    },
    ...[
      ...asked.filter(({ isRare }) => isRare).map(asQuestion),
      ...lastQuestions(prefix, headerQuestions(answers, context)),
    ].map(question => ({
      ...question,
      behind: id('more'),
    })),
  ]
}

function idProblem(text: string, taken: readonly string[]): string | undefined {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(text))
    return 'write a name of letters, digits and _ . -, for example mail.smtp_send'
  return taken.includes(text) ? 'another tool has this id' : undefined
}

const FIELDS = 'fields as name:type'
const OTHER_SCHEMAS = 'schema:<id>, schemas/<file>, or JSON Schema'

/** The questions about folders, and the capability that an answer means. */
export const FOLDERS = [
  { name: 'reads', does: 'reads', family: 'fs_ro' },
  { name: 'writes', does: 'reads and writes', family: 'fs_rw' },
] as const

/** Headers that are asked for; a tool with more secrets gets the others by option. */
const MOST_HEADERS = 9

/** A program is held to the folders that its capabilities name; a request reaches none. */
function folderQuestions(answers: Answers, prefix: string): Question[] {
  const chosen = TRANSPORTS.find(({ kind }) => kind === answers.get(`${prefix}kind`))
  if (chosen?.secrets.in !== 'environment') return []
  return FOLDERS.map(({ name, does }) => ({
    kind: 'text',
    id: prefix + name,
    message: `Folders that it ${does} (comma-separated, blank for none)`,
    example: '/srv/mail',
    check: eachItem(folderProblem),
  }))
}

/** One for each secret of a request that no header sends yet: without a header it would be looked up for nothing. */
function headerQuestions(answers: Answers, { prefix, headers = {} }: ToolContext): Question[] {
  const chosen = TRANSPORTS.find(({ kind }) => kind === answers.get(`${prefix}kind`))
  if (chosen?.secrets.in !== 'header') return []
  const secrets = itemsOf(answers.get(`${prefix}secret`) ?? '')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const questions: Question[] = []
  for (const secret of secrets) {
    if (questions.length === MOST_HEADERS || lines.some(line => secretsIn(line).includes(secret))) continue
    const before = [...lines]
    const number = questions.length + 1
    const id = `${prefix}header${number}`
    // No header is there twice.
    const example = number === 1 ? 'Authorization: Bearer ' : `X-Key-${number}: `
    questions.push({
      kind: 'text',
      id,
      message: `Header that sends ${secret} (blank for none)`,
      example: `${example}{{secret:${secret}}}`,
      check: text => headerProblem(text, before, secrets),
    })
    const line = answers.get(id) ?? ''
    if (line !== '') lines.push(line)
  }
  return questions
}

function headerProblem(
  line: string,
  before: readonly string[],
  secrets: readonly string[],
): string | undefined {
  if (line === '') return undefined
  const read = headersIn([...before, line])
  if ('problem' in read) return read.problem
  const other = secretsIn(line).find(id => !secrets.includes(id))
  return other === undefined ? undefined : `it sends ${other}, which is no secret of this tool`
}

function secretsIn(text: string): string[] {
  return placeholdersIn(text).flatMap(part => (part.kind === 'secret' ? part.id : []))
}

function lastQuestions(prefix: string, headers: readonly Question[]): Question[] {
  return [
    {
      kind: 'text',
      id: `${prefix}secret`,
      message: 'Secrets it needs (ids, comma-separated, blank for none)',
      example: 'runloop/mail/smtp_api_key',
      check: eachItem(secretProblem),
      advise: secretAdvice,
    },
    ...headers,
    {
      kind: 'text',
      id: `${prefix}capability`,
      message: 'What else it needs (capabilities, comma-separated, blank for none)',
      example: 'kb_write:drafts',
      check: eachItem(neededCapabilityProblem),
    },
    {
      kind: 'choice',
      id: `${prefix}requires-confirmation`,
      message: 'Ask a person before each call?',
      choices: YES_NO,
      fallback: 'no',
    },
    {
      kind: 'text',
      id: `${prefix}budget-tokens`,
      message: 'Tokens that a call may use (blank for no limit)',
      check: integerProblem,
    },
    {
      kind: 'text',
      id: `${prefix}budget-usd`,
      message: 'US dollars that a call may cost (blank for no limit)',
      check: decimalProblem,
    },
    {
      kind: 'text',
      id: `${prefix}tag`,
      message: 'Tags (words for traces and audit records, comma-separated, blank for none)',
      check: eachItem(text => (/[\x00-\x1f\x7f]/.test(text) ? 'it has a control character' : undefined)),
    },
  ]
}

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

/** A placeholder has to be among the fields, and of a kind that can be filled in, or every call is refused. */
function inputProblem(
  text: string,
  schemaFiles: readonly string[],
  templates: readonly string[],
): string | undefined {
  const problem = schemaProblem(text, schemaFiles, 'input')
  const read = readSchema(text, schemaFiles, 'input')
  if (problem !== undefined || 'problem' in read) return problem
  const tool = { inputSchema: read.value, schemaRefs: {} }
  for (const part of templates.flatMap(template => placeholdersIn(template))) {
    if (part.kind !== 'input') continue
    const fact = findInput(tool, part.path, () => undefined)
    const name = part.path.join('.')
    if (fact.is === 'missing') return `${part.text} is filled in, so there has to be a field ${name}`
    if (fact.is === 'known' && fact.holds !== undefined)
      return `${part.text} is filled in, so ${name} has to be a text, a number or a boolean`
  }
  return undefined
}
