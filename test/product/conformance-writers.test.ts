// The vectors for writers: rlp writes their bytes, readers take them, and writers that share nothing with src/ write the same.
// All of them in `.ci/run`; here every eleventh through the library, and every 83rd through the program.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { sealedEntries } from '../../fixtures/conformance/contents.ts'
import { POLICY_NAME } from '../../fixtures/conformance/kit.ts'
import { archive } from '../../fixtures/conformance/ustar.ts'
import { VERSION } from '../../fixtures/conformance/vector.ts'
import { pemOf, SIGNER } from '../../fixtures/conformance/world.ts'
import { writeKit } from '../../fixtures/conformance/write-kit.ts'
import { type WriterEntry, writerEntryOf, writerVectors } from '../../fixtures/conformance/writer-vectors.ts'
import { builtProgram } from '../support/built.ts'
import { temporary } from '../support/folder.ts'
import { answerTo } from '../support/kit-judge.ts'
import { type Question, writtenFor } from '../support/kit-writer.ts'
import { IN_CI, LATE, slice, step } from '../support/runs.ts'
import { READER_STATEMENTS, WRITER_STATEMENTS } from '../support/spec-statements.ts'

const ROOT = join(import.meta.dirname, '../..')
const SOURCES = join(ROOT, 'fixtures/conformance')
const PYTHON = '/usr/bin/python3'
const SECOND = join(ROOT, 'docs/spec/writer.py')
const EVERY = step(11)
const folderFor = temporary('conformance-writers')

const entries = writerVectors().map(writerEntryOf)
const byId = new Map(entries.map(entry => [entry.id, entry]))
const isRefused = ({ verdict }: WriterEntry) => verdict === 'refused'
const noPython =
  spawnSync(PYTHON, ['-c', 'import tomllib, cryptography']).status !== 0 && 'no python3-cryptography'

/** As run.mjs does it. */
const { questionFor, canBeAsked, differenceOf } = (await import(
  new URL('../../fixtures/conformance/writers.mjs', import.meta.url).href
)) as {
  questionFor(entry: WriterEntry, kit: string, work: string): Question
  canBeAsked(command: string, entry: WriterEntry): boolean
  differenceOf(entry: WriterEntry, question: Question, answer: object, kit: string): string | undefined
}

let kit = ''
before(() => {
  kit = folderFor('kit')
  writeKit(kit, [], SOURCES, ['writers'])
})

describe('the vectors for writers', () => {
  test('each has a name of its own, and asks something else', () => {
    assert.equal(byId.size, entries.length)
    assert.equal(new Set(entries.map(({ input }) => JSON.stringify(input))).size, entries.length)
  })
  test('each that is refused has a twin that is written', () => {
    for (const entry of entries) {
      const { id, twin, codes, output } = entry
      assert.equal(isRefused(entry), twin !== null, id)
      assert.equal(isRefused(entry), output === null, id)
      assert.equal(isRefused(entry), codes.length > 0, id)
      if (twin !== null) assert.notEqual(byId.get(twin)?.output ?? null, null, id)
    }
  })
  test('each statement for writers has one, and no other statement is named', () => {
    const named = new Set(entries.flatMap(({ statements }) => statements))
    assert.ok(WRITER_STATEMENTS.length > 10)
    assert.deepEqual(
      WRITER_STATEMENTS.filter(number => !named.has(number)),
      [],
    )
    const known = [...WRITER_STATEMENTS, ...READER_STATEMENTS]
    assert.equal(new Set(known).size, known.length)
    assert.deepEqual(
      [...named].filter(number => !known.includes(number)),
      [],
    )
  })
})

test('every page has the version of the kit', () => {
  const spec = join(ROOT, 'docs/spec')
  for (const page of readdirSync(spec).filter(name => name.endsWith('.md')))
    assert.match(
      readFileSync(join(spec, page), 'utf8'),
      new RegExp(`\\bversion\\s+${VERSION}\\.\\s`, 'i'),
      page,
    )
  for (const page of ['docs/spec/kit.md', 'CONTRIBUTING.md'])
    assert.ok(readFileSync(join(ROOT, page), 'utf8').includes(`\`rlp-conformance-${VERSION}.tar.gz\``), page)
})

