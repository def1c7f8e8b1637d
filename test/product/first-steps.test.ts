// What a person types who has not used the program before: each refusal names the command that was meant.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'

const cwd = temporary('first-steps')('world')
process.env['RUNLOOP_HOME'] = join(cwd, 'home')
const say = (...args: string[]) => run(args, undefined, { cwd, env: { RUNLOOP_HOME: join(cwd, 'home') } })

test('an agent to begin with', async () => {
  assert.equal((await say('agent', 'scaffold', 'weather', '--non-interactive')).exit, 0)
  assert.equal((await say('agent', 'lint', 'weather')).exit, 0)
})

for (const [words, hint] of [
  [['tool', 'call', 'f', 'B', '--city', 'Rome'], /--args '\{"city":"Rome"\}'/],
  [['tool', 'call', 'f', 'B', '--input', '{"city":"Rome"}'], /--args '\{"city":"Rome"\}'/],
  [['tool', 'call', 'f', 'B', '--city=Rome'], /--args '\{"city":"Rome"\}'/],
  [['tool', 'add', 'weather', 'ping'], /--id ping/],
  [['agent', 'lint', 'wether'], /Did you mean weather\?/],
  [['agnt', 'lint'], /Did you mean rlp agent lint\?/],
] as const) {
  test(`rlp ${words.join(' ')}`, async () => {
    const { exit, stderr } = await say(...words)
    assert.equal(exit, 2, stderr)
    assert.match(stderr, hint)
  })
}

test('another method neither deletes nor adds that no confirmation is needed', async () => {
  const file = join(cwd, 'agents/weather/tools.json')
  const add =
    'tool add weather --id set --description Set --grant --non-interactive --input-schema city:string'
  const made = await say(
    ...add.split(' '),
    ...['--url', 'https://a.example/x', '--method', 'POST', '--result-schema', 'ok:boolean'],
  )
  assert.equal(made.exit, 0, made.stderr)
  const stated = () => /"requires_confirmation":\s*(\w+)/.exec(readFileSync(file, 'utf8'))?.[1]
  const edit = async (...args: string[]) => {
    const { exit, stderr } = await say('tool', 'edit', 'weather', 'set', '--non-interactive', ...args)
    assert.equal(exit, 0, stderr)
  }
  await edit('--requires-confirmation')
  assert.equal(stated(), 'true')
  await edit('--no-requires-confirmation')
  assert.equal(stated(), 'false')
  await edit('--method', 'GET')
  assert.equal(stated(), 'false')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/,\s*"requires_confirmation":\s*false/, ''))
  assert.equal(stated(), undefined)
  await edit('--method', 'POST')
  assert.equal(stated(), undefined)
})

test('a call without its arguments, and one that policy.caps does not grant', async () => {
  const call = (id: string) => say('tool', 'call', id, 'agents/weather', '--unverified')
  assert.match((await call('set')).stderr, /Missing required property: city[\s\S]*arguments go into --args/)
  const add = 'tool add weather --id get --description Get --non-interactive --input-schema city:string'
  const made = await say(...add.split(' '), '--url', 'https://b.example/x', '--result-schema', 'ok:boolean')
  assert.equal(made.exit, 0, made.stderr)
  assert.match((await call('get')).stderr, /rlp tool edit AGENT get --grant/)
})
