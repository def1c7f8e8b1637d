// Version 1 of the state → AgentState. Its marks belonged to named anchors; the newest becomes the mark of the agent.
import type { AgentState, Baseline, Install, Mark, Pending, Reset } from '../../model/state.ts'
import { closed, list, type Read, text } from '../json/read.ts'
import { raise } from './marks.ts'
import {
  frame,
  readDigest,
  readInstall,
  readInstant,
  readLastBaseline,
  readVersion,
  seemsInstalled,
} from './parts.ts'

export function readStateV1(value: unknown): AgentState {
  const { table, agent, baselines, installs } = frame(value)
  const resets = list(reset)(table['resets'], 'resets')
  const signed = [...baselines, ...installs]
  const marks = list(mark)(table['marks'], 'marks')
  const state = {
    agent,
    marks: [...marks, ...unmarked(baselines[0], resets)]
      .map(one => withKeys(one, signed))
      .reduce<readonly Mark[]>(raise, []),
    baselines,
    installs,
    pending: list(pending)(table['pending'], 'pending'),
    resets,
  }
  return { ...state, wasInstalled: seemsInstalled(state) }
}

const mark: Read<Mark> = (value, at) => {
  const table = closed(value, at, ['anchor', 'version', 'manifestDigest', 'at'])
  // Read but not kept: the policy may use the name for another key now.
  text(table['anchor'], `${at}.anchor`)
  return {
    version: readVersion(table['version'], `${at}.version`),
    manifestDigest: readDigest(table['manifestDigest'], `${at}.manifestDigest`),
    keys: [],
    at: readInstant(table['at'], `${at}.at`),
  }
}

const pending: Read<Pending> = (value, at) => {
  const table = closed(value, at, ['install', 'marks', 'baseline?'])
  const announced = readInstall(table['install'], `${at}.install`)
  const replacing =
    table['baseline'] === undefined ? undefined : readLastBaseline(table['baseline'], `${at}.baseline`)
  const [first] = [...list(mark)(table['marks'], `${at}.marks`), ...unmarked(replacing, [])]
  return {
    install: announced,
    ...(first !== undefined && { mark: withKeys(first, [announced]) }),
    ...(replacing !== undefined && { baseline: { ...replacing, root: announced.root } }),
  }
}

const reset: Read<Reset> = (value, at) => {
  const table = closed(value, at, ['at', 'reason?', 'marks'])
  return {
    at: readInstant(table['at'], `${at}.at`),
    ...(table['reason'] !== undefined && { reason: text(table['reason'], `${at}.reason`) }),
    marks: list(mark)(table['marks'], `${at}.marks`),
  }
}

/**
 * A trusted install raised no mark if two policies named its key differently. It is still the baseline, and raises the mark now, unless a
 * reset came after it.
 */
function unmarked(baseline: Baseline | undefined, resets: readonly Reset[]): Mark[] {
  if (baseline === undefined || resets.some(({ at }) => at >= baseline.at)) return []
  const { version, manifestDigest, at } = baseline
  return [{ version, manifestDigest, keys: [], at }]
}

/** Keys are taken from an install with the same content, or from the last trusted one. */
function withKeys(mark: Mark, signed: readonly (Baseline | Install)[]): Mark {
  const same = signed.filter(({ manifestDigest }) => manifestDigest === mark.manifestDigest)
  return { ...mark, keys: [...new Set(same.flatMap(({ signers }) => signers))] }
}
