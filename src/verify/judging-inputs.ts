// The inputs of every verb that judges bundles: trust policies and marks, what came with a bundle, and the time.
import { namedPath } from '../io/home.ts'
import type { PolicyContent } from '../model/policy-content.ts'
import { type AnyInput, type Asked, type At, type Input, type World, whether } from '../verb/index.ts'
import { path } from '../verb/kinds/paths.ts'
import { reachBy } from '../verb/kinds/registry.ts'
import { now } from '../verb/kinds/time.ts'
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
import { LOOK_UP_OPTION, TRUST_OPTIONS } from './judging-options.ts'

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

/** Where names of agents are looked up. */
export const lookUpRoot = path(LOOK_UP_OPTION.describe, { placeholder: 'DIR' })

/** How bundles are judged in this call. */
export function judgingBy(asked: Asked<typeof JUDGING>, world: World) {
  const { allowDev, trustPolicy, attestations, state, now } = asked
  const home = asked.home === undefined && state !== undefined ? false : asked.home
  const { access, signal, onProgress } = reachBy(world, home)
  return {
    access,
    signal,
    onProgress,
    allowDev,
    trustPolicy,
    attestations,
    home,
    state,
    now,
    elsewhere: world.elsewhere,
    isForPerson: world.terminal !== undefined,
  } satisfies Partial<JobJudging>
}
