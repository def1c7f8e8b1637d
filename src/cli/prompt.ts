// Questions on the real terminal. The only file that knows @clack/prompts.
import type { Readable, Writable } from 'node:stream'
import * as clack from '@clack/prompts'
import { printable } from '../text/printable.ts'
import { leftQuestion, TypedLines } from './line-prompter.ts'
import { wrap } from './render/layout.ts'
import { createStyle } from './render/style.ts'
import type { ChoicePrompt, Prompter, TextPrompt } from './wizard/question.ts'

interface PrompterOptions {
  /** In words for messages: `scaffold "mailer"`. */
  readonly doing: string
  readonly signal: AbortSignal
  /** Whether standard output may hold colour. */
  readonly color: boolean
  /** In place of those of this process. */
  readonly streams?: {
    readonly input: Readable
    readonly output: Writable & { columns?: number; rows?: number }
  }
}

/** Columns that the guide line and the space beside it take. */
const GUIDE = 4

/**
 * A prompter on standard input and output, which must both be terminals. Ctrl-C and the signal make it throw CANCELLED and restore the
 * terminal. So do Ctrl-D and Esc, except at a question that takes a line.
 */
export function createPrompter({ doing, signal, color, streams }: PrompterOptions): Prompter {
  // clack asks Node for colours, and Node reads the environment: there is no other way to pass --no-color.
  if (!color) process.env['NO_COLOR'] = '1'
  // Without this, Ctrl-D closes the input and the question is never answered.
  clack.updateSettings({ aliases: { '\u0004': 'cancel' } })
  // clack moves the cursor with these letters. A word is no answer to a choice, and must not change it.
  for (const letter of 'hjkl') clack.settings.aliases.delete(letter)
  giveSize(streams?.output ?? process.stdout)
  // Asked again for every question: windows are resized.
  const columns = () => (streams?.output ?? process.stdout).columns || 80
  const lines = (text: string) => wrap(printable(text), Math.max(20, columns() - GUIDE)).join('\n')
  const taken = (reply: string | symbol): string => {
    if (typeof reply === 'string') return reply
    throw leftQuestion(doing)
  }
  const where = { ...(streams !== undefined && { output: streams.output }) }
  return {
    intro: title => clack.intro(printable(title), where),
    note: (text, title) =>
      clack.note(
        text
          .split('\n')
          .map(line => printable(line))
          .join('\n'),
        printable(title),
        where,
      ),
    info: text => clack.log.info(lines(text), where),
    advice: text => clack.log.warn(lines(text), where),
    outro: text => clack.outro(printable(text), where),
    async text({ message, fallback, example, check }: TextPrompt) {
      const shown = fallback ?? (example === undefined ? undefined : `for example ${example}`)
      let typed = ''
      const reply = await untilStopped(signal, own =>
        clack.text({
          // A choice wraps its message itself, a text question does not.
          message: lines(message).replaceAll('\n', `\n${clack.S_BAR}  `),
          signal: own,
          ...streams,
          ...(shown !== undefined && { placeholder: oneLine(shown, columns()) }),
          ...(fallback !== undefined && { defaultValue: fallback }),
          validate: value => {
            typed = value ?? ''
            const problem = check(typed)
            return problem && lines(problem).replaceAll('\n', '\n   ')
          },
        }),
      )
      taken(reply)
      // Not the reply: it is the fallback if nothing was typed, and a fallback may look like a command.
      return typed
    },
    async choose({ message, choices, fallback }: ChoicePrompt) {
      const options = choices.map(({ value, label, hint }) => ({
        value,
        label: printable(label),
        ...(hint !== undefined && { hint: printable(hint) }),
      }))
      return taken(
        await untilStopped(signal, own =>
          clack.select({ message: lines(message), options, initialValue: fallback, signal: own, ...streams }),
        ),
      )
    },
    async line(question) {
      const { input, output } = streams ?? { input: process.stdin, output: process.stdout }
      const style = createStyle(color)
      const bar = style.dim(clack.S_BAR)
      const shown = lines(question).replaceAll('\n', `\n${bar}  `)
      const line = await new TypedLines(input, doing, signal).answerTo(() =>
        output.write(`${bar}\n${style.cyan(clack.S_STEP_ACTIVE)}  ${shown} `),
      )
      if (line === undefined) output.write('\n')
      return line ?? ''
    },
  }
}

/**
 * A terminal without a size says 0 × 0, as in a container or under `script`. clack would put one letter on each line of it.
 * @param terminal its size is changed only where it has none
 */
function giveSize(terminal: { columns?: number; rows?: number }): void {
  if (terminal.columns === 0) terminal.columns = 80
  if (terminal.rows === 0) terminal.rows = 24
}

/**
 * A question with a signal of its own. clack never takes its listener away: on one signal, the tenth question would make Node warn of a
 * leak in the midst of the frame.
 */
async function untilStopped<T>(signal: AbortSignal, ask: (own: AbortSignal) => Promise<T>): Promise<T> {
  const own = new AbortController()
  const stop = () => own.abort(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await ask(own.signal)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** clack does not wrap a placeholder: a long one would push the line out of its frame. */
function oneLine(text: string, columns: number): string {
  const shown = printable(text)
  const room = Math.max(10, columns - GUIDE - 2)
  return shown.length > room ? `${shown.slice(0, room - 1)}…` : shown
}
