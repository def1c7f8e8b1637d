// rlp agent provenance: who built a bundle, and from what, as SLSA provenance.
import { defineCommand } from '../cli/command.ts'
import { leavingOut } from '../cli/render/passed-over.ts'
import { findBundles } from '../io/find/find-bundles.ts'
import { LOCK_OPTIONS, locksOf } from '../verify/judging-options.ts'
import { shownJson } from './bom.ts'
import { ATTEST_OPTIONS, BUILD_OPTIONS, refuseHalf, STATED_BUNDLES } from './options.ts'
import { buildFacts, stateProvenance } from './provenance.ts'
import { stateEach } from './render-stated.ts'

export const command = defineCommand({
  name: 'agent provenance',
  summary: 'state who built a bundle, and from what, in SLSA provenance',
  positionals: [STATED_BUNDLES],
  options: { ...BUILD_OPTIONS, ...ATTEST_OPTIONS, ...LOCK_OPTIONS },
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
  async run(args, io) {
    refuseHalf(args)
    const facts = await buildFacts(args, io.env, args.time)
    const locks = await locksOf(args, io)
    const targets = await findBundles(args.bundle, leavingOut(io, args))
    return stateEach(
      targets,
      {
        tool: 'agent.provenance',
        doing: 'state the provenance of',
        name: 'provenance',
        state: (target, sign) => stateProvenance(target, facts, { locks, unsigned: args.keyless }, sign, io),
        text: one => shownJson(one.provenance),
      },
      args,
      io,
    )
  },
})
