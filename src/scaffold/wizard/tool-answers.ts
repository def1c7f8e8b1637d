// The options of `tool add`: the answers to the wizard's questions that they give, and the facts that only options can give.
import { resolve } from 'node:path'
import { type ArgsOf, camelCase, type Together } from '../../cli/option.ts'
import { openFile, readWhole, withFile } from '../../io/read/read-file.ts'
import { UsageError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import type { Tool } from '../../model/tools.ts'
import { quoted } from '../../text/printable.ts'
import { writeWords } from '../../text/shell-words.ts'
import { oddCommand } from '../../tools/command-oddities.ts'
import { LISTED_FIELDS, type TOOL_FIELDS } from '../../tools/fields/index.ts'
import { placeholdersIn } from '../../tools/template.ts'
import { TRANSPORTS, transportKind } from '../../tools/transports/index.ts'
import { headersIn } from './answer.ts'
import type { ToolExtras } from './tool-questions.ts'

type Fields = typeof TOOL_FIELDS

/** Every option about the tool. Except for headers and `x-rlp` each is the answer to a question. */
export const TOOL_OPTIONS: Together<Fields[keyof Fields]['flags']> = Object.assign(
  {},
  ...LISTED_FIELDS.map(([, { flags }]) => flags),
)

/** The fields that an option alone gives: no question is about them. */
export const UNASKED = LISTED_FIELDS.flatMap(([name, { flags, typed }]) =>
  typed === undefined ? [] : Object.keys(flags).map(flag => ({ name, flag, typed })),
)

const TRANSPORT_QUESTIONS = TRANSPORTS.flatMap(({ asked }) => asked.questions.map(({ name }) => name))

export type ToolArgs = ArgsOf<typeof TOOL_OPTIONS, readonly []>

/**
 * @param cwd the folder for `@file`
 * @throws UsageError, and RlpError if `@file` cannot be read
 */
export async function answersOf(args: ToolArgs, cwd: string): Promise<Map<string, string>> {
  refuseLine(args.command)
  const answers = new Map<string, string>()
  for (const [name, { flags, typed }] of LISTED_FIELDS) {
    if (typed !== undefined || name === 'stdin') continue
    const isTransport = name === 'transport'
    for (const flag of isTransport ? ['kind', ...TRANSPORT_QUESTIONS] : Object.keys(flags)) {
      const given = flag === 'kind' ? chosenKind(args) : givenIn(args, flag)
      // A switch of a transport chooses the way of its name.
      if (given === true) answers.set(flag, isTransport ? flag : 'yes')
      else if (typeof given === 'string')
        answers.set(flag, flag.endsWith('-schema') ? await schemaText(given, cwd) : given)
      else if (Array.isArray(given)) answers.set(flag, isTransport ? writeWords(given) : given.join(','))
    }
  }
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
  const given = own<unknown>(args, camelCase(flag))
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
  return { headers: headersOf(args.header), ...unaskedIn(args) }
}

/** The fields that no question is about, as typed. @throws UsageError */
function unaskedIn(args: ToolArgs): Omit<ToolExtras, 'headers'> {
  const typed = UNASKED.map(({ name, flag, typed }) => {
    const refuse = (problem: string) => new UsageError(`Cannot use --${flag}: ${problem}`, { field: flag })
    return [name, typed(own<unknown>(args, camelCase(flag)), refuse)]
  })
  return Object.fromEntries(typed)
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
