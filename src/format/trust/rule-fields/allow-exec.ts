// allow_exec: whether a signer may grant programs (docs/spec/trust-policy.md, K-22).
import type { GrantField } from './field.ts'

export const allowExec = {
  decides: 'what',
  key: 'allow_exec',
  none: false,
  read: (reader, value, at) => reader.flag(value, at),
  literal: String,
  typed: given => (given === true ? true : undefined),
  grown: (old, more) => old || more,
  isWide: value => value,
  flag: 'allow-exec',
  option: { type: 'boolean', describe: 'programs on the host' },
  shown: value => (value ? 'any program' : ''),
  allows: value => grant => grant.family !== 'exec' || value,
  askedBy: grants => grants.some(({ family }) => family === 'exec'),
  unsaid: ({ exec }) =>
    Array.isArray(exec) && exec.length > 0
      ? [
          `Wider than the bundle: it asks for ${exec.join(', ')}. A rule knows all programs or none, so it allows every program (allow_exec = true)`,
        ]
      : [],
} as const satisfies GrantField<boolean>
