// Entries that one reader takes and another refuses, trims or cuts: each beside the plain one.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAgentName, isVariant } from '../../src/agent/agent-name.ts'
import { read } from '../../src/agent/read-agent.ts'
import { readOverrideFile } from '../../src/caps/overrides.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { digestManifest } from '../../src/pack/digest.ts'
import { grantFor } from '../../src/policy/containment.ts'
import { editPolicy } from '../../src/policy/edit.ts'
import { entryProblem } from '../../src/policy/grant-entry.ts'
import { readPolicy } from '../../src/policy/read.ts'
import type { PolicyKey } from '../../src/policy/write.ts'
import { pathProblem } from '../../src/text/path.ts'
import { excessOver, grownRule } from '../../src/trust-policy/rule-fields/index.ts'
import { agentTree, type Tree } from '../support/agent.ts'
import { memoryFiles } from '../support/memory.ts'
import { judge, signed, wordsOf } from '../support/trust-world.ts'

const errors = (tree: Tree) =>
  lintAgent(read(memoryFiles(tree), 'mini'), UNPREPARED).flatMap(({ rule, severity }) =>
    severity === 'error' ? [rule] : [],
  )

describe('an entry of policy.caps', () => {
  const plain: [PolicyKey, string][] = [
    ['fs', '/srv/data'],
    ['fs_rw', '~/notes'],
    ['kb_read', 'contacts'],
    ['kb_write', 'my notes'],
    ['secrets', 'runloop/mail/key'],
    ['exec', '/usr/bin/jq'],
  ]
  for (const [key, entry] of plain) {
    test(`${key} takes ${entry}, and not with anything around or in it`, () => {
      assert.equal(entryProblem(key, entry), undefined)
      for (const odd of [
        ` ${entry}`,
        `${entry} `,
        `${entry}\t`,
        `${entry}\0`,
        `${entry}\nx`,
        `${entry}\u009bx`,
        '',
        ' ',
      ])
        assert.ok(entryProblem(key, odd) !== undefined, JSON.stringify(odd))
    })
  }

  test('is read without white space where the runtime drops it, and makes a signed bundle invalid elsewhere', async () => {
    const word = async (line: string) => {
      const tree = agentTree({ files: { 'policy.caps': `[capabilities]\n${line}\n` } })
      return wordsOf(await judge(signed(tree, 'dev'), { allowDev: true }))[0]
    }
    const table: [line: string, word: string][] = [
      ['kb_read = ["contacts"]', 'trusted'],
      ['kb_read = [" contacts\\t", "", "\\u0085"]', 'trusted'],
      // JavaScript would drop this one, and the runtime keeps it.
      ['kb_read = ["a\\u0000 "]', 'invalid'],
      ['kb_read = ["\\uFEFFcontacts"]', 'invalid'],
      ['net = [" a.example "]', 'trusted'],
      ['net = ["a.example :443"]', 'trusted'],
      ['net = ["a.example: 443"]', 'invalid'],
      ['net = [" "]', 'invalid'],
      ['fs = ["/srv/data "]', 'invalid'],
      ['secrets = [" mail/key"]', 'invalid'],
    ]
    for (const [line, expected] of table) assert.equal(await word(line), expected, line)
  })

  test('is what a signer is held to, and what a tool is granted', () => {
    const policy = (line: string) =>
      read(memoryFiles(agentTree({ files: { 'policy.caps': `[capabilities]\n${line}\n` } })), 'mini').policy
    const padded = policy('kb_read = [" contacts ", ""]')
    assert.ok(padded)
    assert.deepEqual(padded, policy('kb_read = ["contacts"]'))
    const ceiling = (scope: string) => grownRule(undefined, { allowCaps: [`kb_read:${scope}`] })
    assert.deepEqual(excessOver(ceiling('contacts'), padded), [])
    assert.deepEqual(excessOver(ceiling('drafts'), padded), [
      { grant: 'kb_read:contacts', key: 'allow_caps' },
    ])
  })

  test('that grants nothing stays where it is when another is added', () => {
    const document = read(
      memoryFiles(agentTree({ files: { 'policy.caps': '[capabilities]\nkb_read = ["", " a "]\n' } })),
      'mini',
    ).documents.get('policy.caps')
    assert.ok(document)
    const after = { ...readPolicy(document.value), kbRead: ['a', 'b'] }
    assert.equal(editPolicy(document, after), '[capabilities]\nkb_read = ["", " a ", "b"]\n')
  })

  test('allow_http without hosts is refused in a policy, and taken in an override', () => {
    const net = (value: string) =>
      errors(agentTree({ files: { 'policy.caps': `[capabilities]\nnet = ${value}\n` } }))
    assert.deepEqual(net('{ hosts = ["a.example"], allow_http = true }'), [])
    assert.deepEqual(net('{ allow_http = true }'), ['caps/no-hosts'])
    const bytes = Buffer.from('[capabilities]\nnet = { allow_http = false }\n')
    assert.deepEqual(readOverrideFile({ label: 'o.caps', for: 'mini', bytes }).findings, [])
  })

  test('is proposed for a folder that a tool names, never for the whole disk', () => {
    const fix = (capability: string) => grantFor({ capability, at: [], from: 'declared' })?.entry
    assert.equal(fix('fs:/srv/data'), '/srv/data')
    for (const family of ['fs', 'fs_ro', 'fs_rw']) assert.equal(fix(family), undefined)
  })
})

