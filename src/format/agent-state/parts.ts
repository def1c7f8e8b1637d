// Parts that the versions of the state share. Closed and strict, because roll-back decisions are never based on a guess.
import { type AgentState, ALLOWANCES, type Baseline, type Install } from '../../model/state.ts'
import { VERDICTS, type Verdict } from '../../model/verdict.ts'
import { isAgentName } from '../agent/agent-name.ts'
import { readPermissions } from '../capability/permissions.ts'
import { closed, flag, list, matching, type Read, ReadProblem, text, wordOf } from '../json/read.ts'
import { isSpelledAsAnchor } from '../signature/kinds/index.ts'
import { isIdentityString } from '../trust/identity-string.ts'
import { isVersion } from '../version/reference.ts'

export const readDigest = matching(/^[0-9a-f]{64}$/, 'is no BLAKE3 digest')
export const readOciDigest = matching(/^sha256:[0-9a-f]{64}$/, 'is no digest of a manifest')
export const readInstant = matching(
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/,
  'is no UTC second',
)
export const readKeys = list((value, at) => {
  if (typeof value === 'string' && (isSpelledAsAnchor(value) || isIdentityString(value))) return value
  throw new ReadProblem(`${at} is no key`)
})

/** Other text could not be compared, and no version would ever be older. */
export const readVersion: Read<string> = (value, at) => {
  if (typeof value === 'string' && isVersion(value)) return value
  throw new ReadProblem(`${at} is no version`)
}

const root = matching(/^(?:\/|[A-Za-z]:\\)/, 'is no absolute path')
const SIGNED = ['version', 'manifestDigest', 'anchors', 'signers', 'at'] as const
const INSTALL = [...SIGNED, 'root', 'fileDigest', 'verdict', 'allowed', 'unpacked'] as const

function signed(table: Readonly<Record<string, unknown>>, at: string) {
  return {
    version: readVersion(table['version'], `${at}.version`),
    manifestDigest: readDigest(table['manifestDigest'], `${at}.manifestDigest`),
    anchors: list(text)(table['anchors'], `${at}.anchors`),
    signers: readKeys(table['signers'], `${at}.signers`),
    at: readInstant(table['at'], `${at}.at`),
  }
}

export const readInstall: Read<Install> = (value, at) => {
  const table = closed(value, at, INSTALL)
  return {
    ...signed(table, at),
    root: root(table['root'], `${at}.root`),
    fileDigest: readDigest(table['fileDigest'], `${at}.fileDigest`),
    verdict: wordOf(Object.keys(VERDICTS) as Verdict[])(table['verdict'], `${at}.verdict`),
    allowed: list(wordOf(ALLOWANCES))(table['allowed'], `${at}.allowed`),
    unpacked: flag(table['unpacked'], `${at}.unpacked`),
  }
}

const readLockName: Read<string> = (value, at) => {
  if (typeof value === 'string' && isAgentName(value)) return value
  throw new ReadProblem(`${at} is no name of a lock`)
}

/** From version 4 on: also where it was read from, when its signatures expire, and by which lock it was installed. */
export const readInstallWithSource: Read<Install> = (value, at) => {
  const { oci, notAfter, lock, ...rest } = closed(value, at, [...INSTALL, 'oci?', 'notAfter?', 'lock?'])
  return {
    ...readInstall(rest, at),
    ...(oci !== undefined && { oci: readOciDigest(oci, `${at}.oci`) }),
    ...(notAfter !== undefined && { notAfter: readInstant(notAfter, `${at}.notAfter`) }),
    ...(lock !== undefined && { lock: readLockName(lock, `${at}.lock`) }),
  }
}

/** As versions 1 and 2 wrote it: of all roots only the last one, and not which root it was. */
export const readLastBaseline: Read<Baseline> = (value, at) => {
  const table = closed(value, at, [...SIGNED, 'permissions'])
  return {
    root: null,
    ...signed(table, at),
    permissions: readPermissions(table['permissions'], `${at}.permissions`),
  }
}

export const readBaseline: Read<Baseline> = (value, at) => {
  const { root: place, ...rest } = closed(value, at, ['root', ...SIGNED, 'permissions'])
  return { ...readLastBaseline(rest, at), root: place === null ? null : root(place, `${at}.root`) }
}

/** The members of versions 1 and 2; marks are read as that version writes them. */
export interface StateFrame {
  readonly table: Readonly<Record<string, unknown>>
  readonly agent: string
  readonly baselines: readonly Baseline[]
  readonly installs: readonly Install[]
}

export function frame(value: unknown): StateFrame {
  const table = closed(value, 'the state', [
    'version',
    'agent',
    'marks',
    'baseline?',
    'installs',
    'pending',
    'resets',
  ])
  const installs = list(readInstall)(table['installs'], 'installs')
  const last = table['baseline'] === undefined ? undefined : readLastBaseline(table['baseline'], 'baseline')
  return {
    table,
    agent: text(table['agent'], 'agent'),
    baselines: last === undefined ? [] : placed(last, installs),
    installs,
  }
}

/** The roots that hold it as trusted are those where it was consented to. */
function placed(last: Baseline, installs: readonly Install[]): readonly Baseline[] {
  const there = installs.filter(
    ({ manifestDigest, verdict }) => manifestDigest === last.manifestDigest && verdict === 'trusted',
  )
  return there.length === 0 ? [last] : there.map(({ root }) => ({ ...last, root }))
}

/** What versions 1 and 2 did not write down: an agent that was never signed, and is gone, is unknown to them. */
export function seemsInstalled({
  marks,
  baselines,
  installs,
  resets,
}: Omit<AgentState, 'wasInstalled'>): boolean {
  return [marks, baselines, installs, resets].some(list => list.length > 0)
}
