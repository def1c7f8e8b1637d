// A trust policy that is asked and not used: a path, or what a program hands in.
import { namedPath } from '../io/home.ts'
import type { PolicySource } from '../model/trust.ts'
import type { At, Facts, Input } from '../verb/index.ts'
import { policyInput, type TrustPolicyGiven } from '../verify/input.ts'
import { policyHandedIn } from './policy-file.ts'

/** A policy, and what the caller calls it. */
export interface AskedPolicy {
  /** An absolute path, or what was read already. */
  readonly source: string | PolicySource
  readonly label: string
}

export function askedPolicy(
  describe: string,
  facts: Facts<'string'> = {},
): Input<TrustPolicyGiven, AskedPolicy | undefined> {
  return {
    type: 'TrustPolicyGiven',
    typed: { placeholder: 'FILE', ...facts, type: 'string', describe },
    fromTyped: (typed: string, { world }: At) => ({ source: namedPath(typed, world.cwd), label: typed }),
    fromGiven: async (given, { world }) => {
      const source = await policyHandedIn(policyInput(given, world.cwd))
      return { source, label: typeof source === 'string' ? String(given) : source.path }
    },
  }
}