describe('the writers', () => {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(kit, 'run.mjs'), '--writers', ...args],
      { encoding: 'utf8', cwd: ROOT },
    )
    const found = [...stdout.matchAll(/^((?:pack|sign)\/\S+): expected .* \((P-\d+.*)\)$/gm)]
    return { status, stdout, stderr, found: found.map(([, id = '']) => id) }
  }

  test('rlp writes the bytes of each vector, or refuses for its reason', async () => {
    const differing: string[] = []
    const work = folderFor('work')
    for (const [at, entry] of entries.entries()) {
      if (at % EVERY !== 0) continue
      const question = questionFor(entry, kit, join(work, `${at}`))
      const answer = await writtenFor(question)
      const difference = differenceOf(entry, question, answer, kit)
      if (difference !== undefined) differing.push(`${entry.id}: ${difference}`)
      if (isRefused(entry)) assert.notEqual(answer.codes.length, 0, entry.id)
    }
    assert.deepEqual(differing, [])
  })

  test('both readers take what is written', { skip: noPython }, async () => {
    const policy = join(kit, POLICY_NAME)
    const given = { expect: 'any', dev: null, system: null, attestations: null, lock: null, state: null }
    const clock = '2026-06-01T00:00:00Z'
    const written = entries
      .flatMap(({ id, verdict, output }) =>
        output?.bundle ? [{ id, verdict, bundle: join(kit, output.bundle.path) }] : [],
      )
      .filter((_, at) => at % EVERY === 0)
    assert.ok(written.length > 150 / EVERY)
    const lines = written.map(
      ({ bundle }) => `${bundle}\t${policy}\t${JSON.stringify({ ...given, clock })}\n`,
    )
    const { stdout } = spawnSync(PYTHON, [join(ROOT, 'docs/spec/reader.py'), '--lines'], {
      input: lines.join(''),
      encoding: 'utf8',
    })
    const answers = stdout.split('\n')
    for (const [at, { id, verdict, bundle }] of written.entries()) {
      assert.equal(JSON.parse(answers[at] ?? '').verdict, verdict, id)
      assert.equal((await answerTo({ ...given, bundle, policy, clock })).verdict, verdict, id)
    }
  })

  test('the program does too, by the calls in docs/spec', { skip: LATE }, () => {
    const program = `RUNLOOP_HOME='${folderFor('home')}' '${process.execPath}' '${builtProgram()}'`
    const page = readFileSync(join(ROOT, 'docs/spec/kit.md'), 'utf8')
    const calls = [...page.matchAll(/^node conformance\/run\.mjs --writers '((?!writer ).*)'$/gm)].map(
      ([, call = '']) => call,
    )
    assert.equal(calls.length, 2)
    for (const [at, call] of calls.entries()) {
      const { status, stdout, stderr } = run(
        call.replace('rlp ', () => `${program} `),
        '--every',
        IN_CI ? '41' : '167',
      )
      assert.equal(status, 0, stdout + stderr)
      assert.match(stdout, [/^1 archive +[1-9]/m, /^2 signature +[1-9]/m][at] as RegExp)
    }
  })

  const tar = `sh '${join(ROOT, 'test/support/pack-by-tar.sh')}' {input} {output}`
  test('tar writes the same archives', { skip: LATE }, () => {
    const groups = IN_CI ? ['order', 'path', 'size', 'content', 'mode', 'time'] : ['order', 'path']
    for (const group of groups) {
      const { status, stdout, stderr } = run(tar, '--only', `pack/${group}/`, '--every', IN_CI ? '1' : '3')
      assert.equal(status, 0, stdout + stderr)
    }
    assert.deepEqual(run(tar, '--only', 'pack/left-out/dot').found, ['pack/left-out/dot-named'])
  })
  test('a second writer writes the same, or refuses with the same code', { skip: noPython }, () => {
    const { status, stdout, stderr } = run('--lines', `${PYTHON} '${SECOND}' --lines`, '--every', `${EVERY}`)
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /^1 archive +[1-9].*\n2 signature +[1-9]/m)
  })

  // Too large for the kit: six megabytes each.
  test('neither signs a bundle that would have an entry too many', {
    skip: !IN_CI || noPython,
  }, async () => {
    const work = folderFor('many')
    const key = join(work, 'key.pem')
    const { seed } = SIGNER
    assert.ok(seed !== undefined)
    writeFileSync(key, pemOf(seed), { mode: 0o600 })
    const given = { kind: 'sign', key, seed: seed.toString('hex'), notAfter: null, renew: null } as const
    const verdicts: unknown[] = []
    for (const count of [9_999, 10_000]) {
      const input = join(work, `${count}.bundle`)
      const files = Object.fromEntries(Array.from({ length: count - 4 }, (_, at) => [`data/${at}`, '']))
      writeFileSync(input, archive(sealedEntries({ files, signed: false })))
      const question = { ...given, input, output: `${input}.rlp`, envelope: `${input}.sig` }
      verdicts.push((await writtenFor(question)).verdict)
      const { stdout } = spawnSync(PYTHON, [SECOND, '--lines'], {
        input: `${JSON.stringify({ ...question, output: `${input}.second` })}\n`,
        encoding: 'utf8',
      })
      verdicts.push(JSON.parse(stdout).verdict)
    }
    assert.deepEqual(verdicts, ['written', 'written', 'refused', 'refused'])
  })

  const WRONG_ARCHIVES: readonly (readonly [call: string, group: string, found: string])[] = [
    [`SORT=-f ${tar}`, 'order/', 'pack/order/case'],
    [`SORT=-V ${tar}`, 'order/', 'pack/order/digits-are-characters'],
    [`WITH='-b20' ${tar}`, 'plain', 'pack/plain'],
    [`WITH='--mtime=@0' ${tar}`, 'plain', 'pack/plain'],
    [`WITH='--owner=1' ${tar}`, 'plain', 'pack/plain'],
    [`WITH='--mode=0644' ${tar}`, 'plain', 'pack/plain'],
    [`WITH='--format=gnu' ${tar}`, 'plain', 'pack/plain'],
    [`WITH='--format=pax' ${tar}`, 'path/155', 'pack/path/155-and-100'],
  ]
  test('an archive that differs in an order or a field is found', () => {
    for (const [at, [call, group, id]] of WRONG_ARCHIVES.entries()) {
      if (at % step(8) !== 0) continue
      const { status, found, stderr } = run(call, '--only', `pack/${group}`)
      assert.equal(status, 1, stderr)
      assert.ok(found.includes(id), `${call}: ${found.join(' ')}`)
    }
  })

  /** What a writer could get wrong, as changes of the second one; and the vectors that find it. */
  const WRONG: readonly (readonly [from: string, to: string, vectors: string])[] = [
    ['entry.name.startswith(".")', 'False', 'pack/left-out/dots-'],
    ['not os.path.lexists(entry.path + "/manifest.toml")', 'True', 'pack/left-out/other-agent'],
    ['(is_folder or not folders)', 'True', 'pack/left-out/pattern-'],
    ['not fitting[-1]', 'not all(fitting)', 'pack/left-out/pattern-'],
    ['follow_symlinks=False)\n', 'follow_symlinks=True)\n', 'pack/link/to-'],
    ['path.split("/")[0] != "SIGNATURES"', 'True', 'pack/signatures/'],
    ['    sound(data)\n    return data', '    return data', 'pack/manifest/stale'],
    ['key=rank', 'key=lambda path: (path != MANIFEST, path.lower())', 'pack/order/case'],
    ['key=rank', 'key=lambda path: (path != MANIFEST, path)', 'sign/among-files'],
    ['    sound(data)\n    files', '    files', 'sign/unsound/'],
    ['("name", "version", "variant")', '("name", "variant", "version")', 'sign/agent/variant'],
    ['or is_second(end)', 'or True', 'sign/end/bad-d'],
    ['key.sign(message)', 'key.sign(payload)', 'sign/plain'],
    [
      'payload = base64.b64decode(old["payload"])',
      'payload = statement(manifest, end)',
      'sign/more/keeps-the-end',
    ],
    ['need(end in', 'need(True or end in', 'sign/more/with'],
    ['sorted(signatures.items())', 'signatures.items()', 'sign/more/b'],
    [
      'sorted(signatures.items())',
      'sorted(signatures.items(), key=lambda one: one[0].lower())',
      'sign/more/pair-',
    ],
    ['len(signatures) <= 16', 'len(signatures) <= 17', 'sign/more/seventeenth'],
    ['any("\\r" in line for line in lines)', 'False', 'pack/left-out/bad-patterns-'],
    ['path.is_file() and not path.is_symlink()', 'path.is_file()', 'pack/left-out/patterns-as-a-'],
    ['.find("\\ufffd") < 0', '', 'pack/name/not-utf-8'],
    ['or asked["renew"]: ', ': ', 'sign/renew/'],
  ]
  test('a second writer without one of its rules is found, by the vectors of this rule', {
    skip: noPython,
  }, () => {
    const right = readFileSync(SECOND, 'utf8')
    for (const [at, [from, to, vectors]] of WRONG.entries()) {
      if (at % step(11) !== 0) continue
      const folder = folderFor('wrong')
      assert.ok(right.includes(from), from)
      writeFileSync(
        join(folder, 'writer.py'),
        right.replace(from, () => to),
      )
      copyFileSync(join(ROOT, 'docs/spec/reader.py'), join(folder, 'reader.py'))
      const { status, found } = run('--lines', `${PYTHON} '${folder}/writer.py' --lines`, '--only', vectors)
      assert.equal(status, 1, to)
      assert.notDeepEqual(found, [], to)
    }
  })
  test('a writer that says nothing, writes nothing, or is not there differs everywhere', {
    skip: LATE,
  }, () => {
    const differs = (command: string, id: string) => {
      const { status, stdout } = run(command, '--only', id)
      assert.equal(status, 1, command)
      assert.match(stdout, /^1 archive +1 +0 +1 +0$/m)
    }
    // Several of these end alike: in a refusal, in an exit code from 126 on, in success with other bytes or none.
    for (const command of slice(['true', 'exit 1', '/not/there', ': > {output} #'], 4))
      differs(`${command} {input} {output}`, 'pack/plain')
    const ends = [['true', 'cp -r'], ['/not/there', 'kill -9 $$;'], ['cp -r {input} {output}; exit 1;']]
    for (const command of ends.flatMap(kind => slice(kind, 2)))
      differs(`${command} {input} {output}`, 'pack/link/to-nothing')
  })
  test('a command is asked only what it has places for', () => {
    const ids = ['pack/plain', 'sign/plain', 'sign/end/usual', 'sign/renew/one', 'sign/unsound/stale']
    const asked = (places: string) =>
      ids.filter(id => canBeAsked(`x ${places}`, byId.get(id) as WriterEntry)).join(' ')
    assert.equal(asked('{input} {output}'), 'pack/plain')
    assert.equal(asked('{input} {key} {output}'), 'sign/plain sign/unsound/stale')
    assert.equal(asked('{input} {seed} {output} {notAfter:-e} {renew:-r}'), ids.slice(1).join(' '))
    assert.equal(asked('{kind} {input} {key} {output} {notAfter} {renew}'), ids.join(' '))
    assert.equal(asked('{manifest} {seed} {envelope} {notAfter} {renew}'), 'sign/plain sign/end/usual')
    assert.equal(
      asked('{manifest} {before} {seed} {envelope} {notAfter} {renew}'),
      'sign/plain sign/end/usual sign/renew/one',
    )
  })
  test('a wrong call is a wrong call', () => {
    const wrong = [
      [],
      ['true {input}'],
      ['true {input} {output}', '--only', 'sign/'],
      ['x', '--texts', '--only', 'a'],
    ]
    for (const args of slice(wrong, 2)) {
      const { status, stderr } = run(...args)
      assert.equal(status, 2)
      assert.match(stderr, /^Cannot run: /)
    }
  })
})
