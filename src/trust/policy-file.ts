// The path of a trust policy → the policy, with the trusted root that is beside it.
import { dirname, join } from 'node:path'
import { readPolicySource, unusablePolicy } from '../format/policy/source.ts'
import { rootFileOf, withRoot } from '../format/policy/with-root.ts'
import { nearLabel } from '../io/home.ts'
import { readOwn } from '../io/owner/read-own.ts'
import type { PolicySource } from '../model/trust.ts'

/** One that is looked at and not in use here. */
export async function policyInFile(path: string): Promise<PolicySource> {
  const label = nearLabel(path)
  return (
    (await policyAt(path, label, 'given')) ??
    unusablePolicy(label, 'given', undefined, [`${label}: no such file`])
  )
}

/** Undefined if there is none. @throws RlpError as reading an own file fails */
export async function policyAt(
  path: string,
  label: string,
  role: PolicySource['role'],
): Promise<PolicySource | undefined> {
  const bytes = await readOwn(path)
  return bytes && withRootBeside(readPolicySource(label, role, bytes), path)
}

/** @param path of the policy */
export async function withRootBeside(source: PolicySource, path: string): Promise<PolicySource> {
  const root = rootFileOf(source)
  return root === undefined ? source : withRoot(source, await readOwn(join(dirname(path), root)))
}
