// What two readers could read differently is refused: a fraction where a whole number is meant, a fixed file named outside its own table.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { agentTree, digestOf, type Tree } from '../support/agent.ts'
import { judge, POLICY, policySource, signed } from '../support/trust-world.ts'

const TREE = agentTree({ name: 'mini', files: { 'README.md': '# mini\n' } })
const withManifest = (change: (text: string) => string): Tree => {
  const before = String(TREE['manifest.toml'])
  const after = change(before)
  assert.notEqual(after, before)
  return { ...TREE, 'manifest.toml': after }
}
const said = async (tree: Tree) => {
  const { report } = await judge(signed(tree, 'release'))
  return [report.verdict, report.reasons[0]?.code]
}

describe('a whole number', () => {
  test('is written without a fraction in the manifest', async () => {
    assert.deepEqual(await said(TREE), ['trusted', undefined])
    for (const version of ['1.0', '1e0', '1.0e0'])
      assert.deepEqual(
        await said(withManifest(text => text.replace(/^version = 1$/m, `version = ${version}`))),
        ['invalid', 'manifest/shape'],
        version,
      )
  })

  test('and in [require]', () => {
    const of = (number: string) => policySource(`${POLICY}\n[require]\nsignatures = ${number}\n`)
    assert.equal(of('1').policy?.require?.signatures, 1)
    for (const number of ['1.0', '1e0', '2e0']) {
      assert.equal(of(number).policy, undefined)
      assert.match(of(number).problems[0] ?? '', /written as a whole number: [12]$/)
    }
  })
})

describe('tools.json and policy.caps', () => {
  for (const [path, table] of [
    ['tools.json', 'tools'],
    ['policy.caps', 'policy'],
  ] as const) {
    const listed = (text: string) =>
      text
        .replace(new RegExp(`\\[artifacts\\.${table}\\]\\n(?:[^\\[\\n]*\\n)*`), '')
        .replace('[artifacts.files]\n', `[artifacts.files]\n"${path}" = "${digestOf(TREE[path] ?? '')}"\n`)

    test(`${path} listed under [artifacts.files] is invalid`, async () => {
      const { report } = await judge(signed(withManifest(listed), 'release'))
      assert.equal(report.verdict, 'invalid')
      const codes = report.reasons.map(({ code }) => code)
      assert.ok(codes.includes('manifest/fixed-path'), codes.join(' '))
    })
  }
})
