// The agents of a real project go the whole way: lint, digest, pack, verify. Their wasm is not published, so a placeholder stands for it.
import assert from 'node:assert/strict'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { STUB_WASM } from '../../src/wasm/stub.ts'
import { run } from '../support/fake-terminal.ts'

const REAL = '../shared/real'
const skip = existsSync(REAL) ? false : 'the real agents are not here'
let cwd: string

/** What a careful reviewer would say of each as it is published: rule ids, apart from `wasm/stub`, which is about our placeholder. */
const AS_PUBLISHED: Record<string, string[]> = {
  'agents/contact_resolver': ['files/required', 'manifest/digest-missing'],
  'agents/mailer': ['manifest/digest-missing', 'manifest/digest-stale', 'secrets/id-style'],
  'agents/system_helper': [
    'caps/broad-grant',
    'files/required',
    'manifest/digest-missing',
    'manifest/digest-stale',
  ],
  'agents/system_tra': ['manifest/digest-missing', 'manifest/digest-stale'],
  'older/contact_resolver': ['manifest/digest-missing', 'manifest/digest-stale'],
  'older/entry_wasm_both': [
    'files/required',
    'manifest/digest-missing',
    'manifest/digest-pending',
    'manifest/digest-stale',
    'manifest/entry-twice',
    'manifest/fixed-path',
    'manifest/name-mismatch',
  ],
  'older/entry_wasm_top_level': [
    'files/required',
    'manifest/digest-missing',
    'manifest/digest-pending',
    'manifest/name-mismatch',
  ],
  'older/mailer': ['files/required', 'manifest/digest-missing', 'manifest/digest-stale', 'secrets/id-style'],
}

/** What is left for a person when `lint --fix` and `digest` have done what they may. */
const AFTER_DIGEST: Record<string, string[]> = {
  'agents/mailer': ['secrets/id-style'],
  'older/entry_wasm_both': ['manifest/entry-twice', 'manifest/name-mismatch'],
  'older/entry_wasm_top_level': ['manifest/name-mismatch'],
  'older/mailer': ['secrets/id-style'],
}

const rlp = (...argv: string[]) => run(argv, undefined, { cwd })

async function rulesOf(agent: string): Promise<string[]> {
  const { stdout } = await rlp('agent', 'lint', agent, '--json')
  const { result } = JSON.parse(stdout) as { result: { agents: { findings: { rule: string }[] }[] } }
  const rules = result.agents[0]?.findings.map(({ rule }) => rule).filter(rule => rule !== 'wasm/stub') ?? []
  return [...new Set(rules)].sort()
}

/** A copy has the modes of what it was made of, which may be for reading only. */
function makeWritable(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
}

describe('real agents', { skip }, () => {
  before(() => {
    cwd = mkdtempSync(join(tmpdir(), 'rlp-real-'))
    for (const agent of Object.keys(AS_PUBLISHED)) {
      cpSync(join(REAL, agent), join(cwd, agent), { recursive: true })
      makeWritable(join(cwd, agent))
      const manifest = readFileSync(join(REAL, agent, 'manifest.toml'), 'utf8')
      for (const [, path = ''] of manifest.matchAll(/path = "(bin\/[^"]+)"/g)) {
        const file = join(cwd, agent, path)
        mkdirSync(dirname(file), { recursive: true })
        if (!existsSync(file)) writeFileSync(file, STUB_WASM)
      }
    }
  })
  after(() => rmSync(cwd, { recursive: true }))

  test('all of them are here', () => {
    const found = ['agents', 'older'].flatMap(folder =>
      readdirSync(join(REAL, folder)).map(name => `${folder}/${name}`),
    )
    assert.deepEqual(found.sort(), Object.keys(AS_PUBLISHED).sort())
  })

  for (const [agent, rules] of Object.entries(AS_PUBLISHED)) {
    test(`${agent}: findings that say what to do, then digest, pack and verify`, async () => {
      assert.deepEqual(await rulesOf(agent), rules)
      await rlp('agent', 'lint', agent, '--fix')
      assert.equal((await rlp('agent', 'digest', agent)).exit, 0)
      assert.deepEqual(await rulesOf(agent), AFTER_DIGEST[agent] ?? [])
      if (agent === 'older/entry_wasm_both') {
        // Which of its two entries is meant, only a person can say.
        const path = join(cwd, agent, 'manifest.toml')
        assert.equal((await rlp('agent', 'pack', agent)).exit, 1)
        writeFileSync(path, readFileSync(path, 'utf8').replace(/^entry_wasm = .*\n/, ''))
        assert.equal((await rlp('agent', 'digest', agent)).exit, 0)
      }
      const out = `dist/${agent}.agent.bundle`
      const packed = await rlp('agent', 'pack', agent, '--out', out)
      assert.equal(packed.exit, 0, packed.stderr)
      const verified = await rlp('agent', 'verify', out, '--allow-unsigned', '--expect', 'any')
      assert.equal(verified.exit, 0, verified.stdout)
      assert.match(verified.stdout, /^unsigned$/m)
    })
  }
})
