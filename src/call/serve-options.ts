// The options of `rlp tool serve`, and what of them does not go together.
import type { CommandArgs } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { REGISTRY_OPTIONS } from '../cli/registry-access.ts'
import { plural } from '../format/text/counts.ts'
import { isSource } from '../inspect/look-into.ts'
import type { Target } from '../io/find/find-agents.ts'
import { UsageError } from '../model/usage-error.ts'
import { LOOK_UP_OPTION, TRUST_OPTIONS } from '../verify/judging-options.ts'
import { CALL_OPTIONS, TRUST_CLIENT } from './options.ts'

export const SERVE_OPTIONS = {
  prefix: { type: 'boolean', describe: 'put the agent’s name before each tool’s: mailer.mail.send' },
  'trust-client-confirmation': TRUST_CLIENT,
  expect: {
    type: 'strings',
    placeholder: 'NAME[@VARIANT][@RANGE]',
    describe:
      'which agent each bundle has to be, in their order; a name and most files and references imply it',
  },
  'allow-unsigned': { type: 'boolean', describe: 'use a sound bundle without signature' },
  unverified: {
    type: 'boolean',
    describe: 'serve folders that you work in, given as paths, without verification',
  },
  ...CALL_OPTIONS,
  ...TRUST_OPTIONS,
  ...REGISTRY_OPTIONS,
  root: LOOK_UP_OPTION,
} as const satisfies OptionTable

export const SERVED = [
  {
    name: 'bundle',
    required: true,
    names: 'installed',
    many: true,
    describe:
      'bundles, unpacked bundles, or names of installed agents; with --unverified folders that you work in',
  },
] as const

export type ServeArgs = CommandArgs<typeof SERVE_OPTIONS, typeof SERVED>

export function refuseOther({ bundle, expect, allowUnsigned, unverified }: ServeArgs): void {
  if (unverified && (allowUnsigned || expect.length > 0)) {
    const other = allowUnsigned ? '--allow-unsigned' : '--expect'
    throw new UsageError(`Cannot use ${other} with --unverified: nothing of a folder is verified`, {
      field: other.slice(2),
      hint: 'Leave one of them out',
    })
  }
  if (expect.length === 0 || expect.length === bundle.length) return
  throw new UsageError(
    `Cannot serve ${plural(bundle.length, 'bundle')} with ${expect.length} × --expect: each needs its own`,
    { field: 'expect', hint: 'Give --expect once for each bundle, in their order' },
  )
}

export function refuseSource(target: Target): void {
  if (!isSource(target)) return
  throw new UsageError(`Cannot serve "${target.label}": it is a source folder, which cannot be verified`, {
    field: 'bundle',
    hint: 'Pack it with rlp agent pack and sign it. To try out a folder that you work in, add --unverified',
  })
}
