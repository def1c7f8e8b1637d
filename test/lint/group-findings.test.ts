// What a rule says of several tools is one finding: which problems are joined, and what every format has of the places.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { lint } from '../../src/library/generated/index.ts'
import { fingerprints } from '../../src/lint/formats/fingerprints.ts'
import { applyRules, lintAgent } from '../../src/lint/lint.ts'
import { RULES, rulesOfRun } from '../../src/lint/rules/index.ts'
import { type Rule, UNPREPARED } from '../../src/lint/rules/rule.ts'
import type { Finding } from '../../src/model/finding.ts'
import { isTable } from '../../src/model/own.ts'
import { agentTree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { agentOf, suppressing } from '../support/lint-agent.ts'
import { lintFixtureIds, placeLintFixture, readExpectation, readPlaced } from '../support/lint-fixtures.ts'
import { memoryFiles } from '../support/memory.ts'
import { slice } from '../support/runs.ts'
import { assertSarif } from '../support/sarif-schema.ts'

const folderFor = temporary('grouped')
const RULE = 'schema/empty'

/** A tools.json with tools of these ids whose answers are not described, a tool in twelve lines. */
function toolsOf(ids: readonly string[]): string {
  const tools = ids.map(id => ({
    id,
    description: `Does what ${id} does`,
    transport: { kind: 'http', method: 'GET', url: 'https://a.example/' },
    input_schema: { type: 'object', additionalProperties: false },
    result_schema: {},
    capabilities: ['net:a.example'],
  }))
  return JSON.stringify({ version: 1, tools }, null, 2)
}

function findingsOf(ids: readonly string[], toml = ''): Finding[] {
  const tree = agentTree({ files: { 'tools.json': toolsOf(ids) } })
  const agent = read(memoryFiles({ ...tree, 'manifest.toml': `${tree['manifest.toml']}\n${toml}` }), 'mini')
  return lintAgent(agent, UNPREPARED).filter(({ rule }) => rule === RULE)
}

/** The line of the n-th tool’s result schema. */
const lineOf = (text: string, nth: number) =>
  text.split('\n').flatMap((line, at) => (line.includes('"result_schema"') ? [at + 1] : []))[nth]

describe('problems with the same words', () => {
  test('of one tool: its own sentence, and no other place', () => {
    const [finding, ...others] = findingsOf(['a'])
    assert.deepEqual(others, [])
    assert.equal(finding?.message, 'The result schema is empty: the answer may be anything')
    assert.equal(Object.hasOwn(finding ?? {}, 'others'), false)
  })

  test('of three: one finding at the first, which names them, with all places', () => {
    const text = toolsOf(['a', 'b', 'c'])
    const [finding, ...rest] = findingsOf(['a', 'b', 'c'])
    assert.deepEqual(rest, [])
    assert.equal(
      finding?.message,
      'The result schema is empty: the answer may be anything (in 3 tools: "a", "b" and "c")',
    )
    assert.deepEqual([finding?.file, finding?.line], ['tools.json', lineOf(text, 0)])
    assert.deepEqual(
      finding?.others?.map(({ name, line, column, endLine }) => [name, line, column, endLine]),
      [
        ['"b"', lineOf(text, 1), finding?.column, lineOf(text, 1)],
        ['"c"', lineOf(text, 2), finding?.column, lineOf(text, 2)],
      ],
    )
  })

  test('of many: the message names seven and how many more, the places name all', () => {
    const ids = Array.from({ length: 30 }, (_, at) => `t${at}`)
    const [finding] = findingsOf(ids)
    assert.match(
      finding?.message ?? '',
      /\(in 30 tools: "t0", "t1", "t2", "t3", "t4", "t5", "t6" and 23 more\)$/,
    )
    assert.deepEqual(
      finding?.others?.map(({ name }) => name),
      ids.slice(1).map(id => `"${id}"`),
    )
  })

  test('of more than a rule lists: the finding ends, and another says that there are more', () => {
    const found = findingsOf(Array.from({ length: 1200 }, (_, at) => `t${at}`))
    assert.deepEqual(
      found.map(({ message, others }) => [/in 1000 tools|is not listed$/.exec(message)?.[0], others?.length]),
      [
        ['in 1000 tools', 999],
        ['is not listed', undefined],
      ],
    )
  })

  test('in two files are two findings', () => {
    const open = { type: 'object', properties: { a: { type: 'string', description: 'x' } } }
    const files = { 'schemas/x.json': open }
    const agent = agentOf({ input: open, more: [open, { $ref: 'schemas/x.json' }], files })
    const found = lintAgent(agent, UNPREPARED).filter(({ rule }) => rule === 'schema/open-object')
    assert.deepEqual(
      found.map(({ file, others }) => [file, others?.length]),
      [
        ['schemas/x.json', undefined],
        ['tools.json', 1],
      ],
    )
  })

  test('are joined in the order of their places, whatever the order in which a rule finds them', () => {
    const rule: Rule = {
      ...(RULES.find(({ id }) => id === RULE) as Extract<Rule, { scope: 'source' }>),
      looks: 'agent',
      needs: {},
      check(_, report) {
        for (const index of [2, 0, 1])
          report({
            file: 'tools.json',
            place: { pointer: ['tools', index, 'id'] },
            message: 'It is so',
            fix: 'Change it',
            shared: { name: `"${index}"`, words: 'tools are so', fix: 'Change each' },
          })
      },
    }
    const agent = read(memoryFiles(agentTree({ files: { 'tools.json': toolsOf(['a', 'b', 'c']) } })), 'mini')
    const [finding] = applyRules(agent, [rule])
    assert.deepEqual(
      [finding?.message, finding?.fix, finding?.line],
      ['3 tools are so: "0", "1" and "2"', 'Change each', 5],
    )
  })

  test('are not joined when they are errors: what adds tools blames each by the place of its error', () => {
    const agent = agentOf({ input: { type: 'x' }, more: [{ type: 'x' }] })
    const found = lintAgent(agent, UNPREPARED).filter(({ rule }) => rule === 'schema/invalid')
    assert.equal(found.length, 2)
    assert.equal(new Set(found.map(({ message }) => message)).size, 1, 'with the same words')
  })
})

describe('a finding of several places', () => {
  const IDS = ['a', 'b', 'c']
  const place = (toml = '') => {
    const folder = folderFor('mini')
    const tree = agentTree({ files: { 'tools.json': toolsOf(IDS) } })
    writeTree(join(folder, 'mini'), { ...tree, 'manifest.toml': `${tree['manifest.toml']}\n${toml}` })
    return folder
  }
  const outputOf = async (format: string) =>
    (await run(['agent', 'lint', 'mini', '--format', format], undefined, { cwd: place() })).stdout
  const lines = [1, 2].map(nth => lineOf(toolsOf(IDS), nth))

  test('is suppressed as a whole, by its rule and file', async () => {
    const suppressed = async (members: string) => {
      const { findings } = await lint('mini', { cwd: place(suppressing(members)) })
      return findings.filter(({ rule }) => rule === RULE).map(one => one.suppressed?.reason)
    }
    assert.deepEqual(await suppressed(`rule = "${RULE}", reason = "so"`), ['so'])
    assert.deepEqual(await suppressed(`rule = "${RULE}", reason = "so", file = "tools.json"`), ['so'])
    assert.deepEqual(await suppressed(`rule = "${RULE}", reason = "so", file = "x"`), [undefined])
  })

  test('is one warning for --max-warnings', async () => {
    const { findings, counts } = await lint('mini', { cwd: place() })
    assert.equal(findings.filter(({ rule }) => rule === RULE).length, 1)
    assert.equal(counts.warnings, findings.filter(({ severity }) => severity === 'warning').length)
  })

  test('has its other places in text', async () => {
    assert.match(
      await outputOf('text'),
      new RegExp(`\\n  also: "b" ${lines[0]}:\\d+, "c" ${lines[1]}:\\d+\\n`),
    )
  })

  test('in JSON, as the library has it', async () => {
    const { result } = JSON.parse(await outputOf('json'))
    const found = result.agents[0].findings.filter(({ rule }: Finding) => rule === RULE)
    assert.deepEqual(
      found[0].others.map(({ name, line }: { name: string; line: number }) => [name, line]),
      [
        ['"b"', lines[0]],
        ['"c"', lines[1]],
      ],
    )
  })

  test('in SARIF, as related locations', async () => {
    const log = assertSarif<{ runs: { results: Record<string, unknown>[] }[] }>(await outputOf('sarif'))
    const result = log.runs[0]?.results.find(({ ruleId }) => ruleId === RULE)
    assert.ok(result)
    assert.equal((result['locations'] as unknown[]).length, 1)
    const related = result['relatedLocations'] as {
      id: number
      message: { text: string }
      physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } }
    }[]
    assert.deepEqual(
      related.map(one => [
        one.id,
        one.message.text,
        one.physicalLocation.artifactLocation.uri,
        one.physicalLocation.region.startLine,
      ]),
      [
        [1, '"b"', 'mini/tools.json', lines[0]],
        [2, '"c"', 'mini/tools.json', lines[1]],
      ],
    )
  })

  test('in formats with one place for each finding, as words', async () => {
    const also = `Also in lines ${lines[0]} and ${lines[1]}`
    for (const format of ['github', 'junit', 'codequality'])
      assert.match(await outputOf(format), new RegExp(also), format)
  })

  test('has a fingerprint that stays when lines move, and is another when a tool joins', () => {
    const printOf = (ids: readonly string[], change = (text: string) => text) => {
      const text = change(toolsOf(ids))
      const agent = read(memoryFiles(agentTree({ files: { 'tools.json': text } })), 'mini')
      return fingerprints(
        agent,
        lintAgent(agent, UNPREPARED).filter(({ rule }) => rule === RULE),
      )
    }
    const [print] = printOf(IDS)
    assert.equal(typeof print, 'string')
    assert.deepEqual(
      printOf(IDS, text => `\n\n${text}`),
      [print],
    )
    assert.notDeepEqual(printOf([...IDS, 'd']), [print])
    assert.notDeepEqual(printOf(['a', 'b']), [print])
  })
})

