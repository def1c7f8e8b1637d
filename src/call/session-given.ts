// What a program hands in for a series of calls → the session that they are made in.
import { kindAt } from '../io/find/search-folders.ts'
import { type CallerOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { Running } from '../io/process/running.ts'
import type { Setting } from '../io/setting.ts'
import type { SandboxMode } from '../model/sandbox.ts'
import { UsageError } from '../model/usage-error.ts'
import type { ToldOptions } from '../sandbox/deciding.ts'
import { openSandbox } from '../sandbox/sandbox.ts'
import type { Confirm } from './context.ts'
import { type BudgetLedger, type Ledger, ledgerGiven } from './ledger.ts'
import { type SecretsGiven, secretsGiven } from './secrets/given.ts'
import { type CallSession, startSession } from './session.ts'

export interface SessionGiven extends CallerOptions {
  /** Values of secrets by their ids, a function that is asked for each, or `env`. Without it a tool that needs one is not run. */
  readonly secrets?: SecretsGiven
  /** Hand secrets, and variables of `x-rlp.env` that need a grant, also to a bundle that is not `trusted`. */
  readonly withSecrets?: boolean
  /** In place of the tool's own time limit, in milliseconds. */
  readonly timeoutMs?: number
  /** End a program that has printed nothing for as long, in milliseconds. */
  readonly idleMs?: number
  /** Where programs start, in place of an empty folder of their own. */
  readonly folder?: PathGiven
  /**
   * Whether programs are held to their grants: `auto`, the default, uses what works here; `require` starts none that cannot be held; `off`. A
   * config.toml that says `require` decides (docs/sandbox.md).
   */
  readonly sandbox?: SandboxMode
  /** Where used budgets are counted, for calls that are to share them. */
  readonly ledger?: BudgetLedger
  /** A file that gets a line about each call. */
  readonly audit?: PathGiven
  /** A file that gets each call and its answer, without secrets. */
  readonly trace?: PathGiven
}

/** @param loaded the bundle whose tools are called, with what it was judged by, and the ledger where the caller hands none in */
export async function sessionGiven(
  options: SessionGiven,
  confirm: Confirm,
  io: Setting,
  loaded?: { readonly ledger?: Ledger; readonly judging: ToldOptions },
): Promise<CallSession> {
  const { secrets, withSecrets = false, timeoutMs, idleMs, folder, audit, trace, sandbox: mode } = options
  const ledger = ledgerGiven(options.ledger) ?? loaded?.ledger
  const trail = trace === undefined ? undefined : pathGiven(trace, io, 'write the trace')
  const log = audit === undefined ? undefined : pathGiven(audit, io, 'write the audit log')
  const { env, cwd, signal } = io
  const told = [options, loaded?.judging ?? {}]
  const sandbox = await openSandbox({ mode, host: { env, cwd, signal, told } })
  return startSession(
    {
      running: new Running(),
      sandbox,
      confirm,
      secrets: secretsGiven(secrets, io),
      withSecrets,
      fromEnvironment: secrets === 'env',
      ledger,
      timeoutMs,
      idleMs,
      cwd: folder === undefined ? undefined : folderAt(pathGiven(folder, io, 'start programs in')),
      audit: log === undefined ? undefined : { path: log, label: log },
      trace: trail,
    },
    io,
  )
}

function folderAt(path: string): string {
  if (kindAt(path) === 'folder') return path
  throw new UsageError(`Cannot call a tool: "${path}" is no folder`, { field: 'folder' })
}
