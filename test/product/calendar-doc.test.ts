// docs/calendar.md: the table names what ends and commands that are there, and the workflow asks for a renewal, which then needs no --force.
import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { REGISTRY } from '../../src/cli/commands.ts'
import { parse } from '../../src/cli/parse.ts'
import { readWords } from '../../src/text/shell-words.ts'
import { AHEAD_DAYS } from '../../src/verify/ends-soon.ts'
import { bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { good, madeTree, type World, world } from '../support/install-world.ts'
import { missing } from '../support/needs.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { bash, runGithub } from '../support/pipeline-runner.ts'
import { LATE } from '../support/runs.ts'
import { putRlpHere } from '../support/shell-here.ts'
import { installKeys, KEYS, signed } from '../support/trust-world.ts'

const PAGE = readFileSync('docs/calendar.md', 'utf8')
const WORKFLOW = 'fixtures/pipelines/.github/workflows/calendar.yml'
const folder = temporary('calendar')

const inDays = (days: number) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19)}Z`

/** A desk with keys, and a policy that trusts one of them. */
function desk(): World {
  const here = world(folder('desk'))
  installKeys(here.home)
  const rule = '{ allow_caps = "any", allow_net = "any", allow_exec = true }'
  const policy = `[anchors]\nrelease = "${KEYS.release.anchor}"\n[rules]\nrelease = ${rule}\n`
  writeFileSync(join(here.home, 'trust-policy.toml'), policy, { mode: 0o644 })
  return here
}

test('the page shows the workflow of the sample repository', () => {
  const text = readFileSync(WORKFLOW, 'utf8')
  assert.ok(PAGE.includes(`\n\`\`\`yaml\n${text}\`\`\`\n`))
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  assert.equal(/\n {2}RLP_VERSION: (\S+)\n/.exec(text)?.[1], version)
})

test('the table has all that ends, each with a command that is there', async () => {
  const rows = [...PAGE.matchAll(/^\| \*\*(.+?)\*\*.*\|$/gm)]
  assert.deepEqual(
    rows.map(([, what]) => what),
    [
      'signatures',
      'signatures without a key',
      'anchors',
      'policies',
      'releases',
      'roots',
      'heartbeats',
      'trusted roots',
    ],
  )
  for (const [row = ''] of rows) {
    const commands = [...row.matchAll(/`(rlp [^`]+)`/g)].map(([, line = '']) => line)
    assert.ok(commands.length > 0, row)
    for (const line of commands) {
      const words = readWords(line)
      assert.ok('value' in words, line)
      const [, room = '', verb = '', ...args] = words.value
      const entry =
        REGISTRY.commands.find(({ name }) => name === `${room} ${verb}`) ??
        REGISTRY.commands.find(({ name }) => name === room)
      assert.ok(entry, line)
      const { command } = await entry.load()
      parse(command, entry.name === room ? words.value.slice(2) : args)
    }
  }
  assert.ok(PAGE.includes(`${AHEAD_DAYS} days`))
})

test('the commands of the page renew, publish and pin signatures as they are printed', async t => {
  const registry = await new FakeRegistry({ referrers: true }).start()
  t.after(() => registry.stop())
  const here = desk()
  const notAfter = inDays(20)
  const file = here.put(
    'mailer-0.1.0.agent.bundle',
    bundleOf(signed(madeTree({ name: 'mailer', version: '0.1.0' }), 'release', { notAfter })),
  )
  await good(here, 'agent', 'push', file, `oci://${registry.host}/agents/`)
  await good(here, 'lock', 'add', `oci://${registry.host}/agents/mailer:0.1.0`)
  const lines = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  )
  assert.equal(lines.length, 3)
  let out = ''
  for (const line of lines) {
    const words = readWords(line.replace('registry.example', registry.host))
    assert.ok('value' in words, line)
    const { exit, stdout, stderr } = await here.say(...words.value.slice(1))
    assert.equal(exit, 0, `${line}: ${stderr}`)
    out = stdout
  }
  assert.match(
    out,
    new RegExp(
      `^mailer 0\\.1\\.0\\n  ~ has signatures that end at \\S+; those that are locked end at ${notAfter}\\n`,
    ),
  )
})

