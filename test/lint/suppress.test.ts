// Suppressions: what a manifest may say does not count, what only the caller may say, and that verification hears neither.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { lintTableProblems, refusalOf, suppressEntries } from '../../src/agent/lint-table.ts'
import { read } from '../../src/agent/read-agent.ts'
import { verifyBundle } from '../../src/library/generated/index.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { type RuleSetting, suppress } from '../../src/lint/suppress.ts'
import type { Agent } from '../../src/model/agent.ts'
import type { Finding, Severity } from '../../src/model/finding.ts'
import { digestManifest } from '../../src/pack/digest.ts'
import { bundleOf, type Tree } from '../support/agent.ts'
import { suppressing as entry, STUB, treeWith } from '../support/lint-agent.ts'
import { memoryFiles } from '../support/memory.ts'
import { runs } from '../support/runs.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
function agentWith(toml: string, files: Tree = {}): Agent {
  return read(memoryFiles(treeWith(toml, files)), 'mini')
}

function judged(agent: Agent, settings: readonly RuleSetting[] = [], now = NOW): Finding[] {
  return suppress(agent, lintAgent(agent, UNPREPARED, RULES, now), { now, settings })
}

/** Rule, severity, and who suppressed it. */
function brief(findings: readonly Finding[]): string[] {
  return findings.map(({ rule, severity, suppressed }) =>
    [rule, severity, ...(suppressed === undefined ? [] : [`by ${suppressed.by}: ${suppressed.reason}`])].join(
      ' ',
    ),
  )
}

describe('a manifest', () => {
  test('without [lint] suppresses nothing', () => {
    assert.deepEqual(brief(judged(agentWith(''))), [`${STUB} warning`])
  })

  test('suppresses a warning, which stays in the report with its reason', () => {
    const agent = agentWith(entry(`rule = "${STUB}", reason = " built at night "`))
    const [finding, ...others] = judged(agent)
    assert.deepEqual(others, [])
    assert.deepEqual(finding?.suppressed, { by: 'manifest', reason: 'built at night' })
    assert.equal(finding?.severity, 'warning')
    assert.equal(finding?.defaultSeverity, undefined)
    assert.deepEqual(
      brief(lintAgent(agent, UNPREPARED)),
      [`${STUB} warning`],
      'lint itself suppresses nothing',
    )
  })

  test('may write its entries as tables of an array', () => {
    const toml = `[[lint.suppress]]\nrule = "${STUB}"\nreason = "built at night"`
    assert.deepEqual(brief(judged(agentWith(toml))), [`${STUB} warning by manifest: built at night`])
  })

  for (const date of ['"2026-11-20"', '2026-11-20']) {
    test(`suppresses through the last day, written ${date}, and says afterwards that it is over`, () => {
      const agent = agentWith(entry(`rule = "${STUB}", reason = "x", until = ${date}`))
      const last = judged(agent, [], new Date('2026-11-20T23:59:59Z'))
      assert.deepEqual(brief(last), [`${STUB} warning by manifest: x`])
      assert.equal(last[0]?.suppressed?.until, '2026-11-20')
      const next = judged(agent, [], new Date('2026-11-21T00:00:00Z'))
      assert.deepEqual(brief(next), [`${STUB} warning`, 'manifest/suppression warning'])
      assert.equal(next[1]?.message, `The suppression of ${STUB} expired on 2026-11-20`)
      assert.deepEqual(
        brief(lintAgent(agent, UNPREPARED)),
        [`${STUB} warning`],
        'without a date nothing is taken for expired',
      )
    })
  }

  test('suppresses in the one file that it names', () => {
    const here = agentWith(entry(`rule = "${STUB}", reason = "x", file = "bin/mini.wasm"`))
    assert.deepEqual(brief(judged(here)), [`${STUB} warning by manifest: x`])
    const elsewhere = agentWith(entry(`rule = "${STUB}", reason = "x", file = "tools.json"`))
    const [stub, unused] = judged(elsewhere)
    assert.equal(stub?.suppressed, undefined)
    assert.equal(unused?.message, `Nothing is suppressed here: ${STUB} finds nothing in tools.json`)
  })

  test('is told about an entry that another one has made useless', () => {
    const both = `{ rule = "${STUB}", reason = "first" }, { rule = "${STUB}", reason = "second" }`
    assert.deepEqual(brief(judged(agentWith(`[lint]\nsuppress = [${both}]`))), [
      `${STUB} warning by manifest: first`,
      'manifest/suppression warning',
    ])
  })

  for (const [id, fix] of [
    ['wasm/stubb', `Did you mean "${STUB}"?`],
    ['constructor', 'Use an id that rlp agent lint --rules lists'],
    ['wasm/*', 'Name one rule; only who runs lint can turn a family off'],
  ]) {
    test(`is told that there is no rule ${id}`, () => {
      const [, unknown, ...others] = judged(agentWith(entry(`rule = "${id}", reason = "x"`)))
      assert.deepEqual(others, [])
      assert.deepEqual(
        [unknown?.rule, unknown?.message, unknown?.fix, unknown?.line],
        ['manifest/suppression', `There is no rule "${id}"`, fix, 20],
      )
    })
  }
})

