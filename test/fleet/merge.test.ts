// Merging the parts of a list: what is whole gets the exit code of its worst verdict, what is missing 3, and what contradicts 2. Each attack begins with
// parts that are merged, and changes one thing.
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import { shardIndex } from '../../src/fleet/shard.ts'
import { mergeReports } from '../../src/library/generated/index.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { upTo } from '../support/runs.ts'
import { installKeys, KEYS, POLICY, signed } from '../support/trust-world.ts'

const folder = temporary('merge')
const OF = 4
const NAMES = Array.from({ length: 10 }, (_, at) => `all/agent_${at}-1.0.0.agent.bundle`)
const MANY = POLICY.replace(', agents = ["mini"]', '')
const cwd = folder('world')

/** What the four jobs have written, by the number of the part. */
const parts = new Map<number, string>()
const signedParts = new Map<number, string>()

function home(name: string, policy = MANY): string {
  const path = join(cwd, name)
  mkdirSync(path, { mode: 0o700 })
  installKeys(path)
  writeFileSync(join(path, 'trust-policy.toml'), policy, { mode: 0o600 })
  return path
}

/** A job that verifies a part. */
async function job(shard: string, ...more: string[]): Promise<string> {
  const line = ['agent', 'verify', 'all', '--format', 'ndjson', '--shard', shard, ...more]
  return (await run(line, undefined, { cwd })).stdout
}

before(async () => {
  mkdirSync(join(cwd, 'all'))
  NAMES.forEach((name, at) => {
    // A stranger has signed one of them: the worst verdict is not 0.
    const by = at === 7 ? 'stranger' : 'release'
    writeFileSync(join(cwd, name), bundleOf(signed(agentTree({ name: `agent_${at}` }), by)))
  })
  process.env['RUNLOOP_HOME'] = home('home')
  for (let index = 1; index <= OF; index++) {
    parts.set(index, await job(`${index}/${OF}`, '--run', 'night'))
    const key = index % 2 === 0 ? 'second' : 'dev'
    signedParts.set(index, await job(`${index}/${OF}`, '--run', 'night', '--key', key))
  }
  writeFileSync(join(cwd, 'list'), `${NAMES.join('\0')}\0`)
})

/** The part of a name, and a part with at least two names. */
const partOf = (name: string) => shardIndex(name, OF)
const crowded = [1, 2, 3, 4].find(index => NAMES.filter(name => partOf(name) === index).length > 1) as number

type Changes = Readonly<Record<number, string | undefined>>

/** Merges the parts, with some of them replaced; undefined leaves one out. */
async function merge(changes: Changes, args: readonly string[] = [], from = parts) {
  rmSync(join(cwd, 'merged'), { force: true })
  const files = [1, 2, 3, 4].flatMap(index => {
    const text = index in changes ? changes[index] : from.get(index)
    if (text === undefined) return []
    writeFileSync(join(cwd, `part-${index}`), text, { mode: 0o600 })
    return [`part-${index}`]
  })
  const ran = await run(['report', 'merge', ...files, '--out', 'merged', ...args], undefined, { cwd })
  const isWritten = existsSync(join(cwd, 'merged'))
  const lines = isWritten ? readFileSync(join(cwd, 'merged'), 'utf8').trimEnd().split('\n') : []
  return { ...ran, isWritten, lines: lines.map(line => JSON.parse(line)) }
}

/** A part with its lines changed. */
function changed(index: number, change: (lines: string[]) => string[], from = parts): Changes {
  const lines = (from.get(index) ?? '').trimEnd().split('\n')
  return { [index]: `${change(lines).join('\n')}\n` }
}

const summaryWith = (index: number, members: object, from = parts) =>
  changed(
    index,
    lines => [...lines.slice(0, -1), JSON.stringify({ ...JSON.parse(lines.at(-1) ?? ''), ...members })],
    from,
  )

async function refused(changes: Changes, words: RegExp, args: readonly string[] = [], from = parts) {
  const { exit, stderr, isWritten } = await merge(changes, args, from)
  assert.match(stderr, words)
  assert.deepEqual([exit, isWritten], [2, false], stderr)
}

