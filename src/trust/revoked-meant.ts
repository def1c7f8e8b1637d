// What a person names to be revoked → keys, an identity, or the digest of one bundle.

import { standingAt } from '../io/bundle/read-bundle.ts'
import { namedPath } from '../io/home.ts'
import { absolute } from '../io/layout-folder.ts'
import { entryAt } from '../io/read/entry.ts'
import { realPath } from '../io/read/real-path.ts'
import { accessFrom, type Setting } from '../io/setting.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import type { Document } from '../model/document.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import type { AnchorOf } from '../sign/keys.ts'
import { isMeantAsAnchor } from '../signature/kinds/index.ts'
import { isMeantAsIdentity } from '../trust-policy/identity-string.ts'
import { revokedName } from '../trust-policy/revoked.ts'
import { readCandidate } from '../verify/read-source.ts'
import { bundleIdentity } from '../version/reference.ts'
import { anchorsInDocument, signersOfAnchor } from './edit.ts'
import { refuseSkipped } from './revoked-anchors.ts'

/** Anchor strings, that of an identity or its beginning, or the digest of one bundle. */
export async function revokedMeant(
  what: string,
  document: Document,
  anchorOf: AnchorOf,
  io: Setting,
): Promise<readonly string[]> {
  if (isMeantAsIdentity(what)) {
    refuseSkipped(what, anchorsInDocument(document))
    return [what]
  }
  if (what.startsWith('blake3:') || isMeantAsAnchor(what)) {
    const name = revokedName(what)
    if (name !== undefined) return [name]
    throw new UsageError(`Cannot revoke "${what}": it is neither a key nor the digest of a manifest`, {
      hint: 'Write ed25519: and base64, or blake3: and 64 hex digits',
    })
  }
  const signers = signersOfAnchor(document, what)
  if (signers !== undefined) return signers
  if (isOciReference(what)) return [bundleIdentity(await manifestDigest(absolute(what, io.cwd), what, io))]
  const path = await realPath(namedPath(what, io.cwd))
  const entry = entryAt(path)
  const standing = entry?.isDirectory() ? 'folder' : await standingAt(path)
  if (standing === 'folder' || standing === 'signed-bundle' || standing === 'unsigned-bundle')
    return [bundleIdentity(await manifestDigest(path, what, io))]
  return [await anchorOf(what)]
}

async function manifestDigest(path: string, label: string, io: Setting): Promise<string> {
  const reading = { signal: io.signal, label, access: accessFrom(io) }
  const { candidate } = await readCandidate(path, reading, 'parsed')
  const { files, refusal } = candidate
  if (isOciReference(path) && refusal?.error !== undefined) throw refusal.error
  const digest = files.get(MANIFEST_FILE)?.digest
  if (refusal === undefined && digest !== undefined) return digest
  throw new RlpError(
    'WRONG_FILE_TYPE',
    `Cannot revoke "${label}": ${refusal?.message ?? 'it has no manifest.toml'}`,
    {
      hint: 'It is no bundle that verifies, so it needs no revocation',
    },
  )
}
