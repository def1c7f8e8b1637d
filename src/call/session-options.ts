// Options and terminal → the session that calls are made in.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { warn } from '../cli/render/report.ts'
import { kindAt } from '../io/find/search-folders.ts'
import { namedPath } from '../io/home.ts'
import { Running } from '../io/process/running.ts'
import { UsageError } from '../model/error.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { quoted } from '../text/printable.ts'
import type { Confirm } from './context.ts'
import { type CallArgs, secretsFrom } from './options.ts'
import { type CallSession, startSession } from './session.ts'

/** @throws RlpError as {@link startSession} */
export async function openSession(
  args: CallArgs,
  sandbox: Sandbox,
  io: Io,
  confirm: Confirm,
): Promise<CallSession> {
  const cwd = args.cwd === undefined ? undefined : folderAt(args.cwd, io)
  const running = new Running()
  const { audit, trace, timeout, idleTimeout, withSecrets } = args
  const parts = {
    running,
    sandbox,
    confirm,
    withSecrets,
    ...secretsFrom(args.secretsFrom, running, io),
    cwd,
    audit: audit === undefined ? undefined : { path: namedPath(audit, io.cwd), label: audit },
    trace,
    timeoutMs: milliseconds(timeout),
    idleMs: milliseconds(idleTimeout),
  }
  return startSession(parts, io)
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000)
}

/**
 * What holds the programs of one command, before it reads anything of a bundle.
 * @param args all of them: the sandbox keeps what they name from programs
 * @throws RlpError as {@link openSandbox}
 */
export async function sandboxFor(args: Pick<CallArgs, 'sandbox'> & GlobalArgs, io: Io): Promise<Sandbox> {
  const { env, cwd, signal } = io
  const sandbox = await openSandbox({ mode: args.sandbox, host: { env, cwd, signal, told: [args] } })
  if (sandbox.note !== undefined) warn(io, args, sandbox.note)
  return sandbox
}

/** @throws UsageError if it is not a folder: the system's error would be that the program is missing */
function folderAt(written: string, io: Io): string {
  const path = namedPath(written, io.cwd)
  if (kindAt(path) === 'folder') return path
  throw new UsageError(`Cannot use --cwd: ${quoted(written)} is no folder`, { field: 'cwd' })
}