test('the workflow opens an issue once, its commands renew the signatures, and it proposes the lock', {
  skip: LATE || missing('bash', 'git', 'tar', 'jq'),
}, async t => {
  const registry = await new FakeRegistry({ referrers: true }).start()
  t.after(() => registry.stop())
  const here = desk()
  const notAfter = inDays(20)
  const at = (name: string, version: string) => `oci://${registry.host}/${name}:${version}`
  // The registry of these tests has one list of tags for all repositories, so the second agent makes the first one look outdated.
  for (const [name, version, end] of [
    ['mini', '1.0.0', notAfter],
    ['later', '2.0.0', inDays(80)],
  ] as const) {
    here.put('b', bundleOf(signed(madeTree({ name, version }), ['release', 'security'], { notAfter: end })))
    await good(here, 'agent', 'push', 'b', at(name, version))
    await good(here, 'lock', 'add', at(name, version))
  }

  const root = folder('forge')
  const must = async (script: string, cwd = root) => {
    const { status, out } = await bash(script, cwd, {
      PATH: process.env['PATH'] ?? '',
      HOME: root,
      GIT_CONFIG_NOSYSTEM: '1',
    })
    assert.equal(status, 0, out)
    return out.trim()
  }
  await must(
    `git init -q --bare -b main origin.git; git clone -q origin.git work 2>&1; mkdir -p work/ci work/deploy bin`,
  )
  cpSync(join(here.cwd, 'rlp.lock'), join(root, 'work/deploy/rlp.lock'))
  const program = join(root, 'program')
  mkdirSync(program)
  putRlpHere(program)
  // Installing is tested with the other workflows.
  mkdirSync(join(root, 'work/bin'))
  writeFileSync(join(root, 'work/bin/rlp'), '#!/bin/sh\nexec "$RLP_HERE/rlp" "$@"\n', { mode: 0o755 })
  writeFileSync(
    join(root, 'work/ci/install-rlp.sh'),
    `mkdir -p "$1/node_modules"; cp -r bin "$1/node_modules/.bin"\n`,
  )
  const gh = `#!/bin/sh
case "$1 $2" in
  'issue list') cat '${root}/titles' ;;
  'pr list') wc -l < '${root}/requests' ;;
  'issue create') echo "$4" >> '${root}/titles'; cp "$6" '${root}/body' ;;
  'pr create') echo "$4" >> '${root}/requests' ;;
  *) exit 1 ;;
esac
`
  writeFileSync(join(root, 'bin/gh'), gh, { mode: 0o755 })
  for (const name of ['titles', 'requests']) writeFileSync(join(root, name), '')
  await must(
    'git checkout -q -B main; git add -A; git -c user.name=x -c user.email=x@example.org commit -q -m x; git push -q origin main',
    join(root, 'work'),
  )
  const look = async () => {
    const env = {
      PATH: `${join(root, 'bin')}:${process.env['PATH']}`,
      HOME: root,
      GIT_CONFIG_NOSYSTEM: '1',
      RUNLOOP_HOME: here.home,
      NO_COLOR: '1',
      RLP_HERE: program,
    }
    const contexts = { github: { token: 'x', event_name: 'schedule' }, inputs: {}, secrets: {}, vars: {} }
    const clone = (into: string) => must(`git clone -q origin.git '${into}'`).then(() => {})
    const { failed, out } = await runGithub(WORKFLOW, { env, folder }, contexts, clone)
    assert.equal(failed, undefined, out)
    return out
  }
  const said = (name: string) => readFileSync(join(root, name), 'utf8')

  const title = `Renew the signatures of mini 1.0.0, which end on ${notAfter.slice(0, 10)}\n`
  assert.match(await look(), /The lock is up to date\./)
  assert.deepEqual([said('titles'), said('requests')], [title, ''])
  await look()
  assert.equal(said('titles'), title)

  // What the issue asks for, as it is printed: by both signers.
  const lines = [...said('body').matchAll(/^ {4}rlp (.+)$/gm)].map(([, line = '']) => line.split(' '))
  const [pull = [], sign = [], push = []] = lines
  assert.equal((await here.say(...pull)).exit, 0)
  assert.ok(existsSync(join(here.cwd, 'mini-1.0.0.agent.bundle')))
  const by = (key: string) => sign.map(word => (word === 'KEY' ? key : word))
  assert.equal((await here.say(...by('release'))).exit, 0)
  assert.match((await here.say(...push)).stderr, /the renewed signature of ed25519:\S+ is missing/)
  assert.equal((await here.say(...by('security'))).exit, 0)
  assert.equal((await here.say(...push)).exit, 0)

  await look()
  assert.deepEqual([said('titles'), said('requests')], [title, 'rlp-lock\n'])
  const proposed = await must(
    'git fetch -q origin; git show origin/rlp-lock:deploy/rlp.lock',
    join(root, 'work'),
  )
  assert.notEqual(proposed, readFileSync(join(here.cwd, 'rlp.lock'), 'utf8').trim())
  assert.match(proposed, /^oci = "sha256:/m)
  // The request is open: another one is not made.
  await look()
  assert.equal(said('requests'), 'rlp-lock\n')
})
