// The table of docs/sandbox.md, "Programs that reach a host": each row against a server of this test, as this user and as an ordinary one.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { agentTree, writeTree } from '../support/agent.ts'
import { type Certificate, makeAuthority, makeCertificate } from '../support/certificate.ts'
import { run as runHere } from '../support/fake-terminal.ts'
import { serveTls } from '../support/http-tool.ts'
import { missing } from '../support/needs.ts'
import { IS_ROOT, NOBODY, rlp } from '../support/run.ts'
import { slice } from '../support/runs.ts'
import { grantable } from '../support/sandbox-folder.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'

const folder = grantable('host-programs')
const NODES = join(import.meta.dirname, '../../.nodes/node_modules')

const PYTHON = `
import ssl, sys, urllib.request
context = ssl.create_default_context(cafile=sys.argv[2])
print(urllib.request.urlopen(sys.argv[1], context=context).read().decode())`
const NODE = `
const [, , url, ca] = process.argv
const tls = require('node:tls')
const pem = require('node:fs').readFileSync(ca, 'utf8')
tls.setDefaultCACertificates?.([pem])
const got = new Promise((resolve, reject) =>
  require('node:https').get(url, { ca: pem }, answer => answer.setEncoding('utf8').on('data', resolve)).on('error', reject))
Promise.all([fetch(url).then(answer => answer.text()), got]).then(
  ([one, other]) => console.log(one, one === other),
  error => console.log((error.cause ?? error).code))`

interface Row {
  readonly command: string
  args(url: string, at: string): readonly string[]
  readonly answers: RegExp
}

const HELLO = /^hello 127\.0\.0\.1:\d+\s*$/

/** What a program finds that goes its own way: the loopback of the sandbox, where nothing listens. */
const UNREACHABLE = /^ECONNREFUSED\s*$/

const ROWS: Readonly<Record<string, Row>> = {
  curl: {
    command: '/usr/bin/curl',
    args: (url, at) => ['-sS', '--cacert', `${at}/ca.pem`, url],
    answers: HELLO,
  },
  wget: {
    command: '/usr/bin/wget',
    args: (url, at) => ['-qO-', `--ca-certificate=${at}/ca.pem`, url],
    answers: HELLO,
  },
  git: {
    command: '/bin/sh',
    args: (url, at) => [
      '-c',
      `git -c http.sslCAInfo=${at}/ca.pem clone -q ${url}repo /tmp/repo && cat /tmp/repo/note`,
    ],
    answers: /^buy bread\s*$/,
  },
  python3: {
    command: '/usr/bin/python3',
    args: (url, at) => [`${at}/script.py`, url, `${at}/ca.pem`],
    answers: HELLO,
  },
  node: {
    command: nodeSince(24) ?? process.execPath,
    args: (url, at) => [`${at}/script.cjs`, url, `${at}/ca.pem`],
    answers: nodeSince(24) === undefined ? UNREACHABLE : /^hello 127\.0\.0\.1:\d+ true\s*$/,
  },
}

/** A Node that reads the variables: this one, or one of those that scripts/install-nodes.sh has installed. */
function nodeSince(major: number): string | undefined {
  if (Number.parseInt(process.versions.node, 10) >= major) return process.execPath
  return [24, 26]
    .filter(one => one >= major)
    .map(one => join(NODES, `node${one}/bin/node`))
    .find(path => existsSync(path))
}

interface Content {
  readonly repository: string
  readonly authority: string
  readonly certificate: Certificate
}

let content: Content | undefined

