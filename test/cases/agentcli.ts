// agentcli's cases: loading, environment, timeouts, outcomes, audit.
import assert from 'node:assert/strict'
import {
  type AgentcliAnswer,
  checkAgentcliAnswer,
  failureContent,
  outcomeOf,
  outputProblem,
  successContent,
  transcriptContent,
} from '../../src/agentcli/answer.ts'
import { auditLine } from '../../src/agentcli/audit.ts'
import { toolEnvironment } from '../../src/agentcli/environment.ts'
import {
  defaultTimeout,
  effectiveTimeout,
  type LoadedAgentcli,
  readAgentcliTools,
  unreadableAgentcli,
} from '../../src/agentcli/load.ts'
import { toOpenAi, toOpenAiJson } from '../../src/agentcli/openai.ts'
import { createRedactor } from '../../src/agentcli/redact.ts'
import { type Checks, check, type Example, skip } from './case.ts'

/** One check for each kind of case. */
export const checks: Checks = {
  loadManifest: check(checkLoad),
  toolContent: check<{ stdout: string; error: string | null }, string>(({ stdout, error }, expected) =>
    assert.equal(error === null ? successContent(stdout) : failureContent(error), expected),
  ),
  toolEnv: check<{ parentEnv: Record<string, string>; envPassthrough: string[] }, object>((input, expected) =>
    assert.deepEqual(toolEnvironment(input.parentEnv, input.envPassthrough), expected),
  ),
  effectiveTimeout: check<{ timeoutSec: number; defaultSec: number }, number>((input, expected) =>
    assert.equal(effectiveTimeout(input.timeoutSec, input.defaultSec), expected),
  ),
  cliToolTimeout: check<object, number>((input, expected) => assert.equal(defaultTimeout(input), expected)),
  stdinFromArguments: skip('rlp runs tools of bundles, whose arguments are checked and no text of a model'),
  redact: check<{ text: string; env: Record<string, string> }, string>(async ({ text, env }, expected) =>
    assert.equal((await createRedactor(env))(text), expected),
  ),
  answer: check<AgentcliAnswer, { ok: boolean; content: string; problems: string[] }>((input, expected) => {
    const { ok, content, remarks } = checkAgentcliAnswer(input)
    const problems = remarks.flatMap(({ weight, message }) => (weight === 'problem' ? [message] : []))
    assert.deepEqual({ ok, content, problems }, expected)
  }),
  transcriptHygiene: check(checkHygiene),
  runnerOutcome: check(checkOutcome),
  auditRecordShape: check(checkAudit),
  auditFileForTime: skip('--audit names the file of rlp'),
  openaiText: check<string, string>((input, expected) =>
    assert.equal(toOpenAiJson(tools(load(input))), expected),
  ),
  outputProblem: check<string, string | null>((input, expected) =>
    assert.equal(outputProblem(input) ?? null, expected),
  ),
}

export function load(source: string | Uint8Array, manifestDir = '/m', platform = 'posix'): LoadedAgentcli {
  return readAgentcliTools(source, { manifestDir, platform: platform === 'windows' ? 'win32' : 'posix' })
}

export function tools(loaded: LoadedAgentcli) {
  assert.ok(loaded.ok, loaded.ok ? '' : loaded.error)
  return loaded.tools
}

interface LoadExpectation {
  readonly ok: boolean
  readonly error?: string
  readonly errorPrefix?: string
  readonly result?: {
    readonly tools?: readonly { readonly command: readonly string[] }[]
    readonly openai?: unknown
    /** Of our own cases: one column of the tools. */
    readonly commands?: unknown
    readonly envPassthrough?: unknown
    readonly timeoutSec?: unknown
  }
}

function checkLoad(
  input: unknown,
  { ok, error, errorPrefix, result }: LoadExpectation,
  entry: Example,
): void {
  const { inputText, manifestDir, platform, compare } = entry
  const loaded =
    inputText === undefined && input === null
      ? unreadableAgentcli('open tools.json: no such file or directory')
      : load(inputText ?? JSON.stringify(input), manifestDir, platform)
  if (!ok) {
    const found = loaded.ok ? '' : loaded.error
    if (errorPrefix === undefined) assert.equal(found, error)
    else assert.ok(found.startsWith(errorPrefix) && found.length > errorPrefix.length, found)
    return
  }
  const found = tools(loaded)
  const { tools: entries, openai, ...columns } = result ?? {}
  if (openai !== undefined) {
    assert.deepEqual(toOpenAi(found), openai)
    assert.deepEqual(JSON.parse(toOpenAiJson(found)), openai)
  }
  const seen = {
    commands: found.map(({ command }) => command),
    envPassthrough: found.map(({ envPassthrough }) => envPassthrough),
    timeoutSec: found.map(({ timeoutSec }) => timeoutSec),
  }
  assert.deepEqual({ ...seen, ...columns }, seen)
  if (entries === undefined) return
  // A case may say that only the part after the manifest's folder counts.
  const plain = (command: readonly string[]) =>
    compare === undefined ? command : command.map(part => part.replaceAll('\\', '/'))
  assert.deepEqual(
    found.map(({ name, command, envPassthrough, timeoutSec }) => ({
      name,
      command: plain(command),
      envPassthrough,
      timeoutSec,
    })),
    entries.map(expected => ({ ...expected, command: plain(expected.command) })),
  )
}

function checkHygiene(
  { contentBytes, debug }: { contentBytes: number; debug: boolean },
  expected: string,
): void {
  for (const content of ['x'.repeat(contentBytes), `é${'x'.repeat(contentBytes - 2)}`]) {
    assert.equal(transcriptContent(content, debug), expected === 'unchanged' ? content : expected)
  }
}

interface OutcomeInput {
  readonly timedOut?: boolean
  readonly sleepMs?: number
  readonly timeoutSec?: number
  readonly exitCode?: number | null
  readonly signal?: string
  readonly stdout?: string
  readonly stderr?: string
}

function checkOutcome(input: OutcomeInput, expected: { readonly error?: string }): void {
  const { sleepMs = 0, timeoutSec = 30, timedOut = sleepMs > timeoutSec * 1000 } = input
  const { exitCode = null, signal = null, stdout = '', stderr = '' } = input
  const { ok, ...found } = outcomeOf({ timedOut, exitCode, signal, stdout, stderr })
  assert.equal(ok, expected.error === undefined)
  assert.deepEqual(found, expected)
}

export const RECORD = {
  ts: new Date('2026-03-04T05:06:07.120Z'),
  tool: 'clock',
  argv: ['/opt/clock', '--key=s3cret', '<a>'],
  cwd: '/home/s3cret',
  exit: 0,
  ms: 12,
  stdoutBytes: 3,
  stderrBytes: 0,
  envKeys: ['TZ'],
}

interface AuditExpectation {
  readonly keysInOrder: readonly string[]
  readonly omitWhenEmpty: readonly string[]
  readonly truncatedAlways: boolean
}

function checkAudit(_: unknown, { keysInOrder, omitWhenEmpty, truncatedAlways }: AuditExpectation): void {
  const written = JSON.parse(auditLine(RECORD, text => text))
  assert.deepEqual(Object.keys(written), keysInOrder)
  assert.equal(written.truncated, truncatedAlways)
  const without = JSON.parse(auditLine({ ...RECORD, envKeys: [] }, text => text))
  assert.deepEqual(
    keysInOrder.filter(key => !Object.hasOwn(without, key)),
    omitWhenEmpty,
  )
}
