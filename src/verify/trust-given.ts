// What a caller of the library says of trust: which policies, which marks, and what came with a bundle.

import { isDate } from 'node:util/types'
import type { CallerOptions } from '../io/library/caller.ts'
import { accessWith, type Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { Judging } from './examine.ts'
import {
  type AttestationsInput,
  attestationsInput,
  type FolderGiven,
  folderInput,
  policyInput,
  type TrustPolicyGiven,
} from './given.ts'

/** On what a verdict depends beside the bytes of the bundle, the clock, and what the administrator has put below `/etc/runloop`. */
export interface TrustOptions {
  /** A trust policy in place of the user's own, `~/.runloop/trust-policy.toml`. */
  readonly trustPolicy?: TrustPolicyGiven | undefined
  /**
   * In place of `$RUNLOOP_HOME` or `~/.runloop`: the user's trust policy, the marks of what was installed before, and overrides of
   * policy.caps. `false` for none of them.
   */
  readonly home?: FolderGiven | false | undefined
  /**
   * The folder with the high-water marks, as `~/.runloop/state` is; it has to be there. `false` for no marks: then an older version is not
   * noticed. Where `state` is given and `home` is not, nothing else of a home folder is looked at.
   */
  readonly state?: FolderGiven | false | undefined
  /** The time of the judgement; the clock's where this is left out. Ends, suppressions and channels are held against it. */
  readonly now?: Date | undefined
  /** Let the keys of development anchors count. */
  readonly allowDev?: boolean | undefined
  /**
   * What came with a bundle that a policy may require (docs/evidence.md); the file beside a path, `<bundle>.intoto.jsonl`, where this is
   * left out.
   */
  readonly attestations?: AttestationsInput | undefined
}

/** @throws RlpError USAGE */
export function trustInput(
  options: TrustOptions & Pick<CallerOptions, 'env' | 'cwd'>,
): Pick<Judging, 'trustPolicy' | 'home' | 'state' | 'allowDev' | 'attestations' | 'access' | 'now'> {
  const {
    trustPolicy,
    home,
    state,
    allowDev,
    attestations,
    now,
    cwd,
    env = process.env,
  } = ownMembers(options)
  const given = home === undefined && state !== undefined ? false : home
  const folder = given === undefined ? undefined : folderInput(given, 'home', cwd)
  return {
    access: accessWith(env, folder),
    allowDev,
    trustPolicy: trustPolicy === undefined ? undefined : policyInput(trustPolicy, cwd),
    home: folder,
    state: state === undefined ? undefined : folderInput(state, 'state', cwd),
    now: now === undefined ? undefined : timeGiven(now),
    attestations: attestations === undefined ? undefined : attestationsInput(attestations, cwd),
  }
}

/** The same for a job, which says how far it is. The expectation, the locks and exceptions are for the caller to add. */
export function judgingGiven(
  options: Parameters<typeof trustInput>[0],
  { signal, onProgress }: Pick<Setting, 'signal' | 'onProgress'>,
) {
  return { ...trustInput(options), signal, onProgress }
}

/** Types are gone at run time, and a time that cannot be one must not mean that nothing ends. @throws UsageError */
function timeGiven(now: Date): Date {
  if (isDate(now) && !Number.isNaN(now.getTime())) return now
  throw new UsageError('Cannot judge at that time: now is no valid Date', {
    field: 'now',
    hint: 'Give a Date, or leave it out',
  })
}
