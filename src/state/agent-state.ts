// Reads and writes the state file of an agent. It is closed and strict, because decisions about roll-backs are never based on a guess: a
// file of another version is refused.
import { isAgentName } from '../agent/agent-name.ts'
import { parseJson } from '../json/parse.ts'
import { closed, flag, list, matching, type Read, ReadProblem, text, wordOf } from '../json/read.ts'
import type { FilledArgument, Permissions, ToldOfTool, ToolPermission } from '../model/permissions.ts'
import type { Policy } from '../model/policy.ts'
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
import { CAPABILITY_FAMILIES, policyOf } from '../policy/families/index.ts'
import { isSchemaObject } from '../schema/walk.ts'
import { isSpelledAsAnchor } from '../signature/kinds/index.ts'
import { TRANSPORT_KINDS, transportKind } from '../tools/transports/index.ts'
import { isIdentityString } from '../trust-policy/identity-string.ts'
import { isVersion, readReference } from '../version/reference.ts'

const VERSION = 4

type ReadAgentState =
  | { readonly ok: true; readonly state: AgentState }
  | { readonly ok: false; readonly problem: string; readonly hint: string }

const CHANGED =
  'It tells what was installed before. Put it back from a backup, or look into what changed it before you remove it'
const OTHER_VERSION =
  'Use the rlp that wrote it. If there is none any more, move the file away: the next install then asks as the first one does, and refuses no older version'

/** @param agent the agent of this file: a file about another agent was moved there */
export function readAgentState(path: string, bytes: Uint8Array, agent: string): ReadAgentState {
  const parsed = parseJson(path, bytes)
  if (!parsed.ok) return { ok: false, problem: parsed.problem.message, hint: CHANGED }
  const { value } = parsed.document
  const stated = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined
  if (stated !== undefined && stated !== VERSION) {
    const problem = `its version is ${JSON.stringify(stated)}, and this build reads ${VERSION}`
    return { ok: false, problem, hint: OTHER_VERSION }
  }
  try {
    const state = readMembers(value)
    if (state.agent === agent && readReference(agent) !== undefined) return { ok: true, state }
    return { ok: false, problem: 'it is about another agent', hint: CHANGED }
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error
    return { ok: false, problem: error.message, hint: CHANGED }
  }
}

