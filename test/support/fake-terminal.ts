// A terminal in memory, to run commands in process.

import { PassThrough } from 'node:stream'
import type { ExitCode, Io, Registry } from '../../src/cli/command.ts'
import { main, type Terminal } from '../../src/cli/main.ts'
import type { Prompter } from '../../src/cli/wizard/question.ts'
import { worldOf } from '../../src/verb/as-command.ts'
import type { World } from '../../src/verb/world.ts'
import { assertHintOptions } from './hint-options.ts'

export interface Ran {
  readonly exit: ExitCode
  readonly stdout: string
  readonly stderr: string
}

/** A terminal that collects what is written to it: no TTY, 80 columns and 24 rows, an empty environment, unless said otherwise. */
export function fakeTerminal(overrides: Partial<Terminal> & { input?: string } = {}) {
  const { input = '', ...rest } = overrides
  const written = { stdout: '', stderr: '' }
  const terminal: Terminal = {
    stdout: text => {
      written.stdout += typeof text === 'string' ? text : Buffer.from(text).toString('latin1')
    },
    stderr: text => {
      written.stderr += text
    },
    pass: async (to, bytes) => {
      if (to === 'stdout') terminal.stdout(bytes)
      else terminal.stderr(Buffer.from(bytes).toString('latin1'))
    },
    stdin: async function* () {
      yield Buffer.from(input)
    },
    isTTY: { stdin: false, stdout: false, stderr: false },
    columns: 80,
    rows: 24,
    env: {},
    cwd: '/nowhere',
    signal: new AbortController().signal,
    ...rest,
  }
  return { terminal, written }
}

/** What a verb knows of the command that it is part of. @param prompter answers its questions */
export function worldAt(
  terminal: Terminal,
  prompter?: Prompter | (() => Prompter),
  args: { readonly json?: boolean } = {},
): World {
  const open = async () => {
    const opened = typeof prompter === 'function' ? prompter() : prompter
    if (opened === undefined) throw new TypeError('nothing is asked here')
    return opened
  }
  const given = { json: false, quiet: false, color: undefined, help: false, ...args }
  return worldOf({}, { args: given, io: terminal as unknown as Io, open })
}

/**
 * Standard input of a terminal on which a person types once a question no longer discards what arrives. That is when the question leaves
 * raw mode.
 * @param ahead typed before the question
 */
export function typedAfterwards(text: string, ahead = ''): PassThrough {
  const input = new PassThrough()
  input.write(ahead)
  return Object.assign(input, {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void (isRaw || input.end(text)),
  })
}

/** Runs one command line in process. */
export async function run(
  argv: readonly string[],
  registry?: Registry,
  overrides: Partial<Terminal> & { input?: string } = {},
): Promise<Ran> {
  const { terminal, written } = fakeTerminal(overrides)
  const exit = await main(argv, terminal, registry)
  if (registry === undefined) await assertHintOptions(argv, written)
  return { exit, ...written }
}
