// rlp trust revoke: a key or a bundle that must never count again.

import { resolve } from 'node:path'
import { defineCommand, type Io } from '../cli/command.ts'
import { REGISTRY_OPTIONS } from '../cli/registry-access.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { isMeantAsAnchor } from '../format/signature/kinds/index.ts'
import { isDay, revokedName } from '../format/trust/revoked.ts'
import { expandHome } from '../io/home.ts'
import { absolute } from '../io/layout-folder.ts'
import { entryAt } from '../io/read/entry.ts'
import { standingAt } from '../io/read/inspect-file.ts'
import { realPath } from '../io/read/real-path.ts'
import { accessFrom } from '../io/setting.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import type { Document } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import { UsageError } from '../model/usage-error.ts'
import { anchorOf } from '../sign/ask-public-key.ts'
import { readCandidate } from '../verify/read-source.ts'
import { carryOut, EDIT_OPTIONS, openEdit } from './ask-edit.ts'
import { keysOfAnchor } from './edit.ts'

export const command = defineCommand({
  name: 'trust revoke',
  summary: 'let a key or a bundle never count again',
  positionals: [
    {
      name: 'what',
      required: true,
      describe:
        'ed25519:…, a PEM file, a signer (all keys), blake3:… of a manifest, or a bundle, also a stored one',
    },
  ],
  options: {
    reason: { type: 'string', placeholder: 'TEXT', describe: 'why; verify repeats it' },
    since: {
      type: 'string',
      placeholder: 'YYYY-MM-DD',
      describe: 'when the key was lost, for the record: signatures from before do not count either',
    },
    'replaced-by': { type: 'string', placeholder: 'KEY', describe: 'the signer’s new key, for the record' },
    ...REGISTRY_OPTIONS,
    ...EDIT_OPTIONS,
  },
  examples: [
    ['rlp trust revoke release --reason "laptop lost" --since 2026-11-01', 'all keys of a signer'],
    ['rlp trust revoke mailer-0.3.1.agent.bundle --reason "leaks a token"', 'one bundle, and no other'],
    ['rlp trust revoke ed25519:… --dry-run', 'what would no longer be trusted'],
  ],
  notes:
    'The signer stays in the policy, so that verify can say revoked, and why. Only an edit of the file takes a revocation back. Naming the new key does not trust it: rlp trust add --further-key does.',
  async run(args, io) {
    const { reason, since, replacedBy } = args
    if (since !== undefined && !isDay(since)) {
      throw new UsageError(`Cannot revoke since "${since}": it is not a day`, {
        field: 'since',
        hint: 'Write for example 2026-11-01',
      })
    }
    const edit = await openEdit('trust.revoke', args, io)
    const what = await meant(args.what, edit.document, io)
    const isBundle = what.some(one => one.startsWith('blake3:'))
    if (isBundle && replacedBy !== undefined)
      throw new UsageError('Cannot use --replaced-by with a bundle: only keys are replaced', {
        field: 'replaced-by',
      })
    const next = replacedBy === undefined ? undefined : await anchorOf(replacedBy, io)
    const change = {
      do: 'revoke' as const,
      what,
      ...(reason !== undefined && { reason }),
      ...(since !== undefined && { since }),
      ...(next !== undefined && { replacedBy: next }),
    }
    return carryOut({ ...edit, change }, args, io)
  },
})

/** Anchor strings, or the digest of one bundle. */
async function meant(what: string, document: Document, io: Io): Promise<readonly string[]> {
  if (what.startsWith('blake3:') || isMeantAsAnchor(what)) {
    const name = revokedName(what)
    if (name !== undefined) return [name]
    throw new UsageError(`Cannot revoke "${what}": it is neither a key nor the digest of a manifest`, {
      hint: 'Write ed25519: and base64, or blake3: and 64 hex digits',
    })
  }
  const keys = keysOfAnchor(document, what)
  if (keys !== undefined) return keys
  if (isOciReference(what)) return [`blake3:${await manifestDigest(absolute(what, io.cwd), what, io)}`]
  const path = await realPath(resolve(io.cwd, expandHome(what)))
  const entry = entryAt(path)
  const standing = entry?.isDirectory() ? 'folder' : await standingAt(path)
  if (standing === 'folder' || standing === 'signed-bundle' || standing === 'unsigned-bundle')
    return [`blake3:${await manifestDigest(path, what, io)}`]
  return [await anchorOf(what, io)]
}

async function manifestDigest(path: string, label: string, io: Io): Promise<string> {
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
