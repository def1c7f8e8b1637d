// A trust policy, as a file or handed in → what it says, with the trusted root that is beside the file.
import { dirname, join } from 'node:path'
import { isUint8Array } from 'node:util/types'
import { nearLabel } from '../io/home.ts'
import { readOwn } from '../io/owner/read-own.ts'
import { Ways } from '../io/owner/ways.ts'
import type { PolicyContent } from '../model/policy-content.ts'
import type { PolicySource } from '../model/trust.ts'
import { policyOfTable, readPolicyOnDemand, rootFileOf, withRoot } from '../trust-policy/source.ts'
import { unusablePolicy } from '../trust-policy/unusable.ts'

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
  const ways = new Ways()
  const bytes = await readOwn(path, ways)
  return bytes && policyOfBytes(path, label, role, bytes, ways)
}

/** The same of one whose file was read. @throws RlpError as reading an own file fails */
export async function policyOfBytes(
  path: string,
  label: string,
  role: PolicySource['role'],
  bytes: Uint8Array,
  ways: Ways,
): Promise<PolicySource> {
  return withRootBeside(await readPolicyOnDemand(label, role, bytes), path, ways)
}

/** @param path of the policy */
export async function withRootBeside(source: PolicySource, path: string, ways: Ways): Promise<PolicySource> {
  const root = rootFileOf(source)
  return root === undefined ? source : withRoot(source, await readOwn(join(dirname(path), root), ways))
}

const LABEL = '<trust policy>'
/** One that was handed in may be asked many times. */
const HANDED_IN = new WeakMap<PolicyContent, PolicySource>()

/** A path stays one. */
export async function policyHandedIn(given: string | PolicyContent): Promise<string | PolicySource> {
  return typeof given === 'string' ? given : policyOfContent(given)
}

/** Without a folder there is no trusted root beside it, so that one with identities decides nothing. */
export async function policyOfContent(handed: PolicyContent): Promise<PolicySource> {
  const known = HANDED_IN.get(handed)
  if (known !== undefined) return known
  const { content } = handed
  const source = isUint8Array(content)
    ? await readPolicyOnDemand(LABEL, 'given', content)
    : policyOfTable(LABEL, content)
  const found = withRoot(source, undefined)
  const policy =
    found.problems.length === source.problems.length
      ? found
      : { ...found, hint: 'Name the path of a policy: its trusted root is read beside it' }
  HANDED_IN.set(handed, policy)
  return policy
}