export function writeAgentState(state: AgentState): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ version: VERSION, ...state }, null, 1)}\n`)
}

const readDigest = matching(/^[0-9a-f]{64}$/, 'is no BLAKE3 digest')
const readOciDigest = matching(/^sha256:[0-9a-f]{64}$/, 'is no digest of a manifest')
const readInstant = matching(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/, 'is no UTC second')
const readKeys = list((value, at) => {
  if (typeof value === 'string' && (isSpelledAsAnchor(value) || isIdentityString(value))) return value
  throw new ReadProblem(`${at} is no key`)
})

/** Other text could not be compared, and no version would ever be older. */
const readVersion: Read<string> = (value, at) => {
  if (typeof value === 'string' && isVersion(value)) return value
  throw new ReadProblem(`${at} is no version`)
}

const root = matching(/^(?:\/|[A-Za-z]:\\)/, 'is no absolute path')
const SIGNED = ['version', 'manifestDigest', 'anchors', 'signers', 'at'] as const
function signed(table: Readonly<Record<string, unknown>>, at: string) {
  return {
    version: readVersion(table['version'], `${at}.version`),
    manifestDigest: readDigest(table['manifestDigest'], `${at}.manifestDigest`),
    anchors: list(text)(table['anchors'], `${at}.anchors`),
    signers: readKeys(table['signers'], `${at}.signers`),
    at: readInstant(table['at'], `${at}.at`),
  }
}

const readLockName: Read<string> = (value, at) => {
  if (typeof value === 'string' && isAgentName(value)) return value
  throw new ReadProblem(`${at} is no name of a lock`)
}

const readInstall: Read<Install> = (value, at) => {
  const own = ['root', 'fileDigest', 'verdict', 'allowed', 'unpacked', 'oci?', 'notAfter?', 'lock?']
  const table = closed(value, at, [...SIGNED, ...own])
  const { oci, notAfter, lock } = table
  return {
    ...signed(table, at),
    root: root(table['root'], `${at}.root`),
    fileDigest: readDigest(table['fileDigest'], `${at}.fileDigest`),
    verdict: wordOf(Object.keys(VERDICTS) as Verdict[])(table['verdict'], `${at}.verdict`),
    allowed: list(wordOf(ALLOWANCES))(table['allowed'], `${at}.allowed`),
    unpacked: flag(table['unpacked'], `${at}.unpacked`),
    ...(oci !== undefined && { oci: readOciDigest(oci, `${at}.oci`) }),
    ...(notAfter !== undefined && { notAfter: readInstant(notAfter, `${at}.notAfter`) }),
    ...(lock !== undefined && { lock: readLockName(lock, `${at}.lock`) }),
  }
}

const readBaseline: Read<Baseline> = (value, at) => {
  const table = closed(value, at, ['root', ...SIGNED, 'permissions'])
  return {
    root: root(table['root'], `${at}.root`),
    ...signed(table, at),
    permissions: readPermissions(table['permissions'], `${at}.permissions`),
  }
}

const readMark: Read<Mark> = (value, at) => {
  const table = closed(value, at, ['version', 'manifestDigest', 'keys', 'at'])
  return {
    version: readVersion(table['version'], `${at}.version`),
    manifestDigest:
      table['manifestDigest'] === null ? null : readDigest(table['manifestDigest'], `${at}.manifestDigest`),
    keys: readKeys(table['keys'], `${at}.keys`),
    at: readInstant(table['at'], `${at}.at`),
  }
}

const readReset: Read<Reset> = (value, at) => {
  const table = closed(value, at, ['at', 'reason?', 'to?', 'marks'])
  return {
    at: readInstant(table['at'], `${at}.at`),
    ...(table['reason'] !== undefined && { reason: text(table['reason'], `${at}.reason`) }),
    ...(table['to'] !== undefined && { to: readVersion(table['to'], `${at}.to`) }),
    marks: list(readMark)(table['marks'], `${at}.marks`),
  }
}

const readPending: Read<Pending> = (value, at) => {
  const table = closed(value, at, ['install', 'mark?', 'baseline?'])
  const install = readInstall(table['install'], `${at}.install`)
  const baseline =
    table['baseline'] === undefined ? undefined : readBaseline(table['baseline'], `${at}.baseline`)
  if (baseline !== undefined && baseline.root !== install.root)
    throw new ReadProblem(`${at}.baseline is of another root`)
  return {
    install,
    ...(table['mark'] !== undefined && { mark: readMark(table['mark'], `${at}.mark`) }),
    ...(baseline !== undefined && { baseline }),
  }
}

/** @throws ReadProblem */
function readMembers(value: unknown): AgentState {
  const members = ['version', 'agent', 'marks', 'wasInstalled', 'baselines', 'installs', 'pending', 'resets']
  const table = closed(value, 'the state', members)
  return {
    agent: text(table['agent'], 'agent'),
    marks: list(readMark)(table['marks'], 'marks'),
    wasInstalled: flag(table['wasInstalled'], 'wasInstalled'),
    baselines: list(readBaseline)(table['baselines'], 'baselines'),
    installs: list(readInstall)(table['installs'], 'installs'),
    pending: list(readPending)(table['pending'], 'pending'),
    resets: list(readReset)(table['resets'], 'resets'),
  }
}

/** @throws ReadProblem */
export const readPermissions: Read<Permissions> = (value, at) => {
  const table = closed(value, at, ['policy', 'tools', 'entry'])
  return {
    policy: policy(table['policy'], `${at}.policy`),
    tools: list(tool)(table['tools'], `${at}.tools`),
    entry: digest(table['entry'], `${at}.entry`),
  }
}

const texts = list(text)

const policy: Read<Policy> = (value, at) => {
  const table = closed(value, at, [...CAPABILITY_FAMILIES.map(({ member }) => member), 'unknown?'])
  return {
    ...policyOf(({ member, table: { stored } }) => stored(table[member], `${at}.${member}`)),
    ...('unknown' in table && { unknown: texts(table['unknown'], `${at}.unknown`) }),
  }
}

const tool: Read<ToolPermission> = (value, at) => {
  const named: unknown =
    typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined
  const { act } = transportKind({ kind: wordOf(TRANSPORT_KINDS)(named, `${at}.kind`) })
  const table = closed(value, at, [
    'id',
    'kind',
    'secrets',
    'confirm',
    'fills',
    'isWithheld?',
    'told',
    ...act.members,
  ])
  return {
    id: text(table['id'], `${at}.id`),
    secrets: texts(table['secrets'], `${at}.secrets`),
    confirm: flag(table['confirm'], `${at}.confirm`),
    fills: list(filled)(table['fills'], `${at}.fills`),
    ...(table['isWithheld'] !== undefined && withheld(table['isWithheld'], at)),
    told: told(table['told'], `${at}.told`),
    ...act.read(table, at),
  }
}

const digest = matching(/^[0-9a-f]{64}$/, 'is no BLAKE3 digest')

const told: Read<ToldOfTool> = (value, at) => {
  const table = closed(value, at, ['title?', 'description', 'words', 'schemas'])
  return {
    ...(table['title'] !== undefined && { title: text(table['title'], `${at}.title`) }),
    description: text(table['description'], `${at}.description`),
    words: digest(table['words'], `${at}.words`),
    schemas: digest(table['schemas'], `${at}.schemas`),
  }
}

function withheld(value: unknown, at: string): { readonly isWithheld: true } {
  if (value !== true) throw new ReadProblem(`${at}.isWithheld is not true`)
  return { isWithheld: true }
}

const filled: Read<FilledArgument> = (value, at) => {
  const table = closed(value, at, ['path', 'schema', 'beside'])
  const { schema } = table
  if (typeof schema !== 'boolean' && !isSchemaObject(schema))
    throw new ReadProblem(`${at}.schema is no JSON Schema`)
  return {
    path: matching(/^[A-Za-z0-9_.-]*$/, 'names no argument')(table['path'], `${at}.path`),
    schema,
    beside: matching(/^(?:[0-9a-f]{64})?$|^not compared$/, 'is no digest')(table['beside'], `${at}.beside`),
  }
}
