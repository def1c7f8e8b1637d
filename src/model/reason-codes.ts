// The codes of reasons, each under the verdict that it gives (docs/verdicts.md#codes). A code that is not here does not compile, and a
// code with another verdict does not either; a test compares the table with the pages, the specification and what produces each.
import type { RuleId } from './finding.ts'
import { frozen } from './frozen.ts'
import type { Verdict } from './verdict.ts'

/** The codes of reasons, by the verdict that they are reasons for (docs/verdicts.md#codes). */
export const REASON_CODES = frozen({
  invalid: [
    'not_canonical',
    'signature_malformed',
    'signature_invalid',
    'statement_malformed',
    'statement_mismatch',
  ],
  indeterminate: [
    'unreadable',
    'timed_out',
    'trust_policy_unusable',
    'trust_channel_stale',
    'trust_channel_damaged',
    'clock_behind',
    'no_trust_policy',
    'state_unusable',
    'lock_unusable',
    'attestations_unreadable',
    'attestations_incomplete',
    'referrers_incomplete',
    'keyless_incomplete',
    'override_unusable',
    // Of a bundle that was not judged: one of many, or one that the gate was asked about.
    'unreachable',
    'listing_incomplete',
    'link_not_followed',
    'too_many_entries',
    'worker_died',
    'internal_error',
    'bad_question',
    'out_of_time',
    'no_bytes',
    'not_recorded',
  ],
  revoked: ['key_revoked', 'bundle_revoked'],
  unsigned: ['no_signature', 'signature_required'],
  untrusted: [
    'no_counted_signature',
    'required_signature_missing',
    'too_few_signatures',
    'expires_too_late',
    'attestation_missing',
    'anchor_ended',
    'unexpected_agent',
    'not_as_locked',
  ],
  expired: ['expired'],
  rolled_back: ['below_floor', 'older', 'other_content'],
  policy_denied: ['beyond_ceiling', 'rule_for_other_agents', 'no_rule'],
} as const satisfies Record<VerdictAgainst, readonly string[]>)

/** A verdict against a bundle. */
export type VerdictAgainst = Exclude<Verdict, 'trusted'>

/** The codes that give a verdict. Rules of lint have their ids for codes. */
export type CodeOf<V extends VerdictAgainst> =
  | (typeof REASON_CODES)[V][number]
  | (V extends 'invalid' | 'indeterminate' ? RuleId : never)

/** Why a trust channel decides nothing. */
export type ChannelCode = Extract<CodeOf<'indeterminate'>, `trust_channel_${string}` | 'clock_behind'>

/** `more` stands for the reasons that a short list leaves out, and decides nothing. */
export type ReasonCode = CodeOf<VerdictAgainst> | 'more'

/** The codes of warnings: they change no verdict (docs/verdicts.md#before-an-end). */
export type WarningCode = 'signature_ends_soon' | 'anchor_ends_soon' | 'policy_ends_soon'
