// Campaign 6b: every text of an agent, a bundle, a policy and a command line replaced by one that steers a terminal. None of it gets
// there: no control or direction character, no line of foreign text.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { REGISTRY } from '../../src/cli/commands.ts'
import { parse } from '../../src/cli/parse.ts'
import { command } from '../../src/lock/verbs/install.ts'
import { RlpError } from '../../src/model/error.ts'
import { agentTree, bundleOf, writeTree } from '../../test/support/agent.ts'
import { fakeTerminal, run } from '../../test/support/fake-terminal.ts'
import { installKeys, KEYS, POLICY, signed } from '../../test/support/trust-world.ts'
import type { Campaign, Session } from './campaign.ts'
import { HOSTILE, steers } from './terminals/poison.ts'
import { type Variant, variants } from './terminals/variants.ts'

const ANY = '{ allow_caps = "any", allow_net = "any", allow_exec = true }'
const TRUSTING = `[anchors]\nrelease = "${KEYS.release.anchor}"\n[rules]\nrelease = ${ANY}\n`

export const campaign: Campaign = {
  name: 'terminals',
  summary: 'nothing from a bundle, a policy or a command line steers the terminal',
  isEndless: false,
  async run(session) {
    for (const variant of session.some(variants(), 5)) await everyCommand(session, variant)
    await policies(session)
    await commandLines(session)
  },
}

/** They read `mini/`, `b.bundle` and the good `good.bundle`; none of them goes on for ever. */
const CALLS: readonly (readonly string[])[] = [
  ['agent', 'lint', 'mini'],
  ['agent', 'lint', 'mini', '--format', 'sarif'],
  ['agent', 'lint', 'mini', '--format', 'github'],
  ['agent', 'lint', 'mini', '--fix'],
  ['agent', 'digest', 'mini', '--check'],
  ['agent', 'digest', 'mini'],
  ['agent', 'pack', 'mini'],
  ['agent', 'pack', 'mini', '--check', 'b.bundle'],
  ['agent', 'verify', 'b.bundle'],
  ['agent', 'verify', 'b.bundle', '--trust-policy', 'none.toml'],
  ['agent', 'inspect', 'b.bundle'],
  ['agent', 'diff', 'good.bundle', 'b.bundle'],
  ['agent', 'diff', 'b.bundle', 'good.bundle'],
  ['agent', 'sign', 'b.bundle', '--key', 'release'],
  ['agent', 'install', 'b.bundle', '--yes', '--allow-unsigned'],
  ['agent', 'list'],
  ['agent', 'verify', 'mailer'],
  ['agent', 'install', 'good.bundle', '--yes', '--force'],
  ['agent', 'install', 'b.bundle', '--yes'],
  ['agent', 'uninstall', 'mailer', '--yes'],
  ['caps', 'show', 'b.bundle'],
  ['caps', 'show', 'mini'],
  ['trust', 'explain', 'b.bundle'],
  ['trust', 'add', 'x', 'stranger', '--for', 'b.bundle', '--dry-run'],
  ['trust', 'revoke', 'b.bundle', '--dry-run'],
]

/** Commands that came later are tried with whatever they take. */
const OTHERS = REGISTRY.commands
  .map(({ name }) => name)
  .filter(
    name =>
      !CALLS.some(call => call.slice(0, 2).join(' ') === name) &&
      !/ (?:serve|scaffold|generate)$|^completion/.test(name),
  )
  .flatMap(name => ['mini', 'b.bundle', 'mailer'].map(what => [...name.split(' '), what]))

class Place {
  readonly path: string
  readonly home: string
  readonly #session: Session

  constructor(session: Session, name: string) {
    this.#session = session
    this.path = join(session.folder, name, 'cwd')
    this.home = join(session.folder, name, 'home')
    mkdirSync(this.path, { recursive: true, mode: 0o755 })
    installKeys(this.home)
    writeFileSync(join(this.home, 'trust-policy.toml'), TRUSTING)
    writeFileSync(
      join(this.path, 'good.bundle'),
      bundleOf(signed(agentTree({ name: 'mailer', version: '0.0.1' }), 'release')),
    )
    writeFileSync(join(this.path, 'none.toml'), '')
  }

