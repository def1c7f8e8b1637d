// A statement that was signed, and a bundle → whether it is about this one, by both digests of its manifest and by its name.
import { hash } from 'node:crypto'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { Statement } from '../signature/envelope.ts'

/** Why a statement is not about this bundle; undefined if it is. */
export function otherSubject(statement: Statement, agent: Agent): string | undefined {
  const manifest = agent.files.get(MANIFEST_FILE)
  if (manifest?.bytes === undefined) return 'there is no manifest.toml for it'
  if (statement.blake3 !== manifest.digest) return 'it is about another manifest.toml (BLAKE3)'
  const sha256 = hash('sha256', manifest.bytes, 'hex')
  if (statement.sha256 !== sha256) return 'it is about another manifest.toml (SHA-256)'
  const { name, version, variant } = statement.agent
  const is = agent.manifest
  if (is === undefined) return undefined // The manifest step has reported it.
  const isSame = is.name === name && is.version === version && is.variant === variant
  return isSame ? undefined : 'it names another agent than the manifest'
}