describe('parts that are the whole', () => {
  test('get the exit code of the worst verdict, and become one report', async () => {
    const { exit, stdout, lines } = await merge({}, ['--list', 'list', '-0'])
    assert.equal(exit, 1)
    assert.match(stdout, /✗ 4 parts, complete; 10 bundles: 9 trusted, 1 untrusted → merged/)
    const summary = lines.at(-1)
    assert.deepEqual(
      lines
        .slice(0, -1)
        .map(({ target }) => target)
        .sort(),
      NAMES,
    )
    assert.deepEqual(
      [summary.bundles, summary.accepted, summary.exit, summary.run, summary.shard],
      [10, 9, 1, 'night', null],
    )
    assert.deepEqual([summary.listed.targets, summary.listed.here], [10, 10])
    assert.deepEqual(summary.merged, { parts: OF, missing: null, keys: [] })
  })
  test('without --out they are checked, and nothing is written', async () => {
    await merge({})
    rmSync(join(cwd, 'merged'))
    const { exit, stdout } = await run(
      ['report', 'merge', 'part-4', 'part-2', 'part-1', 'part-3'],
      undefined,
      { cwd },
    )
    assert.deepEqual([exit, existsSync(join(cwd, 'merged'))], [1, false])
    assert.match(stdout, /complete/)
  })
  test('the merged report serves --since', async () => {
    await merge({})
    chmodSync(join(cwd, 'merged'), 0o600)
    const { stdout } = await run(
      ['agent', 'verify', 'all', '--format', 'ndjson', '--since', 'merged'],
      undefined,
      { cwd },
    )
    assert.equal(stdout.match(/"reused":true/g)?.length, 10)
  })
  test('lines that another system has ended with a carriage return as well are the same in the merged report', async () => {
    const { lines: plain } = await merge({})
    const text = readFileSync(join(cwd, 'merged'), 'utf8')
    const returns = Object.fromEntries(
      [...parts].map(([index, part]) => [index, part.replaceAll('\n', '\r\n').replaceAll('","', '",\t"')]),
    )
    assert.deepEqual((await merge(returns)).lines, plain)
    assert.equal(readFileSync(join(cwd, 'merged'), 'utf8'), text)
  })
  test('nothing of a part reaches a terminal unseen', async () => {
    const odd = Object.assign({}, ...[1, 2, 3, 4].map(index => summaryWith(index, { run: 'a\u202e\u009bb' })))
    const { exit, lines } = await merge(odd)
    assert.deepEqual([exit, lines.at(-1).run], [1, 'a\u202e\u009bb'])
    assert.doesNotMatch(readFileSync(join(cwd, 'merged'), 'utf8'), /[\u202e\u009b]/)
  })
  test('the function returns the summary, and --json prints it', async () => {
    await merge({})
    const paths = [1, 2, 3, 4].map(index => join(cwd, `part-${index}`))
    const report = await mergeReports(paths, { list: join(cwd, 'list'), nul: true })
    assert.deepEqual([report.exit, report.bundles, report.merged.missing], [1, 10, null])
    const { stdout } = await run(['report', 'merge', ...paths, '--json'], undefined, { cwd })
    assert.deepEqual(JSON.parse(stdout).result, report)
  })
  test('signed parts: the merged report is signed, and names their keys', async () => {
    const keys = ['--since-key', 'second', '--since-key', 'dev']
    const { exit, lines } = await merge({}, [...keys, '--key', 'release'], signedParts)
    assert.deepEqual([exit, lines.at(-1).type], [1, 'signature'])
    assert.deepEqual(lines.at(-2).merged.keys, [KEYS.dev.anchor, KEYS.second.anchor].sort())
    const again = await run(
      ['agent', 'verify', 'all', '--format', 'ndjson', '--since', 'merged', '--since-key', 'release'],
      undefined,
      { cwd },
    )
    assert.equal(again.stdout.match(/"reused":true/g)?.length, 10)
  })
})

