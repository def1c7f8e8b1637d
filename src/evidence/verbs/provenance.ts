// rlp agent provenance: who built a bundle, and from what, as SLSA provenance.
import { type Outcome, onlyOne } from '../../cli/each.ts'
import { findBundles } from '../../io/find/find-bundles.ts'
import { PREDICATES } from '../../statement/predicates/index.ts'
import { commandOf, defineVerb, needed } from '../../verb/index.ts'
import { eachNamed, searching, targetsOf } from '../../verb/kinds/bundles.ts'
import { pins } from '../../verify/pin-inputs.ts'
import { shownJson } from '../bom.ts'
import { BUILD, STATED_BUNDLES, STATEMENT_SIGNING, signingBy } from '../inputs.ts'
import { buildFacts, type StatedProvenance, stateProvenance } from '../provenance.ts'
import { shownStated, stateEach } from '../render-stated.ts'

const DOING = 'state the provenance of'

/**
 * States who built a bundle, and from what: by the options, and by what a pipeline says in its environment.
 *
 * @example
 * const stated = await provenance('dist/mailer-0.1.0.agent.bundle', { builder: 'https://ci.example/1' })
 * console.log(stated.provenance)
 *
 * @throws {@link RlpError} `USAGE` without a builder and for what is no URI; `NOT_VERIFIED` for a bundle that is not sound, or not as `lock`
 * pins it; `LOCK_UNUSABLE`; `NOT_FOUND`, `NO_PERMISSION`, `IO` as reading is; as `sign` for the key; `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent provenance',
  summary: 'state who built a bundle, and from what, in SLSA provenance',
  called: 'provenance',
  arguments: ['bundle'],
  inputs: { bundle: needed(eachNamed(STATED_BUNDLES, DOING)), ...BUILD, ...STATEMENT_SIGNING, lock: pins },
  isLong: true,
  async run({ bundle, lock, ...asked }, world): Promise<Outcome<StatedProvenance>> {
    const { isSigned, sign } = signingBy(asked, world)
    const facts = await buildFacts(asked, world.env, asked.time)
    const targets = await targetsOf(bundle, typed => findBundles(typed, searching(world)))
    const how = { locks: lock, unsigned: asked.keyless !== undefined }
    return stateEach(targets, DOING, isSigned, target => stateProvenance(target, facts, how, sign, world))
  },
  answer: (outcome: Outcome<StatedProvenance>): StatedProvenance => onlyOne(outcome),
})

export const command = commandOf(verb, {
  examples: [
    [
      'rlp agent provenance dist/mailer-0.1.0.agent.bundle --builder https://ci.example/builders/1',
      'printed, from a machine of your own',
    ],
    [
      'rlp agent provenance dist/mailer-0.1.0.agent.bundle --builder https://ci.example/builders/1 --key ci',
      'signed, beside the bundle; in GitHub Actions and GitLab CI --builder is known',
    ],
    ['rlp agent provenance dist --keyless --yes', 'of each bundle, with the identity of a pipeline'],
  ],
  notes:
    'In GitHub Actions and GitLab CI, builder, source, commit, ref, job and run come from the environment. What is not known is left out. The statement also names each packed file and rlp itself by digest. The bundle has to be sound; whether its signers are trusted is not asked.',
  ...shownStated<StatedProvenance>('agent.provenance', PREDICATES.provenance.word, one =>
    shownJson(one.provenance),
  ),
})
