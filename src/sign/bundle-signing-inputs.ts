// The inputs of the verbs that sign bundles: who signs, and what a bundle has to be before it is signed.
import { namedPath } from '../io/home.ts'
import { type Asked, type At, type InputTable, text, type World, whether } from '../verb/index.ts'
import { type Demands, refuseLooser } from '../verify/before-signing.ts'
import { folderOrNone, trustPolicy } from '../verify/judging-inputs.ts'
import { pins } from '../verify/pin-inputs.ts'
import { keyless } from './keyless-inputs.ts'
import { passphrase } from './passphrase-inputs.ts'
import type { EndOptions } from './sign.ts'
import { signingKey } from './signing-inputs.ts'

const { flags: _, ...locks } = pins

/** @interface BundleSigningOptions */
export const BUNDLE_SIGNING = {
  /** The name of a key, a PEM file, `env:VAR`, `ssh-agent:KEY`, `command:PROGRAM`, or a signer of the caller's own. */
  key: { ...signingKey },
  passphrase,
  keyless,
  /**
   * Which bundle it has to be: a name with a version or range, or `blake3:` and the identity that {@link inspect} shows. `countersign` needs
   * it, unless `ifTrusted` says that the reference or a lock is enough.
   */
  expect: text('which bundle it has to be; without it, a person is asked about one in a registry', {
    placeholder: 'NAME@RANGE|blake3:HEX',
  }),
  /**
   * Verify it first, under the policies and marks of this host, and sign only what is `trusted`. Needs a mark of the agent (it is installed
   * here), `lock`, or `expect` with an identity, and takes neither `notAfter` nor `renew`.
   */
  ifTrusted: whether(
    'verify first, and sign only what is trusted and is pinned by a mark, --lock or --expect blake3:HEX',
  ),
  /** With `ifTrusted`: locks that pin the bundle (docs/lock.md). */
  lock: {
    ...locks,
    typed: {
      type: 'strings',
      commas: false,
      placeholder: 'FILE',
      describe: 'with --if-trusted: the lock that pins it; of a reference, what it pins is fetched',
    },
    fromTyped: (typed: readonly string[], { world }: At) => typed.map(path => namedPath(path, world.cwd)),
  },
  /** With `ifTrusted` or `renew`: a trust policy in place of the user's own, `~/.runloop/trust-policy.toml`. */
  trustPolicy: {
    ...trustPolicy,
    typed: {
      type: 'string',
      placeholder: 'FILE',
      describe:
        'with --if-trusted or --renew: in place of ~/.runloop/trust-policy.toml; the system’s still applies',
    },
  },
  /** With `ifTrusted` or `renew`: the folder with the policy and the marks, in place of `$RUNLOOP_HOME` or `~/.runloop`; `false` for none. */
  home: { ...folderOrNone },
} as const satisfies InputTable

/** What this call demands of a bundle. @throws UsageError for what cannot be asked together */
export function demandsOf(
  asked: Asked<typeof BUNDLE_SIGNING>,
  { notAfter, renew }: EndOptions,
  { spelt }: Pick<World, 'spelt'>,
): Demands {
  const { expect, ifTrusted, lock, trustPolicy, home } = asked
  refuseLooser({ ifTrusted, notAfter, renew, expect, lock: lock[0], home, trustPolicy }, spelt)
  const under = { home, trustPolicy }
  return {
    expect,
    ifTrusted: ifTrusted ? { ...under, locks: lock } : undefined,
    renewing: renew === undefined ? undefined : under,
  }
}
