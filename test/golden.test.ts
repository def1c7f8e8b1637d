// Command transcripts: test/golden/*.txt hold commands, what they print and how they end; the built command has to say the same.
// UPDATE_GOLDEN=1 npm run test:only -- writes them anew and names the files it wrote.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { REGISTRY } from '../src/cli/commands/index.ts'

const GOLDEN = 'test/golden'
const RLP = resolve('dist/rlp.js')
const MOST_LINES = 60
const update = process.env['UPDATE_GOLDEN'] === '1'
const transcripts = readdirSync(GOLDEN).filter(name => name.endsWith('.txt'))

/** `# comment`, `copy: from -> to`, `$ command`; everything else is output and is made anew. */
function replay(transcript: string, folder: string): string {
  const out: string[] = []
  // What a command printed may look like a comment; in a new transcript nothing has been printed yet.
  const isNew = !/^\[exit /m.test(transcript)
  let isOutput = false
  for (const line of transcript.split('\n')) {
    if (line.startsWith('$ ')) isOutput = !isNew
    else if (line.startsWith('[exit ')) isOutput = false
    if (line.startsWith('# ') && !isOutput) out.push(line)
    const copy = /^copy: (\S+) -> (\S+)$/.exec(line)
    if (copy?.[1] && copy[2]) {
      cpSync(copy[1], join(folder, copy[2]), { recursive: true })
      out.push(line)
    }
    if (!line.startsWith('$ ')) continue
    // One stream, as a person sees it; a shell only because transcripts use pipes and variables.
    const { stdout, status } = spawnSync('sh', ['-c', `exec 2>&1\n${line.slice(2)}`], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: `${folder}/.path:${process.env['PATH']}`, HOME: folder, LC_ALL: 'C.UTF-8' },
    })
    out.push(line, stdout.trimEnd(), `[exit ${status}]`, '')
  }
  return `${out
    .filter((line, at) => line !== '' || out[at - 1] !== '')
    .join('\n')
    .trim()}\n`
}

describe('transcripts', { concurrency: 2 }, () => {
  assert.ok(existsSync(RLP), 'run npm run build first')
  for (const name of transcripts) {
    test(name, () => {
      const folder = mkdtempSync(join(tmpdir(), 'rlp-golden-'))
      try {
        cpSync('test/support/rlp-on-path.sh', join(folder, '.path/rlp'))
        writeFileSync(join(folder, '.path/target'), RLP)
        const file = join(GOLDEN, name)
        const expected = readFileSync(file, 'utf8')
        const made = replay(expected, folder)
        if (update && made !== expected) {
          writeFileSync(file, made)
          process.stdout.write(`wrote ${file}\n`)
        } else assert.equal(made, expected)
        assert.ok(
          made.split('\n').length <= MOST_LINES,
          `${file} has more than ${MOST_LINES} lines: split it`,
        )
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  }
})

test('every command has a transcript', () => {
  const all = transcripts.map(name => readFileSync(join(GOLDEN, name), 'utf8')).join('\n')
  for (const { name } of REGISTRY.commands) {
    assert.ok(all.includes(`$ rlp ${name}`), `no transcript in ${GOLDEN} runs rlp ${name}`)
  }
})
