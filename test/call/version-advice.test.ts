// A version of tools.json that this build does not read: lint, verify, install and call give the same advice, and no other fix.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { agentTree, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'

const folderFor = temporary('version-advice')
const toolsAt = (version: string) => ({ 'tools.json': `{"version": ${version}, "tools": []}` })

const NEWER = 'Install a newer rlp, or ask for the bundle with tools.json in version 1'
const NONE = 'Ask for the bundle with tools.json in version 1'

const table: [version: string, exit: number, says: RegExp, advice: string, fix: string][] = [
  [
    '2',
    3,
    /^tools\.json:1:13 Version 2 is newer than this rlp reads \(1\)$/,
    NEWER,
    'Install a newer rlp, or write the document as version 1',
  ],
  ['0', 1, /^tools\.json:1:13 "version" must be a whole number from 1, found 0$/, NONE, 'Write "version": 1'],
]

describe('a bundle whose tools.json has version', () => {
  test('1 is verified, installed and called', async () => {
    const here = world(folderFor('sound'))
    const bundle = here.put('b', made({ files: toolsAt('1') }, RELEASE))
    assert.equal((await here.rlp('agent', 'verify', bundle)).exit, 0)
    assert.equal((await here.install(bundle, '--yes')).exit, 0)
    const { envelope } = await here.rlp('tool', 'call', 'a.b', bundle, '--args', '{}')
    assert.equal(envelope['kind'], 'tool_not_found')
  })

  for (const [version, exit, says, advice, fix] of table)
    test(`${version} is refused with one reason and its advice`, async () => {
      const here = world(folderFor('refused'))
      const bundle = here.put('b', made({ files: toolsAt(version) }, RELEASE))
      const hints: unknown[] = []
      for (const args of [
        ['agent', 'verify', bundle],
        ['agent', 'install', bundle, '--yes'],
        ['tool', 'call', 'a.b', bundle, '--args', '{}'],
      ]) {
        const { exit: code, envelope } = await here.rlp(...args)
        assert.equal(code, exit, args.join(' '))
        const reasons = reasonsIn(envelope)
        assert.equal(reasons.length, 1, JSON.stringify(reasons))
        assert.match(reasons[0]?.message ?? '', says)
        hints.push(reasons[0]?.hint)
      }
      assert.deepEqual(hints, [advice, advice, advice])
      for (const args of [
        ['agent', 'verify', bundle],
        ['agent', 'install', bundle, '--yes'],
        ['tool', 'call', 'a.b', bundle, '--args', '{}'],
      ]) {
        const { stdout, stderr } = await here.say(...args)
        assert.ok(`${stdout}${stderr}`.includes(advice), args.join(' '))
      }
      writeTree(join(here.cwd, 'agents/mini'), agentTree({ files: toolsAt(version) }))
      const linted = await here.say('agent', 'lint', 'mini')
      assert.deepEqual(
        [...linted.stdout.matchAll(/fix: (.*)/g)].map(([, text]) => text),
        [fix],
      )
      const called = await here.say('tool', 'call', 'a.b', 'agents/mini', '--unverified', '--args', '{}')
      assert.ok(`${called.stdout}${called.stderr}`.includes(fix), called.stderr)
    })
})

interface Reason {
  readonly message: string
  readonly hint?: string
}

/** Wherever a report has them: verify lists reports, a refusal is one. */
function reasonsIn(value: unknown): readonly Reason[] {
  if (typeof value !== 'object' || value === null) return []
  if ('reasons' in value) return value.reasons as readonly Reason[]
  return Object.values(value).flatMap(reasonsIn)
}
