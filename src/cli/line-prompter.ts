// Asks questions as plain lines, for a terminal that cannot move its cursor (TERM=dumb). The terminal itself shows and edits a line until
// Enter.

import { Readable } from 'node:stream'
import { RlpError } from '../model/error.ts'
import { printable } from '../text/printable.ts'
import type { Io } from './command.ts'
import { wrap } from './render/layout.ts'
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

/** How long nothing may arrive before a line counts as an answer, in milliseconds. */
const QUIET_MS = 200

const CTRL_C = '\u0003'

/** Standard input. Only that of a terminal has a raw mode. */
type Input = Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown }

/** The error of a question that a person has left with Ctrl-C. */
export function leftQuestion(doing: string): RlpError {
  return new RlpError('CANCELLED', `Cannot ${doing}: it was cancelled, and nothing was written`)
}

export class TypedLines {
  readonly #input: Input
  readonly #doing: string
  readonly #signal: AbortSignal
  readonly #decoder = new TextDecoder()
  /** Text that has arrived and is not part of a returned line. */
  #read = ''
  #hasEnded = false

  /** @param doing for the error: `scaffold "mailer"` */
  constructor(chunks: AsyncIterable<Uint8Array>, doing: string, signal: AbortSignal) {
    this.#input = chunks instanceof Readable ? chunks : Readable.from(chunks)
    this.#doing = doing
    this.#signal = signal
  }

  /**
   * Returns the next line without its end; undefined after the last line.
   * @throws RlpError CANCELLED when the signal aborts
   */
  async next(): Promise<string | undefined> {
    for (;;) {
      const [whole, line] = /^([^\r\n]*)(?:\r?\n|\r)/.exec(this.#read) ?? []
      if (whole !== undefined) {
        this.#read = this.#read.slice(whole.length)
        return line
      }
      await this.#more()
      if (this.#hasEnded) return undefined
    }
  }

  /**
   * Shows a question and returns the line that is typed after it. Discards everything typed before that: the end of a command that was
   * typed too early must not answer a question before a person has read it.
   * @throws RlpError CANCELLED on Ctrl-C and when the signal aborts
   */
  async answerTo(show: () => void): Promise<string | undefined> {
    // In raw mode a terminal also hands over a line that has no end yet, and does not show what is discarded.
    this.#setRaw(true)
    try {
      show()
      do {
        this.#read = ''
        await this.#more(QUIET_MS)
        if (this.#read.includes(CTRL_C)) throw leftQuestion(this.#doing)
      } while (this.#read !== '')
    } finally {
      this.#setRaw(false)
    }
    return this.next()
  }

  #setRaw(isRaw: boolean): void {
    if (this.#input.isTTY) this.#input.setRawMode?.(isRaw)
  }

  /** Waits until something arrives, the input ends, or the time is over. The input is paused before and after. */
  #more(forMs?: number): Promise<void> {
    if (this.#input.readableEnded || this.#input.destroyed) this.#hasEnded = true
    if (this.#signal.aborted) return Promise.reject(leftQuestion(this.#doing))
    if (this.#hasEnded) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer)
        this.#signal.removeEventListener('abort', onAbort)
        this.#input.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onEnd).pause()
        settle()
      }
      const onData = (chunk: Uint8Array | string) => {
        // A prompt for a secret makes the input hand over texts.
        this.#read += typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true })
        done(resolve)
      }
      const onEnd = () => {
        this.#hasEnded = true
        done(resolve)
      }
      const onAbort = () => done(() => reject(leftQuestion(this.#doing)))
      const timer = forMs === undefined ? undefined : setTimeout(() => done(resolve), forMs)
      this.#signal.addEventListener('abort', onAbort, { once: true })
      this.#input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd).resume()
    })
  }
}
