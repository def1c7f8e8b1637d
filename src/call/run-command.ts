// rlp agent run: the module of a verified bundle, under WASI preview 1 and in the sandbox.

import { resolve } from 'node:path'
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { printRefusal } from '../cli/render/refusal.ts'
import { warn } from '../cli/render/report.ts'
import { oneAgent } from '../inspect/look-into.ts'
import { Running } from '../io/process/running.ts'
import { closingChunks, type OpenFile, openFile } from '../io/read/read-file.ts'
import { rootsFor } from '../io/root/roots.ts'
import type { Setting } from '../io/setting.ts'
import { anySignal } from '../io/wait/any-signal.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { EXIT, type ExitCode, MODULE_EXIT, type OwnExit } from '../model/exit-code.ts'
import { MODULE_LIMITS } from '../model/limits.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { printable } from '../text/printable.ts'
import { refuseBundle } from '../verify/render.ts'
import { HELD_OPTIONS, OPEN_OPTIONS, openOptionsOf, sandboxFor } from './options.ts'
import {
  keptBack,
  type ModuleRun,
  openRunLog,
  type RanModule,
  type RunLog,
  runRecorded,
} from './wasi/run-module.ts'
import { openRunnable, type RunnableAgent } from './wasi/runnable.ts'

const OPTIONS = {
  input: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'what the module reads, in place of standard input',
  },
  timeout: {
    type: 'number',
    placeholder: 'SECONDS',
    min: 0.001,
    max: MODULE_LIMITS.mostSeconds,
    default: MODULE_LIMITS.seconds,
    describe: 'end the module after this time',
  },
  'memory-mb': {
    type: 'integer',
    placeholder: 'MIB',
    min: 1,
    max: MODULE_LIMITS.mostMemoryMb,
    describe: 'memory that the module may have, within that of config.toml',
  },
  ...HELD_OPTIONS,
  ...OPEN_OPTIONS,
} as const satisfies OptionTable

const POSITIONALS = [
  {
    name: 'target',
    required: true,
    names: 'installed',
    describe: 'a bundle, an unpacked bundle, or the name of an installed agent',
  },
  {
    name: 'args',
    many: true,
    allowEmpty: true,
    complete: 'none',
    describe: 'arguments of the module, after --',
  },
] as const

type Args = CommandArgs<typeof OPTIONS, typeof POSITIONALS>

const DOING = { doing: 'run', tool: 'agent.run' }

export const command = defineCommand({
  name: 'agent run',
  summary: 'run the module of a verified bundle, in the sandbox',
  positionals: POSITIONALS,
  options: OPTIONS,
  examples: [
    ['rlp agent run mailer --input message.txt', 'of the agent that is installed under this name'],
    ['rlp agent run dist/mailer-0.1.0.agent.bundle --timeout 10 -- --all', 'with an argument for the module'],
    ['rlp agent run agents/mailer --unverified', 'a folder that you work in'],
  ],
  notes:
    'The module gets standard input, output and error, the folders that policy.caps grants, its arguments, no variable and no network (docs/wasm.md). Its output is passed on as it is.\n\nExit code: that of the module. Where it did not run to its end, a line on standard error says why: 1 to 4, it was not started; 124, its time was over; 134, a trap; 137, the engine ended, mostly for want of memory; 141, the reader of its output went away; 130, interrupted.',
  run: runAgent,
})

async function runAgent(args: Args, io: Io): Promise<ExitCode> {
  const sandbox = await sandboxFor(args, io)
  const roots = await rootsFor(args.root, io.cwd)
  const target = await oneAgent(DOING.doing, args.target, io, roots)
  const agent = await openRunnable(target, openOptionsOf(args, io), io)
  if ('refused' in agent) return refuseBundle(agent.refused, DOING, args, io)
  if (args.json) {
    throw new UsageError('Cannot run with --json: standard output is that of the module', {
      field: 'json',
      hint: 'Leave it out; --audit FILE records how the module ended',
    })
  }
  if (args.unverified) warn(io, args, `${agent.label} was not verified`)
  for (const path of keptBack(agent.policy, io))
    warn(io, args, `the module does not get ${path}: no program reaches what rlp keeps`)
  const log = await openRunLog(args.audit, [agent.name, agent.entry, ...args.args], io)
  return runOpened(agent, sandbox, log, args, io)
}

