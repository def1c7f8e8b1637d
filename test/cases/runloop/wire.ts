// Cases of what Runloop sends and reads beside bundles: content types, frames, openings.
import assert from 'node:assert/strict'
import { FRAMES } from '../../../src/model/trace.ts'
import { writeOpening } from '../../../src/scaffold/scaffold.ts'
import { type Checks, check, skip } from '../case.ts'

const NO_FRAMES =
  'rlp sends and reads no RMP frames: a trace is NDJSON, and nothing in a bundle, its tools or its trace is framed'

export const wire: Checks = {
  contentType: check<keyof typeof FRAMES, { schemaId: number; type: string }>(
    (name, { schemaId, type }) => assert.deepEqual(FRAMES[name], { contentType: schemaId, type }),
    name =>
      Object.hasOwn(FRAMES, name)
        ? undefined
        : 'a confirmation is asked for on this side of the wire: no decision is ever sent or read',
  ),
  rmpFrame: skip(NO_FRAMES),
  rmpError: skip(NO_FRAMES),

  // Openings are written and never read: what is written is what their reader accepts.
  opening: check<Readonly<Record<string, unknown>>, string>(
    ({ version }, expected) => {
      assert.equal(expected, `unsupported DSL version ${version}; expected 0`)
      const written = writeOpening({ agent: 'mailer', goal: 'Send it', param: 'prompt' })
      assert.match(written, /^version: 0\n/)
      // The cases that are left out are about nodes that switch confirmation off; ours say nothing of it, and the policy asks for it.
      assert.match(written, /^ {2}confirm_external: true$/m)
      assert.doesNotMatch(written, /require_human_confirm/)
    },
    opening => (Object.hasOwn(opening, 'use') ? 'no opening is read here' : undefined),
  ),
}
