// docs/trust.md and docs/recovery.md against the code: the policies they show can be read, the words and commands they name exist.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { VERDICTS } from '../../src/model/verdict.ts'
import { agentTree } from '../support/agent.ts'
import { ASKING, judge, KEYS, POLICY, policySource, signed, wordsOf } from '../support/trust-world.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const read = (name: string) => readFileSync(join(DOCS, name), 'utf8')
const TRUST = read('trust.md')
const RECOVERY = read('recovery.md')
const VERDICT_PAGE = read('verdicts.md')

/** Each `ed25519:…` becomes a key of its own, in the order of the text. */
function withKeys(text: string): string {
  const keys = Object.values(KEYS).map(({ anchor }) => anchor)
  let next = 0
  return text.replaceAll('ed25519:…', () => keys[next++ % keys.length] ?? '')
}

test('every policy can be read', () => {
  const blocks = [...TRUST.matchAll(/^```toml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
  assert.equal(blocks.length, 3)
  for (const block of blocks) assert.deepEqual(policySource(withKeys(block)).problems, [])
})

test('every verdict is there, in order, with its exit code', () => {
  const rows = [...TRUST.matchAll(/^\| `([a-z_]+)` \| (\d) \|/gm)].map(([, word, exit]) => [
    word,
    Number(exit),
  ])
  assert.deepEqual(
    rows,
    Object.entries(VERDICTS).map(([word, { exit }]) => [word, exit]),
  )
})

describe('what the pages say of a policy that decides nothing', () => {
  const MALFORMED = '[unknown]\n'
  const sound = signed(ASKING, 'release')
  const damaged = { ...sound, 'README.md': 'changed\n' }
  const says = (page: string, words: string) =>
    assert.ok(page.replace(/\s+/g, ' ').includes(words), `${words} is not in the page`)

  test('a malformed one: a sound bundle is indeterminate, signed or not, and a damaged one invalid', async () => {
    says(TRUST, 'the verdict of every sound bundle, signed or not, is `indeterminate`')
    says(TRUST, 'A bundle that contradicts itself is `invalid` all the same.')
    says(RECOVERY, 'Every verdict of a sound bundle is `indeterminate`')
    says(RECOVERY, 'A damaged bundle is still `invalid`.')
    says(VERDICT_PAGE, 'With a malformed trust policy a damaged bundle is still `invalid`')
    assert.equal((await judge(sound, { policies: [POLICY] })).report.verdict, 'trusted')
    for (const [tree, verdict] of [
      [sound, 'indeterminate'],
      [ASKING, 'indeterminate'],
      [damaged, 'invalid'],
    ] as const)
      assert.equal((await judge(tree, { policies: [MALFORMED] })).report.verdict, verdict)
  })

  test('none at all: a signed bundle is indeterminate, and an unsigned one unsigned', async () => {
    says(TRUST, 'a signed bundle is `indeterminate` (`no_trust_policy`), and an unsigned one is `unsigned`')
    says(
      VERDICT_PAGE,
      'Without any policy a signed bundle is `indeterminate`, and an unsigned one is `unsigned`.',
    )
    const { report } = await judge(sound, { policies: [] })
    assert.deepEqual([report.verdict, report.reasons[0]?.code], ['indeterminate', 'no_trust_policy'])
    assert.equal((await judge(ASKING, { policies: [] })).report.verdict, 'unsigned')
  })

  test('another spelling makes it malformed, and the page shows the right one', () => {
    const rows = [...TRUST.matchAll(/^\| (a key|the digest of a bundle|a day) \| /gm)].map(([, what]) => what)
    assert.deepEqual(rows, ['a key', 'the digest of a bundle', 'a day'])
    const revoked = (text: string) => policySource(`${POLICY}\n[revoked]\n${text}\n`).problems.length
    const { anchor, raw } = KEYS.second
    assert.equal(revoked(`"${anchor}" = { since = "2026-11-01" }`), 0)
    assert.equal(revoked(`"${anchor}" = { since = 2026-11-01 }`), 1)
    assert.equal(revoked(`"ed25519:${raw.toString('hex')}" = {}`), 1)
    assert.equal(revoked(`"blake3:${'ab'.repeat(32)}" = {}`), 0)
    assert.equal(revoked(`"blake3:${'AB'.repeat(32)}" = {}`), 1)
  })
})

test('a signer without a rule is refused, even where nothing is asked', async () => {
  const page = TRUST.replace(/\s+/g, ' ')
  assert.ok(page.includes('`policy_denied`, even if its `policy.caps` asks for nothing'))
  const asksNothing = agentTree({ name: 'mini', files: { 'policy.caps': '[capabilities]\n' } })
  const words = async (policy: string) =>
    wordsOf(await judge(signed(asksNothing, 'security'), { policies: [policy] }))
  assert.deepEqual(await words(`${POLICY}security = {}\n`), ['trusted', undefined])
  assert.deepEqual(await words(POLICY), ['policy_denied', 'no_rule'])
})

test('every word for what decided is in the table', () => {
  const sources = [
    'trust/judge.ts',
    'trust/rule.ts',
    'verify/trust.ts',
    'verify/signature.ts',
    'verify/form.ts',
    'verify/expectation.ts',
    'verify/freshness.ts',
    'verify/marks.ts',
  ]
  const text = sources.map(name => readFileSync(join(DOCS, '../src', name), 'utf8')).join('\n')
  const codes = [...text.matchAll(/(?:code: |code = |: |\? )'([a-z]+_[a-z_]+)'|code: '([a-z]+)'/g)].map(
    ([, a, b]) => a ?? b ?? '',
  )
  const words = new Set(codes.filter(code => !(code in VERDICTS) || code === 'expired'))
  assert.ok(words.size > 18, [...words].join())
  for (const code of words)
    if (code !== 'passed') assert.ok(TRUST.includes(`\`${code}\``), `${code} is not in docs/trust.md`)
})

