// One call of a trace → its arguments, its answer and the differences of today, for people.
import type { Style } from '../cli/render/style.ts'
import { serialize } from '../contract/serialize.ts'
import type { CallPayload, ResultPayload } from '../model/trace.ts'
import { printable } from '../text/printable.ts'
import type { AnswerDifference } from './replay.ts'

export interface ShownCall {
  readonly call: CallPayload
  readonly result: ResultPayload | undefined
  readonly live: ResultPayload | undefined
  readonly differences: readonly AnswerDifference[]
}

/** @param columns of the terminal: arguments and answers are cut to one line each */
export function replayedText(
  { call, result, live, differences }: ShownCall,
  style: Style,
  columns: number,
): string {
  const mark = differences.length > 0 ? style.yellow('≠') : style.green('✓')
  const most = Math.max(20, columns - 12)
  const lines = [
    `${mark} ${style.bold(printable(call.tool, 128))} ${printable(serialize(call.arguments), most)}`,
    ...(result === undefined ? [] : [`  answered  ${answerText(result, most)}`]),
    ...(live === undefined ? [] : [`  now       ${answerText(live, most)}`]),
    ...differences.map(({ message }) => `  ${style.yellow(printable(message))}`),
  ]
  return lines.map(line => `${line}\n`).join('')
}

function answerText(payload: ResultPayload, most: number): string {
  if (payload.ok) return printable(serialize(payload.result), most)
  return printable(`${String(payload.error['kind'])}: ${String(payload.error['message'])}`, most)
}
