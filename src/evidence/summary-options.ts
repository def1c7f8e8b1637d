// The options of `rlp agent verify` that sign: the report of many bundles, or a statement that one is trusted.
import type { OptionTable } from '../cli/option.ts'
import { KEYLESS_OPTIONS } from '../sign/keyless-options.ts'

export const SUMMARY_OPTIONS = {
  key: {
    type: 'string',
    alias: 'k',
    placeholder: 'KEY',
    describe:
      'sign the report in ndjson (docs/fleet.md); without --format, state that one bundle is trusted (docs/evidence.md)',
  },
  ...KEYLESS_OPTIONS,
  keyless: {
    ...KEYLESS_OPTIONS.keyless,
    describe: 'state that one bundle is trusted, signed with an identity in place of a key (docs/keyless.md)',
  },
  attest: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'where that statement goes (default: <bundle>.intoto.jsonl)',
  },
  verifier: { type: 'string', placeholder: 'URI', describe: 'with that statement: who has checked it' },
  resource: {
    type: 'string',
    placeholder: 'URI',
    describe: 'with that statement: what was checked, as others know it',
  },
  time: {
    type: 'string',
    placeholder: 'TIME',
    describe: 'with that statement: when, as 2026-11-20T00:00:00Z; left out, it says no time',
  },
} as const satisfies OptionTable