describe('parts that are missing: 3', () => {
  test('one that was not written', async () => {
    const { exit, stdout, isWritten } = await merge({ 2: undefined })
    assert.deepEqual([exit, isWritten], [3, false])
    assert.match(stdout, /part 2 of 4 is missing/)
  })
  test('one without its summary: its job has ended early', async () => {
    const { exit, stdout, stderr, isWritten } = await merge(changed(crowded, lines => lines.slice(0, -1)))
    assert.deepEqual([exit, isWritten], [3, false])
    assert.match(stderr, new RegExp(`^part-${crowded} has no summary: its job ended early$`, 'm'))
    assert.match(stdout, new RegExp(`part ${crowded} of 4 is missing`))
    const torn = await merge({ [crowded]: parts.get(crowded)?.slice(0, -9) })
    assert.equal(torn.exit, 3)
  })
  test('--partial writes what is there, and is never 0', async () => {
    const { exit, lines, isWritten } = await merge({ 1: undefined, 3: '' }, [
      '--partial',
      '--list',
      'list',
      '-0',
    ])
    assert.deepEqual([exit, isWritten], [3, true])
    assert.deepEqual([lines.at(-1).merged.missing, lines.at(-1).exit], ['1, 3', 3])
  })
  test('none that is there has ended', async () => {
    const { exit, stderr } = await merge({ 1: '', 2: '', 3: undefined, 4: undefined })
    assert.equal(exit, 3)
    assert.match(stderr, /none of them has a summary/)
  })
})

