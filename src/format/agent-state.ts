// AgentState ↔ the bytes of its file. A closed document, read strictly: what decides about roll-back is never guessed.
import {
  type AgentState,
  ALLOWANCES,
  type Baseline,
  type Install,
  type Mark,
  type Pending,
  type Reset,
} from '../model/state.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'
import { readPermissions } from './capability/permissions.ts'
import { parseJson } from './json/parse.ts'
import { closed, flag, list, matching, type Read, ReadProblem, text, wordOf } from './json/read.ts'
import { isVersion, readReference } from './reference.ts'

const VERSION = 1

export type ReadAgentState =
  | { readonly ok: true; readonly state: AgentState }
  | { readonly ok: false; readonly problem: string }

/** @param agent whose file it is: one that speaks of another agent was moved there */
export function readAgentState(path: string, bytes: Uint8Array, agent: string): ReadAgentState {
  const parsed = parseJson(path, bytes)
  if (!parsed.ok) return { ok: false, problem: parsed.problem.message }
  try {
    return { ok: true, state: state(parsed.document.value, agent) }
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error
    return { ok: false, problem: error.message }
  }
}

export function writeAgentState(state: AgentState): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ version: VERSION, ...state }, null, 1)}\n`)
}

const digest = matching(/^[0-9a-f]{64}$/, 'is no BLAKE3 digest')
const instant = matching(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/, 'is no UTC second')
const key = matching(/^ed25519:[A-Za-z0-9+/]{43}=$/, 'is no key')
const root = matching(/^(?:\/|[A-Za-z]:\\)/, 'is no absolute path')
const texts = list(text)
/** One that is none could not be compared, and nothing would ever be behind it. */
const version: Read<string> = (value, at) => {
  if (typeof value === 'string' && isVersion(value)) return value
  throw new ReadProblem(`${at} is no version`)
}

function state(value: unknown, agent: string): AgentState {
  const table = closed(value, 'the state', [
    'version',
    'agent',
    'marks',
    'baseline?',
    'installs',
    'pending',
    'resets',
  ])
  if (table['version'] !== VERSION)
    throw new ReadProblem(`version is ${JSON.stringify(table['version'])}, and this build knows 1`)
  if (table['agent'] !== agent || readReference(agent) === undefined)
    throw new ReadProblem('it is about another agent')
  return {
    agent,
    marks: list(mark)(table['marks'], 'marks'),
    ...(table['baseline'] !== undefined && { baseline: baseline(table['baseline'], 'baseline') }),
    installs: list(install)(table['installs'], 'installs'),
    pending: list(pending)(table['pending'], 'pending'),
    resets: list(reset)(table['resets'], 'resets'),
  }
}

const mark: Read<Mark> = (value, at) => {
  const table = closed(value, at, ['anchor', 'version', 'manifestDigest', 'at'])
  return {
    anchor: text(table['anchor'], `${at}.anchor`),
    version: version(table['version'], `${at}.version`),
    manifestDigest: digest(table['manifestDigest'], `${at}.manifestDigest`),
    at: instant(table['at'], `${at}.at`),
  }
}

const SIGNED = ['version', 'manifestDigest', 'anchors', 'signers', 'at'] as const

function signed(table: Readonly<Record<string, unknown>>, at: string) {
  return {
    version: version(table['version'], `${at}.version`),
    manifestDigest: digest(table['manifestDigest'], `${at}.manifestDigest`),
    anchors: texts(table['anchors'], `${at}.anchors`),
    signers: list(key)(table['signers'], `${at}.signers`),
    at: instant(table['at'], `${at}.at`),
  }
}

const install: Read<Install> = (value, at) => {
  const table = closed(value, at, [...SIGNED, 'root', 'fileDigest', 'verdict', 'allowed', 'unpacked'])
  return {
    ...signed(table, at),
    root: root(table['root'], `${at}.root`),
    fileDigest: digest(table['fileDigest'], `${at}.fileDigest`),
    verdict: wordOf(Object.keys(VERDICTS) as Verdict[])(table['verdict'], `${at}.verdict`),
    allowed: list(wordOf(ALLOWANCES))(table['allowed'], `${at}.allowed`),
    unpacked: flag(table['unpacked'], `${at}.unpacked`),
  }
}

const baseline: Read<Baseline> = (value, at) => {
  const table = closed(value, at, [...SIGNED, 'permissions'])
  return { ...signed(table, at), permissions: readPermissions(table['permissions'], `${at}.permissions`) }
}

const pending: Read<Pending> = (value, at) => {
  const table = closed(value, at, ['install', 'marks', 'baseline?'])
  return {
    install: install(table['install'], `${at}.install`),
    marks: list(mark)(table['marks'], `${at}.marks`),
    ...(table['baseline'] !== undefined && { baseline: baseline(table['baseline'], `${at}.baseline`) }),
  }
}

const reset: Read<Reset> = (value, at) => {
  const table = closed(value, at, ['at', 'reason?', 'marks'])
  return {
    at: instant(table['at'], `${at}.at`),
    ...(table['reason'] !== undefined && { reason: text(table['reason'], `${at}.reason`) }),
    marks: list(mark)(table['marks'], `${at}.marks`),
  }
}
