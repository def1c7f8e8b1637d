// Signers are counted, never names: the keys of one anchor are one signer, and so are all identities of one repository, person or subject
// (docs/spec/judging.md, J-12).
import type { Anchor, Group } from '../model/anchor.ts'

/** Equal for anchors that are one signer. */
function signerOf({ name, identity }: Anchor): string {
  if (identity === undefined) return name
  const { issuer, repository_id, email, subject } = identity
  return JSON.stringify([issuer, repository_id, email, subject])
}

/** How many different signers there are. */
export function countSigners(anchors: readonly Anchor[]): number {
  return new Set(anchors.map(signerOf)).size
}

/** Whether enough different signers of a group are among these anchors. */
export function isMet({ of, atLeast }: Group, among: ReadonlyMap<string, Anchor>): boolean {
  return countSigners(of.flatMap(name => among.get(name) ?? [])) >= atLeast
}
