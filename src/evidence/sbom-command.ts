// rlp agent sbom: what is in bundles, as CycloneDX bills of materials.
import { defineCommand } from '../cli/command.ts'
import { leavingOut } from '../cli/render/passed-over.ts'
import { findBundles } from '../io/find/find-bundles.ts'
import { findInstalled } from '../io/root/find-installed.ts'
import { rootsFor } from '../io/root/roots.ts'
import { judgingOf, locksOf } from '../verify/judging-options.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { refuseJudged } from '../verify/render.ts'
import { bomText, LISTING, stateBom } from './bom.ts'
import { ATTEST_OPTIONS, JUDGING_OPTIONS, refuseHalf, STATED_BUNDLES } from './options.ts'
import { stateEach } from './render-stated.ts'

export const command = defineCommand({
  name: 'agent sbom',
  summary: 'the bill of materials of a sound bundle, in CycloneDX',
  positionals: [
    {
      ...STATED_BUNDLES,
      names: 'installed',
      describe: 'bundles, folders of bundles, names of installed agents, or references to stored bundles',
    },
  ],
  options: { ...ATTEST_OPTIONS, ...JUDGING_OPTIONS },
  examples: [
    ['rlp agent sbom dist/mailer-0.1.0.agent.bundle > mailer.cdx.json', 'a bill of materials'],
    ['rlp agent sbom dist --key ci', 'of each bundle, signed, beside it'],
  ],
  notes:
    'The bill is CycloneDX 1.7: files with both digests, what a wasm module imports, programs and hosts that tools use, secrets by name, capabilities. It is made of bytes that were verified. The bundle has to be sound; the bill says which verdict it has here, and no trust policy is asked. The same bundle and verdict give the same bytes.',
  async run(args, io) {
    refuseHalf(args)
    const tool = 'agent.sbom'
    const roots = await rootsFor(args.root, io.cwd)
    const targets = await findBundles(args.bundle, {
      ...leavingOut(io, args),
      byName: reference => findInstalled(reference, roots),
    })
    const options = {
      expect: args.expect,
      locks: await locksOf(args, io),
      unsigned: args.keyless,
      ...judgingOf(args, io),
    }
    try {
      return await stateEach(
        targets,
        {
          tool,
          doing: LISTING,
          name: 'bom',
          state: (target, sign) => stateBom(target, options, { time: args.time }, sign),
          text: one => bomText(one.bom),
        },
        args,
        io,
      )
    } catch (error) {
      // With the checks of a single one, and the exit code of its verdict.
      if (error instanceof NotVerifiedError)
        return refuseJudged(error.report, { doing: LISTING, tool, reason: error.reason }, args, io)
      throw error
    }
  },
})
