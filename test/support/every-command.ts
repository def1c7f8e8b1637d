// A runnable line of every command, in an order in which each has what it needs: for tests that look at what all commands print.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ANSWERS } from './answers/index.ts'
import { type Ran, run } from './fake-terminal.ts'
import { keep } from './put-back.ts'
import { writeParts } from './report-parts.ts'

const JQ = ['--command', process.execPath, '--arg=-e', '--arg', 'console.log(1)']
const TOOL = [
  '--id',
  'say.it',
  '--description',
  'Say it',
  ...JQ,
  '--input-schema',
  'a:string',
  '--result-schema',
  'anything',
]
const BUNDLE = 'dist/mailer-0.1.1.agent.bundle'
const POLICY = 'home/trust-policy.toml'

/** `RUNLOOP_HOME` is the folder `home` beside what they read. */
export const CALLS: readonly (readonly [command: string, ...args: string[]])[] = [
  ['agent scaffold', 'mailer', '--non-interactive'],
  ['agent init', 'bare'],
  ['agent lint', 'mailer'],
  ['agent version', 'patch', 'mailer'],
  ['tool add', 'agents/mailer', ...TOOL, '--grant', '--non-interactive'],
  ['tool edit', 'agents/mailer', 'say.it', '--description', 'Say it now'],
  ['tool import', 'agents/mailer', 'agentcli.json', '--from', 'agentcli', '--dry-run', '--non-interactive'],
  ['agent digest', 'mailer'],
  ['agent test', 'agents/mailer'],
  ['agent pack', 'mailer'],
  ['key generate', 'release', '--no-passphrase'],
  ['key generate', 'second', '--no-passphrase'],
  ['key import', 'copy', 'release', '--no-passphrase'],
  ['key generate', 'third', '--no-passphrase'],
  ['key list'],
  ['key show', 'release'],
  ['agent sign', BUNDLE, '--key', 'release'],
  ['trust add', 'release', 'release', '--for', BUNDLE, '--yes'],
  ['trust add', 'second', 'second', '--yes'],
  ['trust group', 'both', '--of', 'release', '--of', 'second', '--at-least', '1'],
  ['trust floor', 'other', '0.0.1'],
  ['trust require', '--signatures', '1', '--dry-run'],
  ['trust list'],
  ['trust explain', BUNDLE],
  ['trust diff', POLICY, POLICY],
  ['trust test', 'questions.toml'],
  ['trust status'],
  ['trust update'],
  ['agent verify', BUNDLE],
  ['agent inspect', BUNDLE],
  ['agent diff', BUNDLE, BUNDLE],
  ['agent sbom', BUNDLE],
  ['agent provenance', BUNDLE, '--builder', 'https://ci.example/1', '--key', 'release'],
  [
    'agent attest',
    BUNDLE,
    '--type',
    'https://scan.example/v1',
    '--predicate',
    'predicate.json',
    '--key',
    'release',
  ],
  ['agent push', BUNDLE, 'oci-layout:store'],
  ['agent copy', 'oci-layout:store:0.1.1', 'oci-layout:copied'],
  ['agent detach', 'oci-layout:store:0.1.1', '--type', 'https://scan.example/v1', '--by', 'release', '--yes'],
  ['agent pull', 'oci-layout:store:0.1.1', '--expect', 'mailer', '--out-dir', 'got'],
  ['agent install', BUNDLE, '--yes'],
  ['agent list'],
  ['agent list', 'oci-layout:store'],
  ['lock add', BUNDLE],
  ['lock check'],
  ['lock list'],
  ['lock outdated'],
  ['lock update', '--dry-run'],
  ['lock remove', 'mailer', '--dry-run'],
  ['report merge', 'part-1', 'part-2'],
  ['caps show', 'agents/mailer'],
  ['tool list', 'mailer'],
  ['tool call', 'say.it', 'mailer', '--args', '{"a":"x"}', '--trace', 'calls.ndjson'],
  ['tool replay', 'calls.ndjson'],
  ['tool check-result', 'answer.json'],
  ['tool export', BUNDLE, '--to', 'mcp', '--out', 'mcp.json'],
  ['tool remove', 'agents/mailer', 'say.it'],
  ['trust reset', 'mailer', '--dry-run'],
  ['trust revoke', 'second', '--dry-run'],
  ['trust add', 'third', 'third', '--yes'],
  ['trust remove', 'third', '--dry-run'],
  [
    'channel init',
    'house',
    '--name',
    'house',
    '--key',
    'release',
    '--threshold',
    '1',
    '--heartbeat-key',
    'second',
  ],
  ['channel status', 'house'],
  ['doctor'],
  ['agent uninstall', 'mailer', '--yes'],
]