describe('what no manifest may suppress', () => {
  const GUARDED = ['caps', 'secrets', 'manifest', 'json', 'toml', 'files']
  const shown = (rule: (typeof RULES)[number]) => refusalOf(rule) === undefined

  test('is every error of the guarded families, and everything that verification refuses', () => {
    for (const rule of RULES) {
      const family = rule.id.split('/')[0] ?? ''
      if (rule.severity !== 'error') continue
      if (GUARDED.includes(family) || rule.scope === 'bundle') assert.ok(!shown(rule), rule.id)
    }
    assert.ok(RULES.filter(shown).length >= 3, 'nothing is left to suppress')
  })

  for (const rule of RULES) {
    test(`${rule.id}: ${shown(rule) ? 'may be' : 'may not be'}`, () => {
      const agent = agentWith(entry(`rule = "${rule.id}", reason = "x"`))
      const found: Finding = {
        rule: rule.id,
        severity: rule.severity,
        file: 'manifest.toml',
        line: 1,
        column: 1,
        message: 'm',
        fix: 'F',
      }
      const [finding] = suppress(agent, [found], { now: NOW })
      assert.equal(finding?.suppressed !== undefined, shown(rule))
      const complaints = judged(agent).filter(({ rule }) => rule === 'manifest/suppression-refused')
      assert.equal(complaints.length, shown(rule) ? 0 : 1)
    })
  }

  test('counts although the manifest says otherwise, and the attempt counts too', () => {
    const caps = '[capabilities]\nnet = ["*.example.com"]\n'
    const agent = agentWith(entry('rule = "caps/entry", reason = "the wildcard is meant"'), {
      'policy.caps': caps,
    })
    const found = judged(agent).filter(({ rule }) => rule !== STUB)
    assert.deepEqual(brief(found), ['manifest/suppression-refused error', 'caps/entry error'])
  })
})

