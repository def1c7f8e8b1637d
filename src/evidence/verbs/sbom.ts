// rlp agent sbom: what is in bundles, as CycloneDX bills of materials.
import { type Outcome, onlyOne } from '../../cli/each.ts'
import { findBundles } from '../../io/find/find-bundles.ts'
import { findInstalled } from '../../io/root/find-installed.ts'
import { rootsFor } from '../../io/root/roots.ts'
import { PREDICATES } from '../../statement/predicates/index.ts'
import { commandOf, defineVerb, needed, typedOnly } from '../../verb/index.ts'
import { eachNamed, searching, targetsOf } from '../../verb/kinds/bundles.ts'
import { lookUpRoot } from '../../verify/judging-inputs.ts'
import { NotVerifiedError } from '../../verify/make-report.ts'
import { judgedRefusal } from '../../verify/render.ts'
import { bomText, LISTING, type StatedBom, stateBom } from '../bom.ts'
import { STATED_BUNDLES, STATING, signingBy, statingBy } from '../inputs.ts'
import { shownStated, stateEach } from '../render-stated.ts'

/**
 * Lists what is in a sound bundle: files, wasm imports, programs, hosts, secrets by name, capabilities. Whether its signers are trusted is
 * not asked: the bill says which verdict it has.
 *
 * @example
 * const { bom } = await sbom('dist/mailer-0.1.0.agent.bundle')
 * console.log(JSON.stringify(bom))
 *
 * @throws {@link NotVerifiedError} when it is not sound, not the agent that is expected, or not as `lock` pins it; then there is no bill
 * @throws {@link RlpError} `NOT_FOUND`, `NO_PERMISSION`, `IO` as reading is; `LIMIT_EXCEEDED` where the file of attestations would be too
 * large; as `sign` for the key; `USAGE`; `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent sbom',
  summary: 'the bill of materials of a sound bundle, in CycloneDX',
  called: 'sbom',
  arguments: ['bundle'],
  inputs: {
    bundle: needed(
      eachNamed(
        {
          ...STATED_BUNDLES,
          names: 'installed',
          describe: 'bundles, folders of bundles, names of installed agents, or references to stored bundles',
        },
        LISTING,
      ),
    ),
    ...STATING,
    root: typedOnly(lookUpRoot),
  },
  isLong: true,
  async run({ bundle, root, ...asked }, world): Promise<Outcome<StatedBom>> {
    const { isSigned, sign } = signingBy(asked, world)
    const judging = { ...statingBy(asked, world), root }
    const targets = await targetsOf(bundle, async typed => {
      const roots = await rootsFor(root, world.cwd)
      const byName = (reference: Parameters<typeof findInstalled>[0]) => findInstalled(reference, roots)
      return findBundles(typed, { ...searching(world), byName })
    })
    return stateEach(targets, LISTING, isSigned, target => stateBom(target, judging, asked, sign))
  },
  answer: (outcome: Outcome<StatedBom>): StatedBom => onlyOne(outcome),
})

export const command = commandOf(verb, {
  examples: [
    ['rlp agent sbom dist/mailer-0.1.0.agent.bundle > mailer.cdx.json', 'a bill of materials'],
    ['rlp agent sbom dist --key ci', 'of each bundle, signed, beside it'],
  ],
  notes:
    'The bill is CycloneDX 1.7: files with both digests, what a wasm module imports, programs and hosts that tools use, secrets by name, capabilities. It is made of bytes that were verified. The bundle has to be sound; the bill says which verdict it has here, and no trust policy is asked. The same bundle and verdict give the same bytes.',
  ...shownStated<StatedBom>('agent.sbom', PREDICATES.bom.word, ({ bom }) => bomText(bom)),
  // With the checks of a single one, and the exit code of its verdict.
  refused: (error, { io }) =>
    error instanceof NotVerifiedError
      ? judgedRefusal(error.report, { doing: LISTING, reason: error.reason }, io)
      : undefined,
})
