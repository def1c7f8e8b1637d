// rlp agent run: the module of a verified bundle, under WASI preview 1 and in the sandbox.

import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { printRefusal } from '../cli/render/refusal.ts'
import { warn } from '../cli/render/report.ts'
import { oneAgent } from '../inspect/look-into.ts'
import { Running } from '../io/process/running.ts'
import { rootsFor } from '../io/root/roots.ts'
import { anySignal } from '../io/wait/any-signal.ts'
import { UsageError } from '../model/error.ts'
import type { ExitCode } from '../model/exit-code.ts'
import { MODULE_LIMITS } from '../model/limits.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { refuseBundle } from '../verify/render-refusal.ts'
import { HELD_OPTIONS, OPEN_OPTIONS, openOptionsOf } from './options.ts'
import { sandboxFor } from './session-options.ts'
import { keptBack } from './wasi/folders.ts'
import { moduleInput } from './wasi/module-input.ts'
import { openRunLog, type RunLog } from './wasi/run-log.ts'
import type { ModuleRun } from './wasi/run-module.ts'
import { runRecorded } from './wasi/run-recorded.ts'
import { openRunnable, type RunnableAgent } from './wasi/runnable.ts'
import { toldEnd } from './wasi/told-end.ts'

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
    const { exit, error } = toldEnd(ran.end, agent, { seconds: args.timeout, memoryMb: ran.memoryMb })
    if (error !== undefined) printRefusal(io, args, { tool: DOING.tool, error, extra: {}, body: () => [] })
    return exit
  } finally {
    running.end()
  }
}
