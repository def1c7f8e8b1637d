// The inputs of every verb that opens an agent for its tools: how its bundle is judged, and which agent it has to be.
import {
  type AnyInput,
  type Asked,
  type InputTable,
  text,
  typedOnly,
  type World,
  whether,
} from '../verb/index.ts'
import { JUDGING, judgingBy, lookUpRoot } from '../verify/judging-inputs.ts'
import type { OpenOptions } from './open-agent.ts'
import { OPEN_OPTIONS } from './options.ts'

export const OPENING = {
  ...JUDGING,
  root: typedOnly(lookUpRoot),
  /** Which agent it has to be; a file called `<name>-<version>.agent.bundle` implies it. */
  expect: text(OPEN_OPTIONS.expect.describe, OPEN_OPTIONS.expect),
  allowUnsigned: whether(OPEN_OPTIONS['allow-unsigned'].describe),
  /** The agent is a folder that an author works in, without verification. */
  unverified: whether(OPEN_OPTIONS.unverified.describe),
} as const satisfies InputTable

/** The same flags, where a program loads the bundle first. */
export const TYPED_OPENING = Object.fromEntries(
  Object.entries(OPENING).map(([name, input]) => [name, typedOnly(input as AnyInput)]),
) as unknown as typeof OPENING

export function openingBy(asked: Asked<typeof OPENING>, world: World): OpenOptions {
  const { root, expect, allowUnsigned, unverified } = asked
  return { ...judgingBy(asked, world), root, expect, allowUnsigned, unverified }
}