  async call(id: string, args: readonly string[], isTTY = false): Promise<void> {
    const name = `${id}: ${args.join(' ')}`
    if (!this.#session.begin(name, 'calls')) return
    process.env['RUNLOOP_HOME'] = this.home
    const tty = { stdin: false, stdout: isTTY, stderr: isTTY }
    const { exit, stdout, stderr } = await run(args, undefined, { cwd: this.path, isTTY: tty })
    // Colours are ours, and the only thing that may be there on a terminal.
    const shown = (stdout + stderr).replace(/\u001b\[[0-9;]*m/g, '')
    const problem = steers(shown)
    if (problem !== undefined) this.#session.defect({ case: name, what: problem, input: stdout + stderr })
    if (exit === 70) this.#session.defect({ case: name, what: `it ends with 70\n${stdout}${stderr}` })
    if (args.includes('--json') && !/^\{.*\}\n$/.test(stdout))
      this.#session.defect({ case: name, what: 'more than a line of JSON', input: stdout })
  }

  remove(): void {
    rmSync(join(this.path, '..'), { recursive: true, force: true })
  }
}

async function everyCommand(session: Session, { id, tree, bundle, harm }: Variant): Promise<void> {
  const place = new Place(session, 'variant')
  const folder = writeTree(join(place.path, 'mini'), tree)
  harm?.(folder)
  cpSync(folder, join(place.path, 'before'), { recursive: true, verbatimSymlinks: true })
  writeFileSync(join(place.path, 'b.bundle'), bundle ?? bundleOf(signed(tree, 'release')))
  for (const args of session.some([...CALLS, ...OTHERS], 6)) {
    await place.call(id, args)
    if (!args.includes('--format')) await place.call(id, [...args, '--json'])
  }
  await place.call(id, ['agent', 'inspect', 'b.bundle'], true)
  await asked(session, id, place)
  place.remove()
}

/** What a person is shown before the first install: line by line, as the prompter gets it. */
async function asked(session: Session, id: string, place: Place): Promise<void> {
  const name = `${id}: what is asked`
  if (!session.begin(name, 'questions')) return
  const said: string[] = []
  const prompter = {
    intro: (text: string) => void said.push(text),
    note: (text: string, title: string) => void said.push(title, text),
    info: (text: string) => void said.push(text),
    advice: (text: string) => void said.push(text),
    outro: (text: string) => void said.push(text),
    text: async () => '',
    choose: async ({ message }: { readonly message: string }) => {
      said.push(message)
      return 'no'
    },
    line: async (question: string) => {
      said.push(question)
      return 'no'
    },
  }
  process.env['RUNLOOP_HOME'] = join(place.home, 'fresh')
  mkdirSync(join(place.home, 'fresh'), { mode: 0o755 })
  writeFileSync(join(place.home, 'fresh/trust-policy.toml'), TRUSTING, { mode: 0o600 })
  const args = parse(command, ['b.bundle', '--allow-unsigned'])
  const { terminal } = fakeTerminal({ cwd: place.path, isTTY: { stdin: true, stdout: true, stderr: true } })
  try {
    await command.run(args as never, { ...terminal, color: false }, async () => prompter)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
  }
  // The prompter makes control characters visible by itself; what it cannot know is which lines are rlp's own.
  const forged = said.find(text => /^INJECTED/m.test(text))
  if (forged !== undefined)
    session.defect({ case: name, what: 'a line of the question is not rlp’s own', input: forged })
}

/** Policies and overrides whose texts steer. */
async function policies(session: Session): Promise<void> {
  const escaped = JSON.stringify(HOSTILE).replace(
    /[\u007f-\uffff]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  // A pair of surrogates is one character in TOML.
  const text = escaped.replace('\\udb40\\udc41', '\\U000e0041')
  const texts: [string, string][] = [
    ['an anchor', `${POLICY}\n[anchors.${text}]\nkey = "x"\n`],
    ['a reason', `${POLICY}\n[revoked]\n"${KEYS.release.anchor}" = { reason = ${text} }\n`],
    ['a rule', `${POLICY}\n[rules.${text}]\n`],
    ['what a rule allows', POLICY.replace('"kb_read:drafts"', text)],
    ['an agent', POLICY.replace('"mini"', text)],
    ['a key', POLICY.replace(KEYS.release.anchor, text.slice(1, -1))],
    ['a table', `${POLICY}\n[${text}]\n`],
    ['all of it', HOSTILE],
  ]
  for (const [what, policy] of session.some(texts, 1)) {
    const place = new Place(session, 'policy')
    writeFileSync(join(place.home, 'trust-policy.toml'), policy, { mode: 0o600 })
    writeFileSync(join(place.path, 'b.bundle'), bundleOf(signed(agentTree(), 'release')))
    const overrides = join(place.home, 'policy-overrides/mini')
    mkdirSync(overrides, { recursive: true, mode: 0o700 })
    writeFileSync(join(overrides, 'policy.caps'), `[capabilities]\nnet = [${text}]\n${text} = true\n`, {
      mode: 0o600,
    })
    for (const args of [
      ['agent', 'verify', 'b.bundle'],
      ['trust', 'list'],
      ['trust', 'explain', 'b.bundle'],
      ['trust', 'add', 'second', 'second'],
      ['trust', 'remove', 'dev'],
      ['trust', 'revoke', 'b.bundle'],
      ['caps', 'show', 'b.bundle'],
      ['doctor', join(overrides, 'policy.caps')],
      ['agent', 'install', 'b.bundle', '--yes'],
      ['agent', 'inspect', 'b.bundle'],
    ]) {
      await place.call(`policy, ${what}`, args)
      await place.call(`policy, ${what}`, [...args, '--json'])
    }
    place.remove()
  }
}

/** Every argument of every command. */
async function commandLines(session: Session): Promise<void> {
  const place = new Place(session, 'arguments')
  writeTree(join(place.path, 'mini'), agentTree())
  for (const { name, load } of session.some(REGISTRY.commands, 4)) {
    if (/ serve$/.test(name)) continue
    const words = name.split(' ')
    const { command } = await load()
    const options = Object.keys(command.options).map(key => [`--${key}`, HOSTILE])
    const all = [
      [],
      [HOSTILE],
      [`--${HOSTILE}`],
      [`-${HOSTILE}`],
      [HOSTILE, HOSTILE, HOSTILE],
      ...options.map(option => ['mini', ...option]),
    ]
    for (const rest of session.some(all, 3)) await place.call('arguments', [...words, ...rest])
  }
  for (const args of [[HOSTILE], ['agent', HOSTILE], ['help', HOSTILE], [HOSTILE, '--json']])
    await place.call('arguments', args)
  place.remove()
}