/** Writes what they read. */
export function prepareCalls(cwd: string): void {
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
  write(
    'agentcli.json',
    '{"tools":[{"name":"clock","description":"Tell the time","command":["/bin/date"],"inputSchema":{"type":"object"}}]}',
  )
  writeParts(cwd)
  write('predicate.json', '{"findings":0}')
  write('answer.json', '{"ok":true,"result":1}')
  write(
    'questions.toml',
    `policies = ["${POLICY}"]\n\n[[question]]\nname = "a stranger"\nagent = "mailer"\nversion = "0.1.0"\nverdict = "unsigned"\n`,
  )
  mkdirSync(join(cwd, 'bare'))
}

/** What a call needs that calls before it have not made. */
export function prepareCall(cwd: string, command: string): void {
  if (command !== 'agent test') return
  mkdirSync(join(cwd, 'agents/mailer/tests'))
  writeFileSync(
    join(cwd, 'agents/mailer/tests/say.json'),
    '{"cases":[{"tool":"say.it","arguments":{"a":"x"},"answer":{"text":""}}]}',
  )
}

/** One of {@link CALLS}, made three times from the same files in the same folder. The paths, keys and times in what it printed are real. */
export interface EveryCall {
  readonly command: string
  readonly args: readonly string[]
  readonly plain: Ran
  readonly quiet: Ran
  readonly json: Ran
  /** What the function of the library answers from the same files; undefined where {@link ANSWERS} has none. */
  readonly answer: unknown
}

/** The environment of calls in a folder. */
export const callEnv = (cwd: string): Readonly<Record<string, string | undefined>> => ({
  PATH: process.env['PATH'],
  HOME: cwd,
  RUNLOOP_HOME: join(cwd, 'home'),
  NO_COLOR: '1',
})

/** Does something while `HOME` and `RUNLOOP_HOME` of this process are those of a folder. */
export async function homeIn<T>(cwd: string, act: () => Promise<T>): Promise<T> {
  const before = { ...process.env }
  const env = callEnv(cwd)
  Object.assign(process.env, env)
  try {
    return await act()
  } finally {
    for (const name of Object.keys(env)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

/**
 * Makes every call in process, in an empty folder: with `--json`, by the function of the library, with `--quiet`, and plain. The files of the
 * folder are put back in between, and each call finds what the plain calls before it have written. The folder stays as the last call left it.
 *
 * @param calls {@link CALLS}, or a change of them
 */
export function everyCall(cwd: string, calls: typeof CALLS): Promise<EveryCall[]> {
  return homeIn(cwd, async () => {
    prepareCalls(cwd)
    const all: EveryCall[] = []
    for (const [command, ...args] of calls) {
      prepareCall(cwd, command)
      const once = (...more: readonly string[]) =>
        run([...command.split(' '), ...args, ...more], undefined, { cwd, env: callEnv(cwd) })
      const kept = keep(cwd)
      const json = await once('--json')
      kept.putBack()
      const answer = await ANSWERS[command]?.({ cwd, args, env: { ...process.env } })
      kept.putBack()
      const quiet = await once('--quiet')
      kept.putBack()
      all.push({ command, args, plain: await once(), quiet, json, answer })
    }
    return all
  })
}
