// rlp trust revoke: a key, an identity or a bundle that must never count again.
import { anchorsAt, passphrase } from '../../sign/passphrase-inputs.ts'
import { commandOf, defineVerb, needed, text } from '../../verb/index.ts'
import { labelledFile } from '../../verb/kinds/paths.ts'
import type { PolicyEdited } from '../edit-policy.ts'
import { EDITING, editNamedPolicy } from '../inputs.ts'
import { SHOWN_EDIT } from '../render-edit.ts'
import { revoke } from '../revoke.ts'

/**
 * Lets a key, an identity or a bundle never count again.
 *
 * @param what a key as `key` of {@link sign} names one, the name of a signer (all keys), an identity or its beginning by whole members, `blake3:…` of
 * a manifest, or the path or reference of a bundle
 *
 * @example
 * await trustRevoke('release', { reason: 'laptop lost', since: '2026-11-01' })
 *
 * @throws {@link RlpError} `USAGE`, `NOT_FOUND`, `WRONG_FILE_TYPE` for what is neither a key nor a bundle, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'trust revoke',
  summary: 'let a key, an identity or a bundle never count again',
  arguments: ['what'],
  inputs: {
    what: needed(
      text(
        'ed25519:…, a PEM file, oidc:… or its beginning by whole members, a signer (all keys), blake3:… of a manifest, or a bundle, also a stored one',
        { lists: ['identity', 'reference'] },
      ),
    ),
    /** Why; reports repeat it. */
    reason: text('why; verify repeats it', { placeholder: 'TEXT' }),
    /** When the key was lost, for the record: `YYYY-MM-DD`. Signatures from before do not count either. */
    since: text('when the key was lost, for the record: signatures from before do not count either', {
      placeholder: 'YYYY-MM-DD',
    }),
    fromAudit: labelledFile(
      'revoke each bundle that this audit log has as accepted with a signature of the signer, and not the signer',
    ),
    replacedBy: text('the signer’s new key, for the record', { placeholder: 'KEY' }),
    passphrase,
    ...EDITING,
  },
  run: ({ what, reason, since, replacedBy, fromAudit, passphrase, ...editing }, world) => {
    const request = { what, reason, since, replacedBy, fromAudit }
    return editNamedPolicy(editing, world, opened => revoke(request, opened, anchorsAt(passphrase)))
  },
  answer: ({ answer }): PolicyEdited => answer,
})

export const command = commandOf(verb, {
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
  ...SHOWN_EDIT,
})
