// Questions as plain lines, for a terminal that cannot move its cursor (TERM=dumb): a question, its default, an answer, Enter.
import { printable } from '../text/printable.ts'
import type { Io } from './command.ts'
import { wrap } from './render/wrap.ts'
import { leftQuestion, TypedLines } from './typed-lines.ts'
import { BACK, type Choice, type ChoicePrompt, type Prompter, type TextPrompt } from './wizard/question.ts'

/** Ctrl-C and the signal make it throw CANCELLED, and so does the end of the input, except at a question that takes a line. */
export function createLinePrompter(doing: string, io: Io): Prompter {
  const typed = new TypedLines(io.stdin(), doing, io.signal)
  const say = (text: string) =>
    io.stdout(
      text
        .split('\n')
        .flatMap(line => indented(printable(line), io.columns))
        .map(line => `${line}\n`)
        .join(''),
    )
  const show = (question: string) => io.stdout(`${wrap(printable(question), io.columns).join('\n')} `)
  const ask = async (question: string): Promise<string> => {
    show(question)
    const line = await typed.next()
    if (line !== undefined) return line
    io.stdout('\n')
    throw leftQuestion(doing)
  }
  return {
    intro: say,
    note: (text, title) => say(`\n${title}\n${text}\n`),
    info: say,
    advice: say,
    outro: say,
    async text({ message, fallback, example, check }: TextPrompt) {
      const shown =
        fallback !== undefined ? ` [${fallback}]` : example === undefined ? '' : ` (for example ${example})`
      for (;;) {
        const typed = await ask(`${message}${shown}:`)
        const problem = check(typed)
        if (problem === undefined) return typed
        say(problem)
      }
    },
    async line(question) {
      const line = await typed.answerTo(() => show(question))
      if (line === undefined) io.stdout('\n')
      return line ?? ''
    },
    async choose({ message, choices, fallback }: ChoicePrompt) {
      for (const { value, label, hint } of choices) {
        if (value === BACK) continue
        const words = label.toLowerCase() === value ? [] : [label]
        if (words.length > 0 || hint !== undefined)
          say(`  ${value}: ${[...words, hint].filter(Boolean).join(', ')}`)
      }
      const offered = choices.map(({ value }) => value)
      for (;;) {
        const typed = (await ask(`${message} ${offered.join('/')} [${fallback}]:`)).trim()
        const chosen = typed === '' ? fallback : choiceOf(typed, choices)
        if (chosen !== undefined) return chosen
        say(`Write one of ${offered.join(', ')}`)
      }
    },
  }
}

/** Wrapped, each line as far in as the first. */
function indented(line: string, columns: number): string[] {
  const [indent = ''] = /^ */.exec(line) ?? []
  const lines = wrap(line, Math.max(20, columns - indent.length))
  return lines.length === 0 ? [''] : lines.map(text => indent + text)
}

/** By its value or the beginning of it; undefined if it could be several. */
function choiceOf(typed: string, choices: readonly Choice[]): string | undefined {
  const begins = choices.filter(({ value }) => value.startsWith(typed.toLowerCase()))
  return begins.length === 1 ? begins[0]?.value : undefined
}