describe('parts that contradict each other: 2, and nothing is written', () => {
  test('another run', () =>
    refused(
      summaryWith(3, { run: 'yesterday' }),
      /"part-3": the run is "yesterday", and in "part-1" "night"/,
    ))
  test('a run without a name', () => refused(summaryWith(3, { run: null }), /the run is not named/))
  test('another number of parts', async () => {
    await refused({ 3: await job('3/5', '--run', 'night') }, /the number of parts is 5, and in "part-1" 4/)
  })
  test('another program', () => refused(summaryWith(2, { program: '0.0.9' }), /the program is rlp "0.0.9"/))
  test('another list', async () => {
    writeFileSync(join(cwd, 'shorter'), `${NAMES.slice(1).join('\0')}\0`)
    const line = [
      'agent',
      'verify',
      '--bundles-from',
      'shorter',
      '-0',
      '--format',
      'ndjson',
      '--run',
      'night',
      '--shard',
      '3/4',
    ]
    await refused({ 3: (await run(line, undefined, { cwd })).stdout }, /the list has 9 bundles/)
  })
  test('a job with an empty home', async () => {
    const before = process.env['RUNLOOP_HOME']
    process.env['RUNLOOP_HOME'] = join(cwd, 'nowhere')
    const text = await job('2/4', '--run', 'night')
    process.env['RUNLOOP_HOME'] = before
    await refused({ 2: text }, /policies, marks and flags are/)
  })
  test('a job with another policy, and one with another flag', async () => {
    const before = process.env['RUNLOOP_HOME']
    process.env['RUNLOOP_HOME'] = home('other', MANY.replace('allow_exec = true', 'allow_exec = false'))
    const text = await job('2/4', '--run', 'night')
    process.env['RUNLOOP_HOME'] = before
    await refused({ 2: text }, /policies, marks and flags are/)
    await refused({ 2: await job('2/4', '--run', 'night', '--allow-dev') }, /policies, marks and flags are/)
  })
  test('a policy that changed while its job ran', () =>
    refused(summaryWith(4, { basis: null }), /changed while it was written/))
  test('a part twice', async () => {
    await merge({})
    const { exit, stderr } = await run(
      ['report', 'merge', 'part-1', 'part-2', 'part-3', 'part-4', 'part-2'],
      undefined,
      { cwd },
    )
    assert.equal(exit, 2)
    assert.match(stderr, /"part-2": it is shard 2\/4, and so is "part-2"/)
  })
  test('a bundle in the wrong part: the line and its name', async () => {
    const [name = ''] = NAMES.filter(one => partOf(one) !== crowded)
    const line = (parts.get(partOf(name)) ?? '').split('\n')[0] ?? ''
    await refused(
      changed(crowded, lines => [line, ...lines.slice(1)]),
      new RegExp(
        `"part-${crowded}": line 1: "all/agent_\\d-1.0.0.agent.bundle" belongs to shard ${partOf(name)}/4, and not to ${crowded}/4`,
      ),
    )
  })
  test('a bundle twice', () =>
    refused(
      changed(crowded, lines => [lines[0] ?? '', ...lines]),
      /line 2: "all\/agent_\d-1.0.0.agent.bundle" is on line 1 already/,
    ))
  test('a bundle that was left out, though the counts were made to fit', async () => {
    const gone = changed(crowded, lines => {
      const summary = JSON.parse(lines.at(-1) ?? '')
      const { bundles, accepted, listed } = summary
      const fitting = {
        ...summary,
        bundles: bundles - 1,
        accepted: accepted - 1,
        verdicts: { ...summary.verdicts, trusted: summary.verdicts.trusted - 1 },
      }
      return [
        ...lines.slice(1, -1),
        JSON.stringify({ ...fitting, listed: { ...listed, here: listed.here - 1 } }),
      ]
    })
    await refused(gone, /the parts hold 9 bundles, and the list has 10/)
    await refused(gone, /does not name "all\/agent_\d-1.0.0.agent.bundle", which is on the list/, [
      '--list',
      'list',
      '-0',
    ])
  })
  test('counts that the lines do not have', async () => {
    await refused(
      changed(crowded, lines => lines.slice(1)),
      /its summary counts/,
    )
    await refused(summaryWith(crowded, { exit: 4 }), /its summary counts/)
  })
  test('judgements too far apart: a signed part of the night before', async () => {
    const earlier = new Date(Date.now() - 25 * 3_600_000).toISOString().replace(/\.\d+Z/, 'Z')
    await refused(summaryWith(2, { began: earlier, ended: earlier }), /more than 1d/)
    assert.equal(
      (await merge(summaryWith(2, { began: earlier, ended: earlier }), ['--within', '26h'])).exit,
      1,
    )
    await refused(
      summaryWith(2, { began: '2026-01-02T00:00:00Z', ended: '2026-01-01T00:00:00Z' }),
      /before it began/,
    )
  })
  test('reports of whole lists, merged ones, and those of an older rlp', async () => {
    const whole = (await run(['agent', 'verify', 'all', '--format', 'ndjson'], undefined, { cwd })).stdout
    await refused({ 2: whole }, /it is about a whole list/)
    await merge({})
    await refused({ 2: readFileSync(join(cwd, 'merged'), 'utf8') }, /it was merged already/)
    await refused(
      changed(2, lines => [...lines.slice(0, -1), '{"type":"summary","bundles":1}']),
      /an older rlp/,
    )
  })
  test('a name that is not on the list', async () => {
    writeFileSync(join(cwd, 'nine'), `${NAMES.filter(name => partOf(name) !== crowded).join('\0')}\0`)
    await refused({}, /is not on the list/, ['--list', 'nine', '-0'])
  })
  test('a list that names one more, one twice, none, and one without names', async () => {
    const at = (text: string) => writeFileSync(join(cwd, 'odd'), text)
    at(`${[...NAMES, 'all/another.agent.bundle'].join('\n')}\n`)
    await refused({}, /does not name "all\/another.agent.bundle"/, ['--list', 'odd'])
    at(`${NAMES.join('\n')}\noci://registry.example/agents/mailer\n`)
    await refused({}, /no report names "oci:\/\/registry.example\/agents\/mailer"/, ['--list', 'odd'])
    at(`${NAMES.join('\n')}\n${NAMES[0]}\n`)
    await refused({}, /line 11: "all\/agent_0-1.0.0.agent.bundle" is there twice/, ['--list', 'odd'])
    at('')
    await refused({}, /names no bundle/, ['--list', 'odd'])
  })
  test('a name with slashes at its end is on the list, also if nothing is there, and a folder is not', async () => {
    mkdirSync(join(cwd, 'void'), { recursive: true })
    const slashes = ['not/there//', 'void/', NAMES[0] as string]
    const write = (names: readonly string[]) =>
      writeFileSync(join(cwd, 'slashes'), names.map(name => `${name}\0`).join(''))
    const jobs = async () => {
      for (const index of [1, 2]) {
        const line = ['agent', 'verify', '--bundles-from', 'slashes', '-0', '--format', 'ndjson']
        const { stdout } = await run([...line, '--shard', `${index}/2`], undefined, { cwd })
        writeFileSync(join(cwd, `slash-${index}`), stdout, { mode: 0o600 })
      }
      const line = ['report', 'merge', 'slash-1', 'slash-2', '--list', 'slashes', '-0']
      return run(line, undefined, { cwd })
    }
    write(slashes)
    const merged = await jobs()
    assert.deepEqual([merged.exit, merged.stderr.includes('Cannot')], [3, false], merged.stderr)
    write(['all'])
    const { exit, stderr } = await jobs()
    assert.equal(exit, 2)
    assert.match(stderr, /is not on the list\n\s*hint: .*It names bundles and repositories, no folders/)
  })
  test('parts that hold no bundle at all: the list is of empty repositories', async () => {
    const nothing = (index: number) =>
      summaryWith(index, {
        ...{ bundles: 0, accepted: 0, verdicts: {}, exit: 0 },
        listed: { targets: 1, here: index === 1 ? 1 : 0, sha256: '0'.repeat(64) },
      })[index]
    const texts = [1, 2, 3, 4].map(index => [index, `${nothing(index)?.trimEnd().split('\n').at(-1)}\n`])
    await refused(Object.fromEntries(texts), /no part holds a bundle/)
  })
  test('lines of another program, two values for one name, and what follows the summary', async () => {
    await refused(
      changed(crowded, lines => ['{"type":"other"}', ...lines]),
      /line 1: it is not one of a report/,
    )
    await refused(
      changed(crowded, ([first = '', ...lines]) => [first.replace('{', '{"target":"x",'), ...lines]),
      /line 1: it is not one of/,
    )
    await refused(
      changed(crowded, ([first = '', ...lines]) => [first.replace('"exit":0', '"exit":9'), ...lines]),
      /line 1: it is not one of/,
    )
    await refused({ 2: `${parts.get(2)}${parts.get(2)}` }, /it follows the summary/)
  })
})

