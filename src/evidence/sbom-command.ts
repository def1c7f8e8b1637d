// rlp agent sbom: what is in a bundle, as a CycloneDX bill of materials.
import { defineCommand } from '../cli/command.ts'
import { refuseJudged } from '../verify/render-refusal.ts'
import { bomOf, bomText } from './bom.ts'
import {
  ATTEST_OPTIONS,
  attestAs,
  JUDGING_OPTIONS,
  judged,
  printStated,
  refuseHalf,
  STATED_BUNDLE,
} from './options.ts'

export const command = defineCommand({
  name: 'agent sbom',
  summary: 'the bill of materials of a verified bundle, in CycloneDX',
  positionals: [STATED_BUNDLE],
  options: { ...ATTEST_OPTIONS, ...JUDGING_OPTIONS },
  examples: [
    ['rlp agent sbom dist/mailer-0.1.0.agent.bundle > mailer.cdx.json', 'a bill of materials'],
    ['rlp agent sbom dist/mailer-0.1.0.agent.bundle --key ci', 'signed, beside the bundle'],
  ],
  notes:
    'The bill is CycloneDX 1.7: files with both digests, what a wasm module imports, programs and hosts that tools use, secrets by name, capabilities. It is made of bytes that were verified, and says which verdict they had. A bundle that rlp agent verify does not accept has none; the exit code is that of its verdict. The same bundle and verdict give the same bytes.',
  async run(args, io) {
    refuseHalf(args)
    const tool = 'agent.sbom'
    const [target, examined] = await judged('list the contents of', args, io)
    if (examined.is === 'refused') {
      const { report, unread } = examined
      return refuseJudged(report, { doing: 'list the contents of', tool, unread }, args, io)
    }
    const { bundle, about, report } = examined.verified
    const bom = bomOf(bundle, about, { time: args.time })
    const attested = await attestAs('bom', about, bom, target, args, io)
    return printStated(args, io, {
      ...{ tool, verdict: report.verdict, name: 'bom', document: bom, attested },
      text: () => bomText(bom),
    })
  },
})