/** Text of a finding in which the copy of a tool is called as the tool. */
const COPY = '.copy'

describe('a rule says once what is the same for a tool and its copy', () => {
  const ids = lintFixtureIds().filter(id => {
    const rule = RULES.find(one => one.id === id)
    return rule !== undefined && rule.severity !== 'error' && readExpectation(id).made.length === 0
  })
  for (const id of slice(ids, 2)) {
    test(id, async () => {
      const placed = await placeLintFixture(id)
      try {
        const file = join(placed.path, 'tools.json')
        const document: unknown = parsed(file)
        if (!isTable(document) || !Array.isArray(document['tools'])) return
        const copies = document['tools']
          .filter(isTable)
          .map(tool => ({ ...tool, id: `${tool['id']}${COPY}` }))
        writeFileSync(
          file,
          JSON.stringify({ ...document, tools: [...document['tools'], ...copies] }, null, 2),
        )
        const findings = lintAgent(
          await readPlaced(placed, 'all'),
          UNPREPARED,
          rulesOfRun([{ rule: id }]),
        ).filter(({ rule }) => rule === id)
        const told = findings.map(one => one.message.replaceAll(COPY, ''))
        assert.deepEqual(told, [...new Set(told)])
      } finally {
        await placed.remove()
      }
    })
  }
})

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