describe('a malformed [lint]', () => {
  for (const [toml, message] of [
    ['lint = 1', 'lint must be a table, found a number'],
    ['[lint]\nsuppres = []', '"suppres" is not a key of a lint table'],
    ['[lint]\nsuppress = "all"', 'suppress must be an array, found a string'],
    [entry(`rule = "${STUB}"`), '"reason" is missing'],
    [entry('reason = "x"'), '"rule" is missing'],
    [entry(`rule = "${STUB}", reason = " "`), 'reason must not be blank'],
    [entry(`rule = "${STUB}", reason = 3`), 'reason must be a string, found a number'],
    [
      entry(`rule = "${STUB}", reason = "x", untill = "2027-01-01"`),
      '"untill" is not a key of a suppression',
    ],
    [
      entry(`rule = "${STUB}", reason = "x", until = "soon"`),
      'until must be a day written as YYYY-MM-DD, found "soon"',
    ],
    [entry(`rule = "${STUB}", reason = "x", until = "2027-02-30"`), 'There is no day 2027-02-30'],
    [
      `[lint]\nsuppress = [${`{ rule = "${STUB}", reason = "x" }, `.repeat(101)}]`,
      'suppress must have at most 100 entries, found 101',
    ],
  ] as const) {
    test(`is an error and suppresses nothing: ${toml.slice(0, 70).replaceAll('\n', ' ')}`, () => {
      // A key of the root table has to be before the first header.
      const tree = treeWith(toml.startsWith('[') ? toml : '')
      if (!toml.startsWith('[')) tree['manifest.toml'] = `${toml}\n${tree['manifest.toml']}`
      const found = judged(read(memoryFiles(tree), 'mini'))
      assert.deepEqual(brief(found), [`${STUB} warning`, 'manifest/lint-table error'])
      assert.equal(found[1]?.message, message)
    })
  }

  test('of two entries suppresses with neither when one is malformed', () => {
    const both = `{ rule = "${STUB}", reason = "x" }, { rule = "manifest/name-mismatch" }`
    assert.deepEqual(brief(judged(agentWith(`[lint]\nsuppress = [${both}]`))), [
      `${STUB} warning`,
      'manifest/lint-table error',
    ])
  })

  test('never throws and never suppresses a guarded error, whatever the values', () => {
    const word = fc.oneof(
      fc.constantFrom(...RULES.map(({ id }) => id)),
      fc.string(),
      fc.constant('2027-01-01'),
    )
    const leaf = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant([]), fc.constant({}))
    const item = fc.oneof(
      leaf,
      fc.record({ rule: leaf, reason: leaf, until: leaf, file: leaf }, { requiredKeys: [] }),
    )
    const value = fc.record({ lint: fc.oneof(leaf, fc.record({ suppress: fc.oneof(leaf, fc.array(item)) })) })
    const agent = agentWith('')
    fc.assert(
      fc.property(value, fc.constantFrom(...RULES), (manifest, { id, severity, scope }) => {
        const isFine = lintTableProblems(manifest).length === 0
        const entries = suppressEntries(manifest)
        if (!isFine) assert.deepEqual(entries, [])
        for (const { reason } of entries) assert.match(reason, /\S/)
        const document = { path: 'manifest.toml', text: '', syntax: 'toml', value: manifest } as const
        const documents = new Map([['manifest.toml', { ...document, locate: () => ({ start: 0, end: 0 }) }]])
        const found = { rule: id, severity, file: 'tools.json', line: 1, column: 1, message: 'm', fix: 'F' }
        const [finding] = suppress({ ...agent, documents }, [found], { now: NOW })
        if (finding?.suppressed !== undefined) assert.equal(refusalOf({ id, severity, scope }), undefined)
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('the caller', () => {
  const CAPS = { 'policy.caps': '[capabilities]\nnet = ["*.example.com"]\n' }

  test('turns off any rule, error or not, and is named as the one who did', () => {
    const agent = agentWith('', CAPS)
    assert.deepEqual(brief(judged(agent, [{ rule: 'caps/entry', level: 'off' }])), [
      `${STUB} warning`,
      'caps/entry error by flag: --rule caps/entry=off',
    ])
  })

  test('sets a family, and the later word counts', () => {
    const agent = agentWith('', CAPS)
    const family: RuleSetting = { rule: 'caps/*', level: 'off' }
    const one: RuleSetting = { rule: 'caps/entry', level: 'info' }
    assert.deepEqual(brief(judged(agent, [family, one])), [`${STUB} warning`, 'caps/entry info'])
    assert.deepEqual(brief(judged(agent, [one, family])), [
      `${STUB} warning`,
      'caps/entry error by flag: --rule caps/*=off',
    ])
    assert.deepEqual(brief(judged(agent, [{ rule: 'cap/*', level: 'off' }])), brief(judged(agent)))
  })

  test('changes severities, and the report says from what', () => {
    const levels: [Severity, Severity | undefined][] = [
      ['error', 'warning'],
      ['info', 'warning'],
      ['warning', undefined],
    ]
    for (const [level, before] of levels) {
      const [finding] = judged(agentWith(''), [{ rule: STUB, level }])
      assert.deepEqual([finding?.severity, finding?.defaultSeverity], [level, before])
    }
  })

  test('is heard before the manifest', () => {
    const agent = agentWith(entry(`rule = "${STUB}", reason = "x"`))
    const [finding] = judged(agent, [{ rule: STUB, level: 'off' }])
    assert.equal(finding?.suppressed?.by, 'flag')
  })

  test('raises a warning of a guarded family out of the manifest’s reach', () => {
    const toml = entry('rule = "manifest/name-mismatch", reason = "two agents share the folder"')
    const agent = read(memoryFiles(treeWith(toml)), 'other')
    const named = (settings: readonly RuleSetting[]) =>
      brief(judged(agent, settings)).filter(line => line.startsWith('manifest/name-mismatch'))
    const suppressed = 'by manifest: two agents share the folder'
    assert.deepEqual(named([]), [`manifest/name-mismatch warning ${suppressed}`])
    assert.deepEqual(named([{ rule: 'manifest/name-mismatch', level: 'error' }]), [
      'manifest/name-mismatch error',
    ])
    assert.deepEqual(named([{ rule: 'manifest/name-mismatch', level: 'info' }]), [
      `manifest/name-mismatch info ${suppressed}`,
    ])
  })

  test('does not bring an error into the manifest’s reach by lowering it', () => {
    const agent = agentWith(entry('rule = "caps/entry", reason = "x"'), CAPS)
    const found = judged(agent, [{ rule: 'caps/entry', level: 'warning' }])
    assert.ok(brief(found).includes('caps/entry warning'))
  })
})

describe('nothing but lint hears [lint]', () => {
  const verdictOf = async (tree: Tree) => {
    // The contents of an unsigned bundle are read only where that is allowed.
    const report = await verifyBundle(bundleOf(tree), { expect: 'any', allowUnsigned: true })
    return {
      verdict: report.verdict,
      codes: report.reasons.map(({ code }) => code),
      findings: report.findings,
    }
  }

  test('a suppressed error makes a bundle as invalid as before', async () => {
    const caps = { 'policy.caps': '[capabilities]\nnet = ["*.example.com"]\n' }
    const plain = await verdictOf(treeWith('', caps))
    assert.equal(plain.verdict, 'invalid')
    const toml = entry('rule = "caps/entry", reason = "x"')
    assert.deepEqual(await verdictOf(treeWith(toml, caps)), plain)
  })

  for (const toml of ['', entry(`rule = "${STUB}", reason = "x"`), '[lint]\nsuppress = 7\nmore = [1, 2]']) {
    test(`a sound bundle stays sound with ${JSON.stringify(toml.slice(0, 40))}`, async () => {
      assert.equal((await verdictOf(treeWith(toml))).verdict, 'unsigned')
    })
  }

  test('the manifest’s shape is judged without it, however much is wrong in it', () => {
    const many = `[lint]\nsuppress = [${'{ rule = 1 }, '.repeat(99)}]`
    const agent = agentWith(many)
    assert.deepEqual(agent.shapes.get('manifest.toml'), [])
    assert.ok(judged(agent).filter(({ rule }) => rule === 'manifest/lint-table').length > 50)
  })

  test('digest leaves it as it is', () => {
    const agent = agentWith(entry(`rule = "${STUB}", reason = "x" `))
    const { text, changes } = digestManifest(agent)
    assert.deepEqual(changes, [])
    assert.equal(text, agent.documents.get('manifest.toml')?.text)
  })
})