describe('a tool', () => {
  const toolsWith = (args: readonly string[], more = '') =>
    `{"version": 1, "tools": [{"id": "a.b", "description": "Runs a program", "transport": {"kind": "exec", "command": "/bin/x", "args": ${JSON.stringify(args)}},
    "input_schema": {"type": "object", "additionalProperties": false}, "result_schema": {"type": "object"}${more}}]}`
  const found = (tools: string) =>
    errors(
      agentTree({ files: { 'tools.json': tools, 'policy.caps': '[capabilities]\nexec = ["/bin/x"]\n' } }),
    )

  test('has no control character in an argument', () => {
    assert.deepEqual(found(toolsWith(['-a', 'é b'])), [])
    for (const odd of ['a\0b', 'a\nb', 'a\rb', '\u001b[2J', '\t', '\u009b'])
      assert.deepEqual(found(toolsWith(['-a', odd])), ['tools/arguments'], JSON.stringify(odd))
  })

  test('writes whole numbers in digits', () => {
    for (const member of ['"budget": {"tokens": N}', '"x-rlp": {"timeout_ms": N}']) {
      const at = (number: string) => found(toolsWith([], `, ${member.replace('N', number)}`))
      assert.deepEqual(at('5000'), [], member)
      for (const odd of ['5000.0', '5e3', '50.0e2'])
        assert.deepEqual(at(odd), ['tools/whole-number'], `${member} ${odd}`)
    }
    assert.deepEqual(found(toolsWith([], ', "budget": {"usd": 5.0}')), [])
  })
})

describe('a name', () => {
  const named = (from: string, to: string) => {
    const tree = agentTree({ variant: 'pro' })
    return { ...tree, 'manifest.toml': String(tree['manifest.toml']).replace(from, to) }
  }
  const cases: [what: string, from: string, to: string][] = [
    ['a name of 201 characters', 'name = "mini"', `name = "${'m'.repeat(201)}"`],
    ['a device', 'name = "mini"', 'name = "con"'],
    ['a variant of 201 characters', '"pro"', `"${'p'.repeat(201)}"`],
    ['a variant that is a device', '"pro"', '"nul"'],
    ['a number above 2^53 - 1', '"1.0.0"', '"1.9007199254740992.0"'],
    ['a file name of more than 255 characters', '"1.0.0"', `"1.0.0-${'a'.repeat(240)}"`],
  ]
  test('that every system can use', () => {
    assert.deepEqual(errors(named('"pro"', '"pro"')), [])
    assert.deepEqual(errors(named('"1.0.0"', '"1.9007199254740991.0"')), [])
    assert.ok(isAgentName('m'.repeat(200)) && isVariant('pro') && isAgentName('console'))
    assert.ok(!isAgentName('m'.repeat(201)) && !isAgentName('con') && !isVariant('aux'))
  })
  for (const [what, from, to] of cases)
    test(`${what} is refused`, () => assert.deepEqual(errors(named(from, to)), ['manifest/name']))

  test('signatures/ in another case is no folder of a bundle', () => {
    assert.equal(pathProblem('signature/manifest.sig'), undefined)
    assert.equal(pathProblem('docs/signatures/a'), undefined)
    for (const path of ['signatures/a', 'Signatures/manifest.sig', 'signatures'])
      assert.match(pathProblem(path) ?? '', /SIGNATURES/, path)
  })
})

