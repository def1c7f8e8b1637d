// Runs the commands of docs/back-up.md as they are printed, with ~ in a folder of the test: a host is saved, gets a newer agent, and the state that
// was saved is put back.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readWords } from '../../src/text/shell-words.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, policyText, RELEASE } from '../support/install-world.ts'

const folder = temporary('back-up')
const PAGE = readFileSync('docs/back-up.md', 'utf8')

/** The lines of the blocks of one kind, such as `sh save`. */
function linesOf(kind: 'save' | 'restore' | 'check' | 'again'): string[] {
  const [, lines] = new RegExp(`^ *\`\`\`sh ${kind}\\n([\\s\\S]*?)^ *\`\`\`$`, 'm').exec(PAGE) ?? []
  assert.ok(lines, `no block "sh ${kind}"`)
  return lines
    .trim()
    .split('\n')
    .map(line => line.trim())
}

test('a host is saved and put back, and the page says what becomes of its agent', async () => {
  const cwd = folder('host')
  const home = join(cwd, '.runloop')
  mkdirSync(home, { mode: 0o755 })
  Object.assign(process.env, { HOME: cwd })
  delete process.env['RUNLOOP_HOME']
  const bash = (lines: readonly string[]) => {
    const { status, stderr } = spawnSync('bash', ['-ec', lines.join('\n')], {
      cwd,
      env: process.env,
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
  }
  const rlp = (line: string) => {
    const read = readWords(line.replaceAll('~', cwd))
    assert.ok('value' in read, line)
    const [program, ...args] = read.value
    assert.equal(program, 'rlp')
    return run(args, undefined, { cwd, env: {} })
  }
  const install = async (version: string) => {
    const name = `mailer-${version}.agent.bundle`
    writeFileSync(join(cwd, name), made({ name: 'mailer', version }, RELEASE))
    return rlp(`rlp agent install ${name} --yes`)
  }
  const verdict = async (version: string) => {
    const { stdout } = await rlp(`rlp agent verify mailer-${version}.agent.bundle --json`)
    const [{ verdict, reasons }] = JSON.parse(stdout).result.bundles
    return [verdict, ...reasons.map(({ code }: { code: string }) => code)].join(' ')
  }
  const wrong = async () => (await rlp(linesOf('check')[0] ?? '')).stdout

  writeFileSync(join(home, 'trust-policy.toml'), policyText(), { mode: 0o644 })
  assert.equal((await install('0.1.0')).exit, 0)
  bash(linesOf('save'))

  // The whole folder, and nothing is older than anything.
  rmSync(home, { recursive: true })
  bash(linesOf('restore'))
  assert.equal(await verdict('0.1.0'), 'trusted')
  assert.doesNotMatch(await wrong(), /state/)
  for (const line of linesOf('check')) assert.equal((await rlp(line)).exit, 0, line)

  // A newer agent, and state/ alone is put back.
  assert.equal((await install('0.2.0')).exit, 0)
  renameSync(join(home, 'agents'), join(cwd, 'agents'))
  bash(linesOf('restore'))
  rmSync(join(home, 'agents'), { recursive: true })
  assert.equal(await verdict('0.1.0'), 'trusted', 'control: the state alone has forgotten 0.2.0')
  renameSync(join(cwd, 'agents'), join(home, 'agents'))
  assert.equal(await verdict('0.1.0'), 'rolled_back older')
  assert.match(
    await wrong(),
    /^warning {2}state .*mailer\.json {2}it is older than what is installed: 0\.2\.0 is in ~\/\.runloop\/agents, and it remembers 0\.1\.0\. /m,
  )
  for (const line of linesOf('again')) assert.equal((await rlp(line)).exit, 0, line)
  assert.doesNotMatch(await wrong(), /state/)
  assert.equal(await verdict('0.1.0'), 'rolled_back older')
  const [reset = ''] = /rlp trust reset mailer --to 0\.1\.0/.exec(PAGE) ?? []
  assert.equal((await rlp(reset)).exit, 0)
  assert.equal(await verdict('0.1.0'), 'trusted')
})
