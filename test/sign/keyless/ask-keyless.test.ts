// What a person and a log of a pipeline are told before identity and digest become public, and who is asked.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { askToPublish } from '../../../src/sign/ask-keyless.ts'
import { fakeTerminal, worldAt } from '../../support/fake-terminal.ts'
import { scripted } from '../../support/scripted-prompter.ts'

type Given = Parameters<typeof askToPublish>
const ALL = { stdin: true, stdout: true, stderr: true }
const IDENTITY = `blake3:${'a'.repeat(64)}`

async function asked(how: {
  yes?: boolean
  json?: boolean
  isTTY?: boolean
  subject?: string
  reply?: string
}) {
  const { yes = false, json = false, isTTY = true, subject = 'ana@example.com', reply = 'yes' } = how
  const { terminal, written } = fakeTerminal(isTTY ? { isTTY: ALL } : {})
  const { prompter, log } = scripted([['Sign with this identity?', reply]])
  let opened = 0
  const open = () => {
    opened += 1
    return prompter
  }
  const bundle = { label: 'b', identity: IDENTITY }
  const token = { issuer: 'https://issuer.example', subject } as Given[1]
  const done = askToPublish(bundle, token, yes, worldAt(terminal, open, { json }))
  const code = await done.then(
    () => 'went on',
    (error: { code: string }) => error.code,
  )
  return { code, opened, stderr: written.stderr, log: log.join('\n') }
}

describe('before an identity becomes public', () => {
  const LINE =
    /public for ever, in a log: ana@example\.com of https:\/\/issuer\.example .* signs blake3:a{64}/

  test('a person at a terminal reads it in the question, and once', async () => {
    const { code, opened, stderr, log } = await asked({})
    assert.deepEqual([code, opened, stderr], ['went on', 1, ''])
    assert.match(log, LINE)
  })

  test('only yes is yes', async () => {
    assert.equal((await asked({ reply: 'YES' })).code, 'went on')
    for (const reply of ['y', '', 'yep', 'nah']) assert.equal((await asked({ reply })).code, 'CANCELLED')
  })

  test('--yes says it without a question, also at a terminal', async () => {
    for (const isTTY of [true, false]) {
      const { code, opened, stderr } = await asked({ yes: true, isTTY })
      assert.deepEqual([code, opened], ['went on', 0])
      assert.match(stderr, LINE)
    }
  })

  test('without a yes it is said and refused, where no person can be asked', async () => {
    const { code, opened, stderr } = await asked({ isTTY: false })
    assert.deepEqual([code, opened], ['NEEDS_ANSWER', 0])
    assert.match(stderr, LINE)
    assert.deepEqual((await asked({ json: true })).code, 'NEEDS_ANSWER')
  })

  test('a name of any length is one line, and printable', async () => {
    const { stderr } = await asked({ yes: true, subject: `\u001b[31m${'x'.repeat(5000)}` })
    assert.ok(stderr.length < 700, String(stderr.length))
    assert.equal(/x+/.exec((await asked({ yes: true, subject: 'x'.repeat(5000) })).stderr)?.[0].length, 300)
    assert.ok(!stderr.includes('\u001b'))
    assert.equal(stderr.trimEnd().split('\n').length, 1)
  })
})