test('a date in [schemas.with] is no JSON', () => {
  const withConst = (value: string) => {
    const tree = agentTree()
    const text = `${tree['manifest.toml']}\n[schemas.with]\ntype = "object"\n[schemas.with.properties.day]\nconst = ${value}\n`
    return errors({ ...tree, 'manifest.toml': text })
  }
  assert.deepEqual(withConst('"2026-11-22"'), [])
  for (const date of ['2026-11-22', '2026-11-22T10:00:00Z', '10:00:00', '[2026-11-22]'])
    assert.deepEqual(withConst(date), ['schema/invalid'], date)
})

test('digest writes no digest of the manifest into the manifest', () => {
  const tree = agentTree()
  const run = (path: string) => {
    const text = String(tree['manifest.toml']).replace('path = "bin/mini.wasm"', `path = "${path}"`)
    return digestManifest(read(memoryFiles({ ...tree, 'manifest.toml': text }), 'mini'))
  }
  assert.deepEqual(run('bin/mini.wasm').changes, [])
  assert.throws(() => run('manifest.toml'), /its entry is manifest\.toml, which cannot hold its own digest/)
})

describe('a manifest and a policy', () => {
  const manifest = (more: string, agent = '') => {
    const tree = agentTree()
    const text = String(tree['manifest.toml']).replace('[agent]\n', `[agent]\n${agent}`)
    return errors({ ...tree, 'manifest.toml': `${text}\n${more}` })
  }
  test('take a date for no text, also where its letters would fit', () => {
    const policy = (line: string) => errors({ ...agentTree(), 'policy.caps': `[capabilities]\n${line}\n` })
    assert.ok(!manifest('', 'variant = "2026-01-01"\n').includes('manifest/shape'))
    assert.ok(manifest('', 'variant = 2026-01-01\n').includes('manifest/shape'))
    assert.ok(manifest('[ports]\nin = [12:00:00]').includes('manifest/shape'))
    assert.ok(!policy('kb_read = ["2026-01-01"]').includes('caps/shape'))
    assert.ok(policy('kb_read = [2026-01-01]').includes('caps/shape'))
  })
  test('may have anything in [lint], and no digest in a table whose name only looks like a known one', () => {
    const hasStray = (more: string) => manifest(more).includes('manifest/stray-digest')
    assert.equal(hasStray('[lint]\npath = "x"'), false)
    assert.equal(hasStray('[extra]\npath = "x"'), true)
    for (const name of [
      'artifacts.files',
      'agent.entry_wasm',
      'schemas.with',
      'agent/entry_wasm',
      'schemas/',
    ])
      assert.equal(hasStray(`["${name}"]\npath = "x"`), true, name)
  })
})

test('each part of a schema names a known dialect, and the oldest decides', () => {
  const dialects = (root: string, inner: string) => {
    const schema = { $schema: root, $defs: { a: { $schema: inner, items: [true] } } }
    return errors({ ...agentTree(), 'schemas/a.json': JSON.stringify(schema) })
  }
  const [now, seven] = [
    'https://json-schema.org/draft/2020-12/schema',
    'http://json-schema.org/draft-07/schema#',
  ]
  assert.ok(dialects(now, now).includes('schema/invalid'))
  assert.ok(dialects(now, seven).includes('schema/dialect'))
  assert.ok(dialects(seven, now).includes('schema/dialect'))
  assert.ok(dialects(seven, 'urn:mine').includes('schema/dialect'))
})
