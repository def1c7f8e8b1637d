// rlp trust revoke: a key, an identity or a bundle that must never count again.

import { resolve } from 'node:path'
import { defineCommand, type GlobalArgs, type Io } from '../cli/command.ts'
import { REGISTRY_OPTIONS } from '../cli/registry-access.ts'
import { note } from '../cli/render/report.ts'
import { plural } from '../format/text/counts.ts'
import { isDay } from '../format/trust/revoked.ts'
import { expandHome } from '../io/home.ts'
import { RlpError } from '../model/error.ts'
import { UsageError } from '../model/usage-error.ts'
import { anchorOf } from '../sign/ask-public-key.ts'
import { carryOut, EDIT_OPTIONS, openEdit } from './ask-edit.ts'
import { revokedMeant } from './ask-revoked.ts'
import { type Audited, auditedBundles } from './audited-bundles.ts'

export const command = defineCommand({
  name: 'trust revoke',
  summary: 'let a key, an identity or a bundle never count again',
  positionals: [
    {
      name: 'what',
      required: true,
      describe:
        'ed25519:…, a PEM file, oidc:… or its beginning by whole members, a signer (all keys), blake3:… of a manifest, or a bundle, also a stored one',
    },
  ],
  options: {
    reason: { type: 'string', placeholder: 'TEXT', describe: 'why; verify repeats it' },
    since: {
      type: 'string',
      placeholder: 'YYYY-MM-DD',
      describe: 'when the key was lost, for the record: signatures from before do not count either',
    },
    'from-audit': {
      type: 'string',
      placeholder: 'FILE',
      describe:
        'revoke each bundle that this audit log has as accepted with a signature of the signer, and not the signer',
    },
    'replaced-by': { type: 'string', placeholder: 'KEY', describe: 'the signer’s new key, for the record' },
    ...REGISTRY_OPTIONS,
    ...EDIT_OPTIONS,
  },
  examples: [
    ['rlp trust revoke release --reason "laptop lost" --since 2026-11-01', 'all keys of a signer'],
    ['rlp trust revoke mailer-0.3.1.agent.bundle --reason "leaks a token"', 'one bundle, and no other'],
    ['rlp trust revoke ed25519:… --dry-run', 'what would no longer be trusted'],
    [
      "rlp trust revoke 'oidc:https://token.actions.githubusercontent.com?repository_id=123456789'",
      'every identity of one repository',
    ],
    [
      'rlp trust revoke vendor --from-audit /var/log/rlp/audit.ndjson --dry-run',
      'what a signer outside had brought in, for example at the border',
    ],
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
    const named = await revokedMeant(args.what, edit.document, io)
    const found = args.fromAudit === undefined ? undefined : await broughtIn(named, args.fromAudit, args, io)
    const what = found?.bundles.map(({ identity }) => identity) ?? named
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
    const said = found?.bundles.map(({ agent, identity }) => `${agent}, ${identity}`)
    return carryOut({ ...edit, change, ...(said && { said }) }, args, io)
  },
})

/** What a signer had brought in, by an audit log. @throws UsageError; RlpError NOT_FOUND where nothing was accepted with his signature */
async function broughtIn(
  signers: readonly string[],
  named: string,
  args: GlobalArgs & { readonly what: string; readonly since: string | undefined },
  io: Io,
): Promise<Audited> {
  if (signers.some(one => one.startsWith('blake3:')))
    throw new UsageError(`Cannot revoke "${args.what}" with --from-audit: it is no signer`, {
      ...{ field: 'what', hint: 'Name a signer of the policy, a key or an identity' },
    })
  if (args.since !== undefined)
    throw new UsageError('Cannot use --since with --from-audit: it is about a key', {
      ...{ field: 'since', hint: 'Revoke the key by itself, with --since' },
    })
  const found = await auditedBundles(
    { path: resolve(io.cwd, expandHome(named)), label: named },
    signers,
    io.signal,
  )
  const { bundles, unread } = found
  if (unread > 0)
    note(io, args, `${plural(unread, 'line')} of ${named} could not be read, and may be about more`)
  if (bundles.length > 0) return found
  throw new RlpError(
    'NOT_FOUND',
    `Cannot revoke from "${named}": no bundle was accepted with a signature of ${args.what}`,
    {
      hint: 'Name the log of the host where they were accepted; rotated logs are files of their own',
    },
  )
}
