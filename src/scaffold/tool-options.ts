// The options of `tool add` → answers to the wizard's questions, and facts that only options can give.
import { resolve } from 'node:path'
import type { ArgsOf, OptionTable } from '../cli/option.ts'
import { openFile, readWhole, withFile } from '../io/read/read-file.ts'
import { own } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'
import { UsageError } from '../model/usage-error.ts'
import { quoted } from '../text/printable.ts'
import { writeWords } from '../text/shell-words.ts'
import { oddCommand } from '../tools/command-oddities.ts'
import { placeholdersIn } from '../tools/template.ts'
import { TRANSPORT_KINDS, TRANSPORTS, transportKind } from '../tools/transports/index.ts'
import { headersIn } from './wizard/header-lines.ts'
import { FIELD_TYPES } from './wizard/schema-answer.ts'
import type { ToolExtras } from './wizard/tool-answer.ts'

/** Every option about the tool. Except for headers and `x-rlp` each is the answer to a question. */
export const TOOL_OPTIONS = {
  id: { type: 'string', placeholder: 'ID', describe: 'stable name, unique in the agent: mail.smtp_send' },
  description: { type: 'string', placeholder: 'TEXT', describe: 'what it does, for a person and a model' },
  kind: {
    type: 'string',
    choices: [...TRANSPORT_KINDS].reverse(),
    placeholder: 'KIND',
    describe: 'transport; follows from --url or --command',
  },
  command: { type: 'string', placeholder: 'PATH', describe: 'exec: absolute path of the program' },
  arg: {
    type: 'strings',
    commas: false,
    allowEmpty: true,
    placeholder: 'ARG',
    describe: 'exec: an argument, in this order; --arg=-c for one that begins with a dash',
  },
  method: { type: 'string', placeholder: 'METHOD', describe: 'http: POST if left out' },
  url: {
    type: 'string',
    placeholder: 'URL',
    describe: 'http: absolute url; {{input.<path>}} in path and query',
  },
  header: { type: 'strings', commas: false, placeholder: "'NAME: VALUE'", describe: 'http: a header' },
  'input-schema': {
    type: 'string',
    placeholder: 'SCHEMA',
    describe: `what it takes: fields as 'to:string (who gets it), n:integer?', nothing, anything, schema:<id>, schemas/<file>.json, JSON Schema, or @file with it; types of fields: ${FIELD_TYPES}`,
  },
  'result-schema': { type: 'string', placeholder: 'SCHEMA', describe: 'the same, for what the tool answers' },
  secret: { type: 'strings', placeholder: 'ID', describe: 'a secret that it needs' },
  capability: { type: 'strings', placeholder: 'CAP', describe: 'family or family:scope that it needs' },
  'requires-confirmation': { type: 'boolean', describe: 'a person is asked before each call' },
  'budget-tokens': { type: 'string', placeholder: 'N', describe: 'tokens it may use' },
  'budget-usd': { type: 'string', placeholder: 'AMOUNT', describe: 'US dollars it may cost' },
  tag: { type: 'strings', placeholder: 'TAG', describe: 'word for traces and audit records' },
  stdin: { type: 'boolean', describe: 'exec: the program reads its arguments from standard input' },
  'timeout-ms': {
    type: 'integer',
    min: 0,
    max: 3_600_000,
    placeholder: 'MS',
    describe: 'time limit of a call, 30000 if left out; 0: none, and then a call needs --idle-timeout',
  },
  'memory-mb': {
    type: 'integer',
    min: 16,
    max: 1_048_576,
    placeholder: 'MIB',
    describe: 'memory that each process of it may have in a sandbox, where the host allows more',
  },
  env: { type: 'strings', placeholder: 'NAME', describe: 'exec: environment variable it gets from the host' },
} as const satisfies OptionTable

export type ToolArgs = ArgsOf<typeof TOOL_OPTIONS, readonly []>

/**
 * @param cwd the folder for `@file`
 * @throws UsageError, and RlpError if `@file` cannot be read
 */