async function runOpened(
  agent: RunnableAgent,
  sandbox: Sandbox,
  log: RunLog,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  const running = new Running()
  const unread = new AbortController()
  const signal = anySignal(io.signal, unread.signal)
  const run: ModuleRun = {
    args: args.args,
    input: await moduleInput(args.input, io),
    take: async (stream, bytes, until) => {
      await io.pass(stream, bytes, until)
      if (io.isOver?.() === true && !until.aborted) unread.abort()
    },
    timeoutMs: Math.round(args.timeout * 1000),
    memoryMb: args.memoryMb,
    onLeft(paths) {
      for (const path of paths)
        warn(io, args, `the module does not get ${path}: WASI preview 1 opens folders alone`)
    },
  }
  try {
    const ran = await runRecorded(agent, run, log, { env: io.env, signal, running, sandbox })
    io.signal.throwIfAborted()
    const { exit, error } = outcomeOf(ran, agent, args.timeout)
    if (error !== undefined) printRefusal(io, args, { tool: DOING.tool, error, extra: {}, body: () => [] })
    return exit
  } finally {
    running.end()
  }
}

/**
 * The file is opened before anything runs.
 * @param name a path; `-` or undefined for standard input
 * @throws RlpError NOT_FOUND, WRONG_FILE_TYPE, NO_PERMISSION
 */
async function moduleInput(name: string | undefined, io: Setting): Promise<AsyncIterable<Uint8Array>> {
  if (name === undefined || name === '-') return io.stdin()
  return copiesOf(await openFile(resolve(io.cwd, name), { follow: true, label: name }))
}

async function* copiesOf(file: OpenFile): AsyncGenerator<Uint8Array> {
  // A chunk is overwritten while the program still reads it.
  for await (const chunk of closingChunks(file)) yield Uint8Array.from(chunk)
}

interface ModuleOutcome {
  readonly exit: ExitCode
  readonly error?: RlpError
}

const MIB = 1024 ** 2
/** From this part of its bound on, memory is likely why a module gave up. */
const NEARLY_ALL = 7 / 8

function outcomeOf(
  { end, memoryMb }: RanModule,
  { label, entry }: RunnableAgent,
  seconds: number,
): ModuleOutcome {
  const unfinished = `Cannot finish the run of "${label}":`
  const more = `Its memory is bound to ${memoryMb} MiB: --memory-mb allows more, up to memory_mb of config.toml`
  switch (end.is) {
    case 'exited':
      return { exit: end.code as OwnExit }
    case 'refused': {
      const hint = /memory/i.test(end.why) ? more : undefined
      const message = `Cannot run "${label}": the engine refuses ${entry}: ${printable(end.why)}`
      return { exit: EXIT.bundle, error: new RlpError('LINT_FAILED', message, { hint }) }
    }
    case 'trapped': {
      const hint = end.memoryBytes >= memoryMb * MIB * NEARLY_ALL ? more : undefined
      const error = new RlpError('IO', `${unfinished} ${entry} trapped: ${printable(end.why)}`, { hint })
      return { exit: MODULE_EXIT.trapped, error }
    }
    case 'late': {
      const hint = 'Give it more time with --timeout'
      return {
        exit: MODULE_EXIT.late,
        error: new RlpError('TIMED_OUT', `${unfinished} it took longer than ${seconds} s`, { hint }),
      }
    }
    case 'lost': {
      const error = new RlpError('IO', `${unfinished} the engine ended with ${end.by}`, { hint: more })
      return { exit: MODULE_EXIT.lost, error }
    }
    case 'stopped':
      return { exit: MODULE_EXIT.unread }
  }
}
