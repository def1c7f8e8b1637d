// rlp trust revoke: a key, an identity or a bundle that must never count again.

import { defineCommand } from '../cli/command.ts'
import { namedPath } from '../io/home.ts'
import { anchorsBy } from '../sign/ask-key.ts'
import { EDIT_OPTIONS, runPolicyEdit } from './ask-edit.ts'
import { revoke } from './revoke.ts'

export const command = defineCommand({
  name: 'trust revoke',
  summary: 'let a key, an identity or a bundle never count again',
  positionals: [
    {
      name: 'what',
      required: true,
      lists: ['signer', 'identity', 'reference'],
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
    const { what, reason, since, replacedBy, fromAudit } = args
    const request = {
      what,
      reason,
      since,
      replacedBy,
      fromAudit:
        fromAudit === undefined ? undefined : { path: namedPath(fromAudit, io.cwd), label: fromAudit },
    }
    return runPolicyEdit('revoke', args, io, editing => revoke(request, editing, anchorsBy(io)))
  },
})