describe('signed parts', () => {
  const KEY = ['--since-key', 'second', '--since-key', 'dev']
  test('are merged if each is signed by one of the keys', async () => {
    assert.equal((await merge({}, KEY, signedParts)).exit, 1)
  })
  test('one that is not signed, and one that another key has signed', async () => {
    await refused({ 2: parts.get(2) }, /Cannot rely on "part-2": it is not signed/, KEY, signedParts)
    await refused({}, /no key of --since-key has signed it/, ['--since-key', 'second'], signedParts)
  })
  test('a line that was changed after it was signed, and one that was added behind the signature', async () => {
    const text = signedParts.get(crowded) ?? ''
    await refused(
      { [crowded]: text.replace('"reused":false', '"reused":true') },
      /Cannot rely on/,
      KEY,
      signedParts,
    )
    const line = text.split('\n')[0]
    await refused({ [crowded]: `${text}${line}\n` }, /it follows the summary/, KEY, signedParts)
  })
  test('yesterday’s part, whole and signed, is of another run', async () => {
    const yesterday = await job('2/4', '--run', 'yesterday', '--key', 'second')
    await refused({ 2: yesterday }, /the run is "yesterday"/, KEY, signedParts)
  })
})

/** One edit of the lines of a part. */
type Edit = readonly [kind: 'drop' | 'repeat' | 'move' | 'swap digit' | 'cut', part: number, line: number]

function edited(texts: readonly string[], edits: readonly Edit[]): string[] {
  const lines = texts.map(text => text.trimEnd().split('\n'))
  for (const [kind, part, line] of edits) {
    const own = lines[part] as string[]
    const at = line % Math.max(own.length, 1)
    const [one = ''] = kind === 'repeat' || kind === 'swap digit' ? [own[at]] : own.splice(at, 1)
    if (kind === 'repeat') own.push(one)
    if (kind === 'move') lines[(part + 1) % OF]?.unshift(one)
    if (kind === 'swap digit') own[at] = one.replace(/[0-9]/, digit => `${(Number(digit) + 1) % 10}`)
    if (kind === 'cut') own.splice(at)
  }
  return lines.map(own => own.map(line => `${line}\n`).join(''))
}

