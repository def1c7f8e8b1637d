// The check of an answer → text for people.

import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { wrap } from '../cli/render/wrap.ts'
import type { Remark } from '../contract/check-result.ts'
import { printable } from '../format/text/printable.ts'
import type { CheckedAnswer } from './checked-answer.ts'

export function renderCheckedAnswer(
  label: string,
  checked: CheckedAnswer,
  style: Style,
  columns: number,
): string {
  const mark = checked.passed ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
  const head = `${mark} ${style.bold(printable(label))}  ${formWords(checked)}`
  const fit = checked.fits === true ? ', and its result fits' : ''
  return `${[`${head}${fit}`, ...checked.remarks.flatMap(remark => renderRemark(remark, style, columns))].join('\n')}\n`
}

function renderRemark({ weight, message, fix }: Remark, style: Style, columns: number): string[] {
  const word = weight === 'problem' ? style.red('problem') : style.cyan('remark')
  const lines = wrap(printable(fix), Math.max(30, columns - 9))
  return [
    `  ${word} ${printable(message)}`,
    ...lines.map((line, index) => (index === 0 ? `    ${style.cyan('fix:')} ${line}` : `         ${line}`)),
  ]
}

function formWords({ form }: CheckedAnswer): string {
  if (form.startsWith('failure:')) return `a failure, ${form.slice('failure:'.length)}`
  if (form === 'failure') return 'a failure'
  if (form === 'agentcli') return 'a success, as agentcli reads it'
  if (form === 'agentcli:failure') return 'a failure, as agentcli reads it'
  if (form === 'none') return 'no envelope'
  if (form === 'legacy') return 'a failure in an older form'
  return form === 'result' ? 'a success' : `a success, ${form}`
}
