// docs/authoring.md: its commands are run in one folder, in their order, and its cases are those of the agent that they make.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readWords } from '../../src/text/shell-words.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { PATH } from '../support/host.ts'
import { leaveUnheld } from '../support/unheld.ts'

const page = readFileSync('docs/authoring.md', 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  )

test('every command of the page does what it says', async () => {
  const cwd = temporary('authoring-doc')('folder')
  mkdirSync(join(cwd, 'home'))
  leaveUnheld(join(cwd, 'home'))
  mkdirSync(join(cwd, 'services/mailer'), { recursive: true })
  process.env['RUNLOOP_HOME'] = join(cwd, 'home')
  const env = { PATH, HOME: cwd, RUNLOOP_HOME: join(cwd, 'home') }
  const lines = blocks('sh').flatMap(block => block.trim().split('\n'))
  assert.equal(lines.length, 7)
  for (const line of lines) {
    const words = readWords(line)
    assert.ok('value' in words && words.value[0] === 'rlp', line)
    const { exit, stdout, stderr } = await run(words.value.slice(1), undefined, { cwd, env })
    assert.equal(exit, 0, `${line}\n${stdout}${stderr}`)
  }
  const [, cases = ''] = blocks('json')
  writeFileSync(join(cwd, 'agents/greeter/tests/greet.hello.json'), cases)
  const { exit, stdout } = await run(['agent', 'test', 'greeter'], undefined, { cwd, env })
  assert.equal(exit, 0, stdout)
  assert.match(stdout, /^✓ greets {2}/)
  assert.match(stdout, /^3 cases$/m)
})

test('a client is told what the page says', () => {
  const [client = ''] = blocks('json')
  const { mcpServers } = JSON.parse(client) as { mcpServers: { greeter: { args: string[] } } }
  assert.deepEqual(mcpServers.greeter.args.slice(0, 2), ['agent', 'dev'])
})