test('whatever is done to lines of parts, what is complete names the list once, with the verdicts of the jobs', async () => {
  const texts = [1, 2, 3, 4].map(index => parts.get(index) ?? '')
  const wanted = new Map(
    texts
      .flatMap(text => text.trimEnd().split('\n').slice(0, -1))
      .map(line => [JSON.parse(line).target, line]),
  )
  const edit = fc.tuple(
    fc.constantFrom('drop', 'repeat', 'move', 'swap digit', 'cut'),
    fc.nat({ max: OF - 1 }),
    fc.nat({ max: 4 }),
  ) as fc.Arbitrary<Edit>
  const here = folder('edited')
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 3 }), async edits => {
      const reports = edited(texts, edits).map((text, at) => {
        const path = join(here, `${at}`)
        writeFileSync(path, text, { mode: 0o600 })
        return path
      })
      const out = join(here, 'merged')
      rmSync(out, { force: true })
      const merged = mergeReports(reports, { list: join(cwd, 'list'), nul: true, out })
      const report = await merged.catch((error: unknown) => {
        assert.match(String(error), /^(?:Usage|Rlp)Error: Cannot (?:merge|use)/)
        return undefined
      })
      if (report?.merged.missing !== null) return assert.ok(!existsSync(out))
      const lines = readFileSync(out, 'utf8').trimEnd().split('\n').slice(0, -1)
      const verdicts = lines.map(line => JSON.parse(line)).map(({ target, verdict }) => [target, verdict])
      const expected = [...wanted].map(([target, line]) => [target, JSON.parse(line).verdict])
      assert.deepEqual(new Map(verdicts as []), new Map(expected as []))
      assert.deepEqual([report.bundles, report.exit], [NAMES.length, 1])
    }),
    { seed: 70, numRuns: upTo(100, 5000) },
  )
})

describe('calls that make no sense', () => {
  test('flags that need others', async () => {
    await refused({}, /Cannot use --key: it would vouch for parts/, ['--key', 'release'])
    await refused({}, /Cannot use --null/, ['-0'])
    await refused({}, /Cannot use --within: it is not a time/, ['--within', 'soon'])
    const ran = await run(['report', 'merge', 'part-1', '--partial'], undefined, { cwd })
    assert.deepEqual([ran.exit, /nothing is written/.test(ran.stderr)], [2, true])
    const same = await run(['report', 'merge', 'part-1', '--out', './part-1'], undefined, { cwd })
    assert.deepEqual([same.exit, /one of the reports/.test(same.stderr)], [2, true])
  })
  test('writing over a report or the list by another name', async () => {
    const names = [1, 2, 3, 4].map(index => `part-${index}`)
    const writing = (out: string) =>
      run(['report', 'merge', ...names, '--list', 'list', '-0', '--out', out], undefined, { cwd })
    await merge({})
    symlinkSync('.', join(cwd, 'again'))
    linkSync(join(cwd, 'part-1'), join(cwd, 'part-1-too'))
    assert.equal((await writing('again/merged')).exit, 1)
    for (const out of ['again/part-1', 'part-1-too', 'again/list', 'list']) {
      const { exit, stderr } = await writing(out)
      assert.match(stderr, /Cannot use --out: it is (?:one of the reports|the list)/)
      assert.equal(exit, 2)
    }
    assert.equal(readFileSync(join(cwd, 'part-1'), 'utf8'), parts.get(1))
  })
  test('a report that is not there, and one that others may write', async () => {
    await merge({})
    const missing = await run(['report', 'merge', 'part-1', 'part-9'], undefined, { cwd })
    assert.deepEqual([missing.exit, /Cannot read "part-9": no such file/.test(missing.stderr)], [2, true])
    chmodSync(join(cwd, 'part-1'), 0o666)
    const loose = await run(['report', 'merge', 'part-1', 'part-2', 'part-3', 'part-4'], undefined, { cwd })
    assert.equal(loose.exit, 3)
    assert.match(loose.stderr, /others may write|Cannot rely/)
  })
})
