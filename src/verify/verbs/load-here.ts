// The function loadBundle, without registries, for the entry rlp-bundle/verify.
import { part } from '../../model/part.ts'
import { defineVerb } from '../../verb/index.ts'
import { EXAMINED, examined, readNoReference } from '../examining-inputs.ts'
import type { LoadedBundle } from '../load.ts'

const loadPart = part(() => import('../load.ts'))

/**
 * Verifies a bundle and hands out what it holds, from the very bytes that were verified.
 *
 * @example
 * const bundle = await loadBundle('dist/mailer-0.1.0.agent.bundle', { expect: 'mailer', allowUnsigned: true })
 * const wasm = bundle.bytes('bin/mailer.wasm')
 *
 * @throws {@link NotVerifiedError} when the verdict is not `trusted` (or `unsigned` with `allowUnsigned`); it carries the report
 * @throws {@link RlpError} `NOT_FOUND`, `NO_PERMISSION` or `IO` when the bundle cannot be read; `USAGE` and `CANCELLED` as
 * {@link verifyBundle}
 */
export const verb = defineVerb({
  name: 'agent load',
  summary: 'verify a bundle and load it',
  called: 'loadBundle',
  parameters: ['source'],
  inputs: EXAMINED,
  isLong: true,
  async run(asked, world): Promise<LoadedBundle> {
    const { examination, judging } = await examined(readNoReference, asked, world, 'all')
    const { loadExamined } = await loadPart()
    return loadExamined(examination, judging)
  },
})
