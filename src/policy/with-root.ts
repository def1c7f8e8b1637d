// A trust policy and the files beside it → the same with the trusted root that it names, or unusable: a policy with identities and without authorities
// decides nothing (docs/spec/keyless.md, Y-7).

import { blake3Hex } from '../bundle/blake3.ts'
import { parseJson } from '../json/parse.ts'
import { isTable, own } from '../model/own.ts'
import type { PolicySource } from '../model/trust.ts'
import { hasIdentities } from '../trust-policy/trusted-root.ts'
import { unusablePolicy } from './unusable.ts'

/** @param bytes what is there under the name; undefined: nothing is */
export function withRoot(source: PolicySource, bytes: Uint8Array | undefined): PolicySource {
  const { policy, path, role, digest } = source
  const named = policy?.trustedRoot
  if (policy === undefined || named === undefined || !hasIdentities(policy)) return source
  const unusable = (problem: string) => {
    const line = source.lineOf(['sigstore', 'trusted_root'])
    const where = line === undefined ? path : `${path}:${line}`
    return {
      ...unusablePolicy(path, role, digest, [`${where}: ${problem}`]),
      hint: HINT,
      channel: source.channel,
    }
  }
  if (bytes === undefined) return unusable(`there is no file ${named.file} beside the policy`)
  if (blake3Hex(bytes) !== named.blake3)
    return unusable(`${named.file} has another digest than the policy names`)
  if (!namesAuthorities(bytes))
    return unusable(`${named.file} is no trusted root: it names no certificate authority`)
  return { ...source, root: { blake3: named.blake3, bytes } }
}

/** As far as it can be seen without the libraries, which are loaded where one is needed. */
function namesAuthorities(bytes: Uint8Array): boolean {
  const parsed = parseJson('root', bytes)
  if (!parsed.ok || !isTable(parsed.document.value)) return false
  const authorities = own(parsed.document.value, 'certificateAuthorities')
  return Array.isArray(authorities) && authorities.length > 0
}

/** The name of the file that has to be read for it; undefined where none is. */
export function rootFileOf({ policy }: PolicySource): string | undefined {
  return policy !== undefined && hasIdentities(policy) ? policy.trustedRoot?.file : undefined
}

const HINT =
  'Put the trusted root beside the policy, and its BLAKE3 into [sigstore]; docs/keyless.md shows how'
