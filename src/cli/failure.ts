// Any thrown value → what people and programs are told about it.
import { type Failure, failure } from '../contract/envelope.ts'
import { ERRORS, RlpError, UsageError } from '../model/error.ts'
import { exitCodeOf } from '../model/exit-code.ts'
import { VERSION } from '../model/rlp-version.ts'
import { veiled } from '../secret/veil.ts'
import { asFlags, flagName } from '../text/flag-name.ts'
import { printable } from '../text/printable.ts'
import type { ExitCode } from './command.ts'
import { wrap } from './render/layout.ts'
import type { Style } from './render/style.ts'

/** An error, described. Texts are printable. */
export interface Description {
  readonly exit: ExitCode
  readonly envelope: Failure
  /** Without the program's name. */
  readonly message: string
  readonly hint: string | undefined
  /** The stack, for our own bugs only. */
  readonly stack: string | undefined
}

/** `tool` is the command's name with dots, if the command line named one. */
export function describe(error: unknown, tool: string | undefined): Description {
  if (!(error instanceof RlpError)) return describeBug(error, tool)
  // The user may have typed a key in place of its name.
  const message = printable(veiled(error.message))
  const hint = error.hint === undefined ? undefined : printable(veiled(asFlags(error.hint)))
  const usage = error instanceof UsageError ? error : undefined
  return {
    exit: exitCodeOf(error),
    envelope: failure({
      kind: ERRORS[error.code].kind,
      message,
      field: usage?.field === undefined ? undefined : flagName(usage.field),
      expected: usage?.expected,
      tool,
      extra: { code: error.code, hint },
    }),
    message,
    hint,
    stack: undefined,
  }
}

function describeBug(error: unknown, tool: string | undefined): Description {
  const message = `Internal error: ${printable(veiled(error instanceof Error ? error.message : String(error)))}`
  const stack = (error instanceof Error && error.stack) || String(error)
  return {
    exit: exitCodeOf(error),
    // Not retryable: the same call would meet the same bug.
    envelope: failure({
      kind: 'execution_error',
      message,
      tool,
      retryable: false,
      extra: { code: 'INTERNAL' },
    }),
    message,
    hint: undefined,
    stack: veiled(stack)
      .split('\n')
      .map(line => printable(line))
      .join('\n'),
  }
}

/** The lines for standard error. `columns` is undefined without a terminal: lines then stay whole. */
export function renderFailure(
  { message, hint, stack }: Description,
  { style, columns, see }: { style: Style; columns: number | undefined; see: string | undefined },
): string {
  const lines = [
    ...labelled(`${style.red(style.bold('rlp:'))} `, 'rlp: '.length, message, columns),
    ...(hint === undefined ? [] : labelled(`${style.cyan('hint:')} `, 'hint: '.length, hint, columns)),
    ...(see === undefined ? [] : [`See ${see}`]),
    ...(stack === undefined ? [] : [stack, ...reportRequest(columns)]),
  ]
  return `${lines.join('\n')}\n`
}

function labelled(label: string, indent: number, text: string, columns: number | undefined): string[] {
  const lines = columns === undefined ? [text] : wrap(text, Math.max(20, columns - indent))
  return lines.map((line, index) => (index === 0 ? label : ' '.repeat(indent)) + line)
}

function reportRequest(columns: number | undefined): string[] {
  const text = `This is a bug in rlp ${VERSION} (Node ${process.versions.node}, ${process.platform}), not in what you did. Please report it with the command line and the lines above.`
  return columns === undefined ? [text] : wrap(text, columns)
}
