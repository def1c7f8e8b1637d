// A person who has written down beforehand what to answer, for tests of wizards.
import assert from 'node:assert/strict'
import type { Prompter } from '../../src/cli/wizard/question.ts'
import { RlpError } from '../../src/model/error.ts'

/** One answer and the question it is meant for (its beginning). A text or a line as typed; of a choice its value. */
export type Line = readonly [question: string, reply: string]

/** The reply that stops the wizard, as Ctrl-C does. */
export const STOP = '\u0003'

export interface Scripted {
  readonly prompter: Prompter
  /** What was put and said, line by line: `? message [fallback]`, `= reply`, `! problem`, `# note`. */
  readonly log: string[]
  /** The lines that are still to come. */
  readonly left: Line[]
}

/** Fails when a question comes that the next line is not meant for, or when the lines run out. */
export function scripted(lines: readonly Line[]): Scripted {
  const left = [...lines]
  const log: string[] = []
  const next = (message: string): string => {
    const line = left.shift()
    assert.ok(line, `no answer is written down for "${message}"`)
    assert.ok(message.startsWith(line[0]), `"${message}" was asked, where the answer is for "${line[0]}"`)
    if (line[1] === STOP) throw new RlpError('CANCELLED', 'Cannot finish the script: it was cancelled')
    log.push(`= ${line[1]}`)
    return line[1]
  }
  const prompter: Prompter = {
    intro: title => void log.push(`# ${title}`),
    note: (text, title) => void log.push(`# ${title}\n${text}`),
    info: text => void log.push(`# ${text}`),
    advice: text => void log.push(`~ ${text}`),
    outro: text => void log.push(`# ${text}`),
    async text({ message, fallback, check }) {
      log.push(`? ${message}${fallback === undefined ? '' : ` [${fallback}]`}`)
      for (;;) {
        const reply = next(message)
        const problem = check(reply)
        if (problem === undefined) return reply
        log.push(`! ${problem}`)
      }
    },
    async choose({ message, choices, fallback }) {
      log.push(
        `? ${message} [${choices.map(({ value }) => (value === fallback ? value.toUpperCase() : value)).join('/')}]`,
      )
      const reply = next(message)
      if (reply === '') return fallback
      assert.ok(
        choices.some(({ value }) => value === reply),
        `"${reply}" is not offered at "${message}"`,
      )
      return reply
    },
    async line(question) {
      log.push(`? ${question}`)
      return next(question)
    },
  }
  return { prompter, log, left }
}