export async function answersOf(args: ToolArgs, cwd: string): Promise<Map<string, string>> {
  refuseLine(args.command)
  const answers = new Map<string, string>()
  const set = (id: string, text: string | undefined) => {
    if (text !== undefined) answers.set(id, text)
  }
  const list = (items: readonly string[]) => (items.length > 0 ? items.join(',') : undefined)
  set('id', args.id)
  set('description', args.description)
  set('kind', chosenKind(args))
  for (const { name } of TRANSPORTS.flatMap(({ asked }) => asked.questions)) {
    const given = givenIn(args, name)
    // A switch chooses the way of its name.
    set(name, Array.isArray(given) ? writeWords(given) : given === true ? name : given?.toString())
  }
  for (const [id, text] of [
    ['input-schema', args.inputSchema],
    ['result-schema', args.resultSchema],
  ] as const) {
    if (text !== undefined) set(id, await schemaText(text, cwd))
  }
  set('secret', list(args.secret))
  set('capability', list(args.capability))
  set('requires-confirmation', args.requiresConfirmation ? 'yes' : undefined)
  set('budget-tokens', args.budgetTokens)
  set('budget-usd', args.budgetUsd)
  set('tag', list(args.tag))
  return answers
}

/** @throws UsageError for a program with its arguments, as people type it in a shell */
function refuseLine(command: string | undefined): void {
  const odd = command === undefined ? undefined : oddCommand(command)
  if (command === undefined || odd?.is !== 'line') return
  const [program, ...args] = odd.words
  throw new UsageError(`Cannot use --command: ${quoted(command)} is a program with its arguments`, {
    field: 'command',
    hint: `Write ${[`--command ${writeWords([program])}`, ...args.map(arg => optionWords('arg', arg))].join(' ')}`,
  })
}

/** As it is typed: `--arg x`, and `--arg=-c` for a value that would read as an option. */
export function optionWords(flag: string, value: string): string {
  return value.startsWith('-') ? `--${flag}=${writeWords([value])}` : `--${flag} ${writeWords([value])}`
}

/** @throws UsageError for a header with a secret that the tool does not list */
export function refuseUnlisted({ transport, secrets }: Tool): void {
  const kind = transportKind(transport)
  const used = kind
    .templates(transport)
    .filter(({ where }) => where === kind.secrets.in)
    .flatMap(({ text }) => placeholdersIn(text))
  for (const part of used) {
    if (part.kind !== 'secret' || secrets.includes(part.id)) continue
    throw new UsageError(
      `Cannot use --header: it sends the secret ${quoted(part.id)}, which the tool does not list`,
      {
        field: 'header',
        hint: `Add ${optionWords('secret', part.id)}`,
      },
    )
  }
}

function chosenKind(args: ToolArgs): string | undefined {
  if (args.kind !== undefined) return args.kind
  return TRANSPORTS.find(({ asked }) => asked.flags.some(flag => givenIn(args, flag) !== undefined))?.kind
}

/** What an option was given; undefined where it was left out. */
function givenIn(args: ToolArgs, flag: string): string | boolean | readonly string[] | undefined {
  const given = own<unknown>(args, flag)
  if (Array.isArray(given)) return given.length > 0 ? given : undefined
  return typeof given === 'string' || given === true ? given : undefined
}

async function schemaText(text: string, cwd: string): Promise<string> {
  if (!text.startsWith('@')) return text.trim()
  const label = text.slice(1)
  const bytes = await withFile(openFile(resolve(cwd, label), { follow: true, label }), readWhole)
  return new TextDecoder().decode(bytes).trim()
}

/** @throws UsageError for an invalid header or name, or one that the transport does not have */
export function extrasOf(args: ToolArgs): ToolExtras {
  const chosen = chosenKind(args)
  for (const { kind, asked } of TRANSPORTS) {
    if (chosen === undefined || chosen === kind) continue
    // The answer to a question that is not put is refused where questions are answered.
    const questions = new Set(asked.questions.map(({ name }) => name))
    const flag = asked.flags.find(name => !questions.has(name) && givenIn(args, name) !== undefined)
    if (flag !== undefined) throw misfit(flag, kind)
  }
  for (const name of args.env) {
    if (/^[A-Z_][A-Z0-9_]*$/.test(name)) continue
    throw new UsageError(
      `Cannot use --env: ${quoted(name)} is not a name of capital letters, digits and underscores`,
      { field: 'env' },
    )
  }
  return {
    headers: headersOf(args.header),
    timeoutMs: args.timeoutMs,
    memoryMb: args.memoryMb,
    env: [...new Set(args.env)],
  }
}

function misfit(flag: string, kind: string): UsageError {
  return new UsageError(`Cannot use --${flag}: only ${kind} tools have it`, { field: flag })
}

/** @throws UsageError for a line that is not a header, or a repeated one */
export function headersOf(lines: readonly string[]): Readonly<Record<string, string>> {
  const read = headersIn(lines)
  if ('value' in read) return read.value
  throw new UsageError(`Cannot use --header: ${read.problem}`, {
    field: 'header',
    hint: "write --header 'Authorization: Bearer {{secret:runloop/mail/smtp_api_key}}'",
  })
}
