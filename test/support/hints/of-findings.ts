// Fixes of findings: each fixture of lint whose fix names a command is placed on a disk, and mended by that command.
import assert from 'node:assert/strict'
import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import type { ExitCode } from '../../../src/model/exit-code.ts'
import { world } from '../install-world.ts'
import { LINT_FIXTURES, ROOT, VALID_FIXTURES } from '../lint-fixtures.ts'
import { follow, keysIn, placeIn } from './led.ts'

interface Found {
  readonly rule: string
  readonly file: string
  readonly fix: string
}

/** What a person does first; `folder` is that of the agent. */
type Step = (folder: string, fix: string) => void

/** A module that does something. */
const MODULE = join(ROOT, VALID_FIXTURES, 'minimal/bin/hello.wasm')

const build: Step = (folder, fix) => {
  const [path = ''] = /bin\/\w+(?:\.wasm)?/.exec(fix) ?? [entryOf(folder)]
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  copyFileSync(MODULE, join(folder, path))
}

function entryOf(folder: string): string {
  return /bin\/[\w.]+/.exec(readFileSync(join(folder, 'manifest.toml'), 'utf8'))?.[0] ?? ''
}

function changeManifest(folder: string, change: (text: string) => string): void {
  const path = join(folder, 'manifest.toml')
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

/** By fixture: the command that the fix names, and what comes before it. */
const FIXTURES: Readonly<
  Record<
    string,
    readonly [command: string, first?: Step | undefined, words?: readonly string[], exit?: ExitCode]
  >
> = {
  'files/signatures': ['agent verify', undefined, ['agent'], 1],
  'manifest/artifact-twice': ['agent digest'],
  'manifest/digest-format': ['agent digest'],
  'manifest/digest-missing': ['agent digest'],
  'manifest/digest-pending': ['agent digest'],
  'manifest/digest-stale': ['agent digest'],
  'manifest/entry-missing': [
    'agent digest',
    (folder, fix) => {
      const [line = ''] = /entry_wasm = \{[^}]*\}/.exec(fix) ?? []
      changeManifest(folder, text =>
        text.replace('[agent]\n', `[agent]\n${line}\n`).replace(/\n\[artifacts\.files\][^[]*/, '\n'),
      )
    },
  ],
  'manifest/file-missing': ['agent digest', build],
  'tools/agentcli': [
    'tool import',
    folder => {
      // A program below a temporary folder may have no fixed place.
      const theirs = readFileSync(join(folder, 'tools.json'), 'utf8').replace('./tools/bin/', '/usr/bin/')
      writeFileSync(join(folder, '../theirs.json'), theirs)
      writeFileSync(join(folder, 'tools.json'), '{"version":1,"tools":[]}')
    },
    ['agent', 'theirs.json'],
  ],
  'wasm/component': ['agent digest', build],
  'wasm/malformed': ['agent digest', build],
  'wasm/native-format': [
    'agent digest',
    (folder, fix) => {
      build(folder, fix)
      const [line = ''] = /entry_wasm = \{[^}]*\}/.exec(fix) ?? []
      changeManifest(folder, text =>
        text.replace(/^entry_native.*$/m, line).replace('"native-shim"', '"wasm32-wasip1"'),
      )
    },
  ],
  'wasm/no-entry': ['agent digest', build],
  'wasm/no-memory': ['agent digest', build],
  'wasm/not-wasm': ['agent digest', build],
  'wasm/stub': ['agent digest', build],
}

