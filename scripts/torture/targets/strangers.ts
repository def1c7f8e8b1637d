// Target: what strangers made. Nothing of their contents is read, whatever it holds; and a revoked bundle is revoked, signed or stripped.
import { outline } from '../../../src/agent/read-in-turns.ts'
import { readBundle } from '../../../src/io/bundle/read-bundle.ts'
import { MANIFEST_FILE } from '../../../src/model/agent.ts'
import type { Outline } from '../../../src/model/bundle.ts'
import type { Report } from '../../../src/model/report.ts'
import { verify } from '../../../src/verify/verify.ts'
import { agentTree, bundleOf, digestOf, type Tree } from '../../../test/support/agent.ts'
import { ASKING, POLICY, signed, trustContext } from '../../../test/support/trust-world.ts'
import { textOf } from '../fixture-tree.ts'
import { mutateBytes } from '../mutate/bytes.ts'
import { mutateText } from '../mutate/text.ts'
import { demand, type Target } from './target.ts'

const CONTENTS = textOf(ASKING, 'policy.caps')
const NOT_EXAMINED = ['indeterminate', 'revoked', 'unsigned', 'untrusted']

export const STRANGERS_TARGET: Target = {
  name: 'strangers',
  share: 300,
  make: random =>
    random.once(2)
      ? mutateText(random, CONTENTS)
      : mutateBytes(random, Buffer.from('{"version":1,"tools":[]}')),
  async answer(input) {
    // One input is each of the files that a reader of contents takes; their digests are right.
    const tree = agentTree({ files: { 'policy.caps': input, 'tools.json': input, 'schemas/a.json': input } })
    const revoked = `${POLICY}\n[revoked]\n"blake3:${digestOf(tree['manifest.toml'] ?? '')}" = { reason = "torture" }\n`
    const shapes: [what: string, tree: Tree, control: string][] = [
      ['unsigned', tree, 'unsigned'],
      ['signed by a stranger', signed(tree, 'stranger'), 'untrusted'],
    ]
    for (const [what, bundle, word] of shapes) {
      for (const [policies, expected] of [
        [[POLICY], word],
        [['[unknown]\n'], 'indeterminate'],
        [[revoked], 'revoked'],
      ] as const) {
        const { report, read } = await judge(bundle, policies)
        demand(report.verdict === expected, `${what}: ${report.verdict}, not ${expected}`)
        demand(NOT_EXAMINED.includes(report.verdict), `${what}: ${report.verdict}`)
        demand(read.length === 0, `${what}, ${report.verdict}, and ${read.join(', ')} was read`)
      }
    }
    for (const [what, bundle] of [...shapes, ['signed', signed(tree, 'release')] as const])
      for (const allowUnsigned of [false, true]) {
        const { report } = await judge(bundle, [revoked], allowUnsigned)
        demand(report.verdict === 'revoked', `revoked, ${what}, and ${report.verdict}`)
        demand(
          report.reasons.some(({ code }) => code === 'bundle_revoked'),
          `${what}: the revocation is not told`,
        )
      }
    // The spy sees what is read of a signer who is trusted: else it would prove nothing.
    const { report, read } = await judge(signed(tree, 'release'), [POLICY])
    demand(read.length > 0, 'the contents of a trusted signer were not read')
    return report.verdict
  },
}

/** The report, and the documents that were parsed beside the manifest; `all` where the one way to the contents was taken. */
async function judge(
  tree: Tree,
  policies: readonly string[],
  allowUnsigned = false,
): Promise<{ report: Report; read: readonly string[] }> {
  const read: string[] = []
  const bundle = await outline(await readBundle(bundleOf(tree), { keep: 'parsed' }))
  const watched: Outline = {
    ...bundle,
    whole(turn) {
      read.push('all')
      return bundle.whole(turn)
    },
  }
  const trust = trustContext({ policies })
  const { report, agent } = await verify(watched, { expect: 'any', allowUnsigned, trust })
  const parsed = [...(agent?.documents.keys() ?? [])].filter(path => path !== MANIFEST_FILE)
  const unreadable = (agent?.unreadable ?? []).map(({ path }) => path)
  return { report, read: [...read, ...parsed, ...unreadable] }
}