describe('commands', () => {
  const names = REGISTRY.commands.map(({ name }) => name)
  for (const [page, text] of [
    ['trust.md', TRUST],
    ['recovery.md', RECOVERY],
    ['verify-by-hand.md', read('verify-by-hand.md')],
  ] as const) {
    test(`of ${page} are there, with their options`, async () => {
      const lines = [...text.matchAll(/\brlp ((?:agent|key|trust) [a-z]+)([^`\n]*)/g)]
      assert.ok(lines.length > 2)
      for (const [line, name = '', rest = ''] of lines) {
        assert.ok(names.includes(name), line)
        const entry = REGISTRY.commands.find(one => one.name === name)
        const command = (await entry?.load())?.command
        for (const [, flag = ''] of rest.matchAll(/ --([a-z-]+)/g))
          assert.ok(flag in (command?.options ?? {}), line)
      }
    })
  }

  test('of the section on commands are all commands of the group', () => {
    const section = TRUST.split('\n## Commands\n')[1] ?? ''
    const found = [...section.matchAll(/^\*\*`rlp (trust [a-z]+)/gm)].map(([, name]) => name)
    assert.deepEqual(found.sort(), names.filter(name => name.startsWith('trust ')).sort())
  })
})

test('links lead somewhere', () => {
  for (const [page, text] of [
    ['trust.md', TRUST],
    ['recovery.md', RECOVERY],
    ['verify-by-hand.md', read('verify-by-hand.md')],
  ] as const) {
    for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
      if (target.startsWith('https://')) continue
      const [file = '', anchor] = target.split('#')
      const path = file === '' ? join(DOCS, page) : join(DOCS, file)
      assert.ok(existsSync(path), `${page}: ${target}`)
      if (anchor === undefined) continue
      const slugs = readFileSync(path, 'utf8')
        .split('\n')
        .filter(line => line.startsWith('#'))
        .map(slug)
      assert.ok(slugs.includes(anchor), `${page}: ${target} is none of ${slugs.join(' ')}`)
    }
  }
})

/** As GitHub makes anchors of headings. */
function slug(heading: string): string {
  return heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