export function hintsOfFindings(folder: (part: string) => string): void {
  function placed(name: string, from: string) {
    const at = world(folder(name))
    keysIn(at.home, { release: 1 })
    cpSync(join(ROOT, from), join(at.cwd, 'agent'), { recursive: true })
    return { ...at, ...placeIn(at.cwd, at.home), agent: join(at.cwd, 'agent') }
  }
  type Placed = ReturnType<typeof placed>
  const findingsOf = async (here: Placed): Promise<readonly Found[]> => {
    const { envelope } = await here.rlp('agent', 'lint', 'agent')
    const { agents } = (envelope.result ?? envelope) as { agents: { findings: Found[] }[] }
    return agents.flatMap(({ findings }) => findings)
  }
  const has = (all: readonly Found[], { rule, file, fix }: Found) =>
    all.some(one => one.rule === rule && one.file === file && one.fix === fix)

  async function mends(
    here: Placed,
    rule: string,
    command: string,
    first?: Step | undefined,
    words?: readonly string[],
    exit: ExitCode = 0,
  ) {
    const found = (await findingsOf(here)).find(
      one => one.rule === rule && one.fix.includes(`rlp ${command}`),
    )
    assert.ok(found, `a finding of ${rule} whose fix names rlp ${command}`)
    const hint = found.fix
    const given = first === undefined ? {} : { first: () => first(here.agent, found.fix) }
    await follow(here, hint, command, { words: words ?? ['agent'], exit, ...given })
    return found
  }

  describe('a finding is gone after the command of its fix', () => {
    for (const [id, [command, first, words, exit]] of Object.entries(FIXTURES))
      test(id, async () => {
        const here = placed(id, `${LINT_FIXTURES}/${id}/agent`)
        const isShown = command === 'agent verify'
        const found = await mends(here, id, command, first, words, exit)
        if (!isShown) assert.ok(!has(await findingsOf(here), found), JSON.stringify(found))
      })

    test('files/required, and the digest of the file that was written', async () => {
      const here = placed('required', `${LINT_FIXTURES}/files/required/agent`)
      const found = await mends(here, 'files/required', 'agent lint', undefined, ['agent'], 1)
      await follow(here, found.fix, 'agent digest', { words: ['agent'] })
      assert.ok(!(await findingsOf(here)).some(({ rule }) => rule === 'manifest/digest-missing'))
    })

    test('manifest/digest-stale, of a file with other line ends', async () => {
      const here = placed('line-ends', `${VALID_FIXTURES}/minimal`)
      const path = join(here.agent, 'policy.caps')
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'))
      const found = await mends(here, 'manifest/digest-stale', 'agent digest')
      assert.ok(!has(await findingsOf(here), found))
    })

    test('manifest/fixed-path, of a file that has a table of its own', async () => {
      const here = placed('fixed-path', `${VALID_FIXTURES}/minimal`)
      changeManifest(
        here.agent,
        text =>
          `${text.replace(/\[artifacts\.policy\][^[]*/, '')}\n[artifacts.files]\n"policy.caps" = "${'0'.repeat(64)}"\n`,
      )
      const remove: Step = folder =>
        changeManifest(folder, text => text.replace(/\n\[artifacts\.files\]\n.*\n/, '\n'))
      const found = await mends(here, 'manifest/fixed-path', 'agent digest', remove)
      assert.ok(!has(await findingsOf(here), found))
    })

    test('tools/version, of a list of another system', async () => {
      const here = placed('version', `${LINT_FIXTURES}/tools/agentcli/agent`)
      const tools = [{ name: 'page', description: 'Reads', inputSchema: { type: 'object' } }]
      writeFileSync(join(here.agent, 'tools.json'), JSON.stringify({ tools }))
      const found = (await findingsOf(here)).find(({ rule }) => rule === 'tools/version')
      assert.ok(found)
      renameSync(join(here.agent, 'tools.json'), join(here.cwd, 'mcp.json'))
      writeFileSync(join(here.agent, 'tools.json'), '{"version":1,"tools":[]}')
      // It asks next how the tools are run.
      await follow(here, found.fix, 'tool import', {
        fill: { AGENT: 'agent', FILE: 'mcp.json' },
        exit: 2,
      })
      assert.ok(!has(await findingsOf(here), found))
    })

    test('manifest/file-missing, of an entry that is there under nearly its name', async () => {
      const here = placed('entry', `${VALID_FIXTURES}/minimal`)
      const entry = entryOf(here.agent)
      const misspelt = entry.replace('.wasm', '1.wasm')
      changeManifest(here.agent, text => text.replace(entry, misspelt))
      const correct: Step = (folder, fix) =>
        changeManifest(folder, text => text.replace(`"${misspelt}"`, /"[^"]+"/.exec(fix)?.[0] ?? ''))
      const found = await mends(here, 'manifest/file-missing', 'agent digest', correct)
      assert.deepEqual(await findingsOf(here).then(all => all.filter(({ rule }) => rule === found.rule)), [])
    })

    test('manifest/file-missing, of a file that is no program', async () => {
      const here = placed('file-missing', `${VALID_FIXTURES}/minimal`)
      changeManifest(here.agent, text => `${text}\n[artifacts.files]\n"gone.txt" = "${'0'.repeat(64)}"\n`)
      const found = await mends(here, 'manifest/file-missing', 'agent digest')
      assert.ok(!has(await findingsOf(here), found))
    })
  })
}
