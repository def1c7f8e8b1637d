// The inputs of every verb that judges bundles: trust policies and marks, what came with a bundle, and the time.
import { namedPath } from '../io/home.ts'
import { absolute } from '../io/layout-folder.ts'
import { type PathGiven, pathGiven } from '../io/library/caller.ts'
import { accessFrom } from '../io/setting.ts'
import type { RegistryAccess } from '../model/carried.ts'
import { eachOf, type OneOrMore } from '../model/one-or-more.ts'
import type { PolicyContent } from '../model/policy-content.ts'
import { isOciReference } from '../oci/scheme.ts'
import { type AnyInput, type Asked, type At, type Input, type World, whether } from '../verb/index.ts'
import { path } from '../verb/kinds/paths.ts'
import { now } from '../verb/kinds/time.ts'
import { type BundleGiven, type BundleTarget, bundleTarget } from './bundle-input.ts'
import type { JobJudging } from './examine.ts'
import {
  type AttestationsInput,
  attestationsInput,
  type FolderGiven,
  folderInput,
  policyInput,
  type TrustOptions,
  type TrustPolicyGiven,
} from './input.ts'
import { LOCK_OPTIONS, LOOK_UP_OPTION, locksOf, TRUST_OPTIONS } from './judging-options.ts'

/** A folder that may be left out on purpose. */
export const folderOrNone: Input<FolderGiven | false, string | false | undefined> = {
  type: 'FolderGiven | false',
  fromGiven: (given, { world, field }) => folderInput(given, field, world.cwd),
}

export const trustPolicy: Input<TrustPolicyGiven, string | PolicyContent | undefined> = {
  type: 'TrustPolicyGiven',
  typed: TRUST_OPTIONS['trust-policy'],
  fromTyped: (typed: string, { world }: At) => namedPath(typed, world.cwd),
  fromGiven: (given, { world }) => policyInput(given, world.cwd),
}

const attestations: Input<AttestationsInput, string | Uint8Array | false | undefined> = {
  type: 'AttestationsInput',
  typed: TRUST_OPTIONS.attestations,
  fromTyped: (typed: string, { world }: At) => namedPath(typed, world.cwd),
  fromGiven: (given, { world }) => attestationsInput(given, world.cwd),
}

const allowDev = whether(TRUST_OPTIONS['allow-dev'].describe)

/** @interface TrustOptions */
export const JUDGING = {
  trustPolicy,
  allowDev,
  attestations,
  home: folderOrNone,
  state: folderOrNone,
  now,
} as const satisfies Record<keyof TrustOptions, AnyInput>

/** One bundle: at a place, as bytes, or loaded before. @param doing for messages: `explain` */
export function bundle(describe: string, doing: string): Input<BundleGiven, BundleTarget> {
  return {
    type: 'BundleGiven',
    typed: { type: 'string', names: 'bundle', describe },
    isLive: true,
    fromTyped: (label: string, { world }: At) => {
      const path = isOciReference(label) ? absolute(label, world.cwd) : namedPath(label, world.cwd)
      return { target: { path, label }, attestations: undefined }
    },
    fromGiven: (given, { world }) => bundleTarget(given, world, doing),
  }
}

/** Where names of agents are looked up. */
export const lookUpRoot = path(LOOK_UP_OPTION.describe, { placeholder: 'DIR' })

/** How bundles are judged in this call. */
export function judgingBy(asked: Asked<typeof JUDGING>, world: World) {
  const { allowDev, trustPolicy, attestations, state, now } = asked
  const home = asked.home === undefined && state !== undefined ? false : asked.home
  const { signal, onProgress, elsewhere } = world
  return {
    allowDev,
    trustPolicy,
    attestations,
    home,
    state,
    now,
    signal,
    onProgress,
    elsewhere,
    isForPerson: world.terminal !== undefined,
    access: accessBy(world, home),
  } satisfies Partial<JobJudging>
}

/** How this call reaches registries. @param home the folder whose config.toml counts beside the system's; without it the user's own, false for none */
export function accessBy(world: World, home?: string | false): RegistryAccess {
  return { ...accessFrom(world), logins: world.registries?.logins ?? new Map(), home }
}

/** Locks that the bundle has to be as pinned in (docs/lock.md). */
export const pins: Input<OneOrMore<PathGiven>, readonly string[]> = {
  type: 'OneOrMore<PathGiven>',
  flags: LOCK_OPTIONS,
  absent: () => [],
  fromTyped: (args: Parameters<typeof locksOf>[0], { world }: At) => locksOf(args, world),
  fromGiven: (given, { world, field }) =>
    eachOf(given, field).map(one => pathGiven(one, world, `use ${field}`)),
}
