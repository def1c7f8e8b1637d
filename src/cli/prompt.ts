// Questions on the real terminal. The only file that knows @clack/prompts.
import * as clack from '@clack/prompts'
import { printable } from '../format/text/printable.ts'
import { RlpError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { wrap } from './render/wrap.ts'
import type { Choice, ChoicePrompt, Prompter, TextPrompt } from './wizard/question.ts'

export interface PrompterOptions {
  /** In words for messages: `scaffold "mailer"`. */
  readonly doing: string
  readonly signal: AbortSignal
  /** Whether standard output may hold colour. */
  readonly color: boolean
}

/** Columns that the guide line and the space beside it take. */
const GUIDE = 4

/**
 * A prompter on standard input and output, which must both be terminals. Ctrl-C, Ctrl-D, Esc and the signal make it throw CANCELLED and
 * restore the terminal.
 */
export function createPrompter({ doing, signal, color }: PrompterOptions): Prompter {
  // clack asks Node for colours, and Node reads the environment: there is no other way to pass --no-color.
  if (!color) process.env['NO_COLOR'] = '1'
  // Without this, Ctrl-D closes the input and the question is never answered.
  clack.updateSettings({ aliases: { '\u0004': 'cancel' } })
  // Asked again for every question: windows are resized.
  const columns = () => process.stdout.columns || 80
  const lines = (text: string) => wrap(printable(text), Math.max(20, columns() - GUIDE)).join('\n')
  const taken = (reply: string | symbol): string => {
    if (typeof reply === 'string') return reply
    throw new RlpError('CANCELLED', `Cannot ${doing}: it was cancelled, and nothing was written`)
  }
  return {
    intro: title => clack.intro(printable(title)),
    note: (text, title) =>
      clack.note(
        text
          .split('\n')
          .map(line => printable(line))
          .join('\n'),
        printable(title),
      ),
    info: text => clack.log.info(lines(text)),
    advice: text => clack.log.warn(lines(text)),
    outro: text => clack.outro(printable(text)),
    async text({ message, fallback, example, check }: TextPrompt) {
      const shown = fallback ?? (example === undefined ? undefined : `for example ${example}`)
      let typed = ''
      const reply = await clack.text({
        // A choice wraps its message itself, a text question does not.
        message: lines(message).replaceAll('\n', `\n${clack.S_BAR}  `),
        signal,
        ...(shown !== undefined && { placeholder: oneLine(shown, columns()) }),
        ...(fallback !== undefined && { defaultValue: fallback }),
        validate: value => {
          typed = value ?? ''
          const problem = check(typed)
          return problem && lines(problem).replaceAll('\n', '\n   ')
        },
      })
      taken(reply)
      // Not the reply: it is the fallback if nothing was typed, and a fallback may look like a command.
      return typed
    },
    async choose({ message, choices, fallback }: ChoicePrompt) {
      const stop = listenForLetters(choices, fallback)
      try {
        const options = choices.map(({ value, label, hint }) => ({
          value,
          label: printable(label),
          ...(hint !== undefined && { hint: printable(hint) }),
        }))
        return taken(
          await clack.select({
            message: lines(message),
            options,
            initialValue: fallback,
            signal,
            showInstructions: false,
          }),
        )
      } finally {
        stop()
      }
    },
  }
}

/** clack does not wrap a placeholder: a long one would push the line out of its frame. */
function oneLine(text: string, columns: number): string {
  const shown = printable(text)
  const room = Math.max(10, columns - GUIDE - 2)
  return shown.length > room ? `${shown.slice(0, room - 1)}…` : shown
}

/** Keys that the choice itself takes as steps, beside the arrows. */
const STEPS: Readonly<Record<string, number>> = {
  up: -1,
  left: -1,
  k: -1,
  h: -1,
  down: 1,
  right: 1,
  j: 1,
  l: 1,
}

/**
 * Lets people type `y`, `n` or another first letter, as at a [y/N] question; Enter still decides. The choice knows only arrow keys, so a
 * letter is sent to it as that many steps down.
 */
function listenForLetters(choices: readonly Choice[], fallback: string): () => void {
  const { stdin } = process
  const count = choices.length
  let at = Math.max(
    0,
    choices.findIndex(({ value }) => value === fallback),
  )
  const onKey = (char: string | undefined, key: { readonly name?: string } | undefined) => {
    const step = own(STEPS, key?.name ?? '') ?? 0
    const letter = char?.toLowerCase()
    const wanted = choices.findIndex(({ value }) => letter !== undefined && value.startsWith(letter))
    if (wanted === -1 || letter === undefined) {
      at = (at + step + count) % count
      return
    }
    // h, j, k and l are steps as well: the choice will take this one after us.
    for (let left = (wanted - step - at + 2 * count) % count; left > 0; left--)
      stdin.emit('keypress', undefined, { name: 'down' })
    at = wanted
  }
  stdin.on('keypress', onKey)
  return () => void stdin.off('keypress', onKey)
}
