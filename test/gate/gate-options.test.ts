// The options of a gate that listens → its address, who may ask, and what. What only makes sense with --listen is refused without it.
import assert from 'node:assert/strict'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { listenedIn } from '../../src/gate/gate-command.ts'
import { tokenHash } from '../../src/net/serve/asker.ts'
import { temporary } from '../support/folder.ts'

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const cwd = realpathSync(temporary('gate-options')('all'))
mkdirSync(join(cwd, 'served'))
writeFileSync(join(cwd, 'token'), `${TOKEN}\n`, { mode: 0o600 })

type Args = Parameters<typeof listenedIn>[0]
const NONE: Args = {
  listen: undefined,
  tokenFile: undefined,
  serve: [],
  serveLock: [],
  serveAttestations: [],
}
const listened = (args: Partial<Args>) => listenedIn({ ...NONE, ...args }, cwd)

test('a gate that reads lines listens nowhere', async () => {
  assert.equal(await listened({}), undefined)
})

test('a socket needs no token, and nothing is served that was not named', async () => {
  assert.deepEqual(await listened({ listen: 'unix:s' }), {
    address: { is: 'unix', path: 's' },
    token: undefined,
    served: { folders: [], references: [], locks: new Map(), attestations: new Map() },
  })
})

test('a port has the token of its file, and each list keeps what it was given', async () => {
  const found = await listened({
    listen: '127.0.0.1:8080',
    tokenFile: 'token',
    serve: ['served', 'oci://registry.example'],
    serveLock: ['house=rlp.lock'],
    serveAttestations: ['nightly=n.jsonl'],
  })
  assert.deepEqual(found, {
    address: { is: 'tcp', host: '127.0.0.1', port: 8080 },
    token: tokenHash(TOKEN),
    served: {
      folders: [join(cwd, 'served')],
      references: ['oci://registry.example'],
      locks: new Map([['house', join(cwd, 'rlp.lock')]]),
      attestations: new Map([['nightly', join(cwd, 'n.jsonl')]]),
    },
  })
  await assert.rejects(listened({ listen: '127.0.0.1:8080' }), { code: 'USAGE', message: /without a token/ })
})

describe('without --listen', () => {
  for (const [field, args] of [
    ['token-file', { tokenFile: 'token' }],
    ['serve', { serve: ['served'] }],
    ['serve-lock', { serveLock: ['house=rlp.lock'] }],
    ['serve-attestations', { serveAttestations: ['nightly=n.jsonl'] }],
  ] as const)
    test(`refuses --${field}, which would limit nothing`, async () => {
      await assert.rejects(listened(args), {
        code: 'USAGE',
        message: `Cannot use --${field} without --listen: a question in a line names what it likes`,
      })
      await listened({ listen: field === 'token-file' ? '127.0.0.1:0' : 'unix:s', ...args })
    })
})