/** The options of every server in this test. */
function madeContent(): Content {
  const repository = join(folder('content'), 'source')
  const git = (...args: readonly string[]) => {
    const { status, stderr } = spawnSync('git', args, { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  }
  const as = ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@b']
  git('init', '-q', repository)
  writeFileSync(join(repository, 'note'), 'buy bread\n')
  git(...as, 'add', 'note')
  git(...as, 'commit', '-qm', 'x')
  git(...as, 'update-server-info')
  const authority = makeAuthority('an authority of a test')
  const certificate = makeCertificate(authority, ['127.0.0.1'])
  return { repository, authority: authority.cert, certificate }
}

/** Serves a greeting, and a repository as files. */
async function served(t: TestContext, at: string): Promise<string> {
  content ??= madeContent()
  const { repository, authority, certificate } = content
  writeFileSync(join(at, 'ca.pem'), authority, { mode: 0o644 })
  const port = await serveTls(t, certificate, ({ url = '', headers }, response) => {
    const [, path] = /^\/repo\/([A-Za-z0-9/_-]+)(?:\?|$)/.exec(url) ?? []
    if (path === undefined) return void response.end(`hello ${headers.host}`)
    const file = join(repository, '.git', path)
    if (existsSync(file)) response.end(readFileSync(file))
    else response.writeHead(404).end()
  })
  return `127.0.0.1:${port}`
}

interface Called {
  readonly name: string
  /** What is asked for, as a line of JSON. */
  readonly input?: string
  readonly uid: number | undefined
  /** @param at a folder with certificate and scripts, which is granted */
  tool(host: string, at: string): { readonly transport: object; readonly capabilities: readonly string[] }
}

/** The text of the answer. */
async function answerOf(t: TestContext, { name, input = '{}', uid, tool }: Called): Promise<string> {
  const cwd = folder(name)
  const at = join(cwd, 'work')
  mkdirSync(at)
  writeFileSync(join(at, 'script.py'), PYTHON, { mode: 0o644 })
  writeFileSync(join(at, 'script.cjs'), NODE, { mode: 0o644 })
  const host = await served(t, at)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o755 })
  if (uid !== undefined) chownSync(home, uid, uid)
  const { transport, capabilities } = tool(host, at)
  const made = {
    id: 'program.run',
    description: 'Run it',
    input_schema: {},
    result_schema: true,
    transport,
    capabilities: [...capabilities, `fs_ro:${at}`],
    'x-rlp': { stdin: true },
  }
  const { command } = transport as { readonly command?: string }
  const caps = `[capabilities]\nexec = ["${command}"]\nfs_ro = ["${at}"]\nnet = ["${host}"]\n`
  const files = { 'tools.json': JSON.stringify({ version: 1, tools: [made] }), 'policy.caps': caps }
  writeTree(join(cwd, 'mini'), agentTree({ files }))
  const args = ['tool', 'call', 'program.run', './mini', '--unverified', '--json', '--sandbox', 'require']
  const env = { HOME: '/nowhere', RUNLOOP_HOME: home }
  const line = [...args, '--args', input]
  // A process of its own shows for the ordinary user alone what main() shows for root.
  const ran =
    uid === undefined
      ? await runHere(line, undefined, { cwd, env: { PATH: process.env['PATH'], ...env } })
      : await rlp(line, { cwd, env, uid })
  assert.equal(ran.exit, 0, ran.stdout + ran.stderr)
  const { result, enforced } = JSON.parse(ran.stdout)
  assert.deepEqual([enforced.by, enforced.network], ['bubblewrap', 'hosts'])
  return typeof result.text === 'string' ? result.text : JSON.stringify(result)
}

const page = readFileSync('docs/sandbox.md', 'utf8')
const part = page.split('## Programs that reach a host')[1]?.split('\n## ')[0] ?? ''

test('the rows of the page are the rows of this test', () => {
  const rows = [...part.matchAll(/^\| `([a-z0-9]+)` \|/gm)].map(([, name]) => name)
  assert.deepEqual(rows, Object.keys(ROWS))
})

test('the tool of the page', { skip: NO_SANDBOX_HERE || missing('curl', 'git') }, async t => {
  const [, text = ''] = /```json\n([^`]*)```/.exec(part) ?? []
  const shown = JSON.parse(text)
  const tool = (host: string, at: string) => {
    const { transport, capabilities } = JSON.parse(text.replaceAll('notes.example', host))
    return {
      transport: { ...transport, args: ['--cacert', `${at}/ca.pem`, ...transport.args] },
      capabilities,
    }
  }
  assert.equal(shown.id, 'notes.fetch')
  assert.match(await answerOf(t, { name: 'page', uid: undefined, input: '{"name":"today"}', tool }), HELLO)
})

for (const [who, uid] of [
  [IS_ROOT ? 'root' : 'this user', undefined],
  ['an ordinary user', NOBODY],
] as const)
  describe(`programs of ${who} that are granted a host`, {
    skip: NO_SANDBOX_HERE || (uid !== undefined && !IS_ROOT && 'needs root'),
  }, () => {
    // By day a part of them for the ordinary user, each of whose calls is a process.
    for (const [name, row] of slice(Object.entries(ROWS), uid === undefined ? 1 : 3))
      test(name, { skip: missing(name, 'git') }, async t => {
        const tool = (host: string, at: string) => ({
          transport: { kind: 'exec', command: row.command, args: row.args(`https://${host}/`, at) },
          capabilities: [`net:${host}`],
        })
        assert.match(await answerOf(t, { name, uid, tool }), row.answers)
      })
  })
