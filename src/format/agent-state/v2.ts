// Version 2 of the state: a mark belongs to the agent, and lists the keys that vouched.
import type { AgentState, Mark, Pending, Reset } from '../../model/state.ts'
import { closed, list, type Read, text } from '../json/read.ts'
import { frame, readBaseline, readDigest, readInstall, readInstant, readKeys, readVersion } from './parts.ts'

export function readStateV2(value: unknown): AgentState {
  const { table, agent, baseline, installs } = frame(value)
  return {
    agent,
    marks: list(mark)(table['marks'], 'marks'),
    ...(baseline !== undefined && { baseline }),
    installs,
    pending: list(pending)(table['pending'], 'pending'),
    resets: list(reset)(table['resets'], 'resets'),
  }
}

const mark: Read<Mark> = (value, at) => {
  const table = closed(value, at, ['version', 'manifestDigest', 'keys', 'at'])
  return {
    version: readVersion(table['version'], `${at}.version`),
    manifestDigest:
      table['manifestDigest'] === null ? null : readDigest(table['manifestDigest'], `${at}.manifestDigest`),
    keys: readKeys(table['keys'], `${at}.keys`),
    at: readInstant(table['at'], `${at}.at`),
  }
}

const pending: Read<Pending> = (value, at) => {
  const table = closed(value, at, ['install', 'mark?', 'baseline?'])
  return {
    install: readInstall(table['install'], `${at}.install`),
    ...(table['mark'] !== undefined && { mark: mark(table['mark'], `${at}.mark`) }),
    ...(table['baseline'] !== undefined && { baseline: readBaseline(table['baseline'], `${at}.baseline`) }),
  }
}

const reset: Read<Reset> = (value, at) => {
  const table = closed(value, at, ['at', 'reason?', 'to?', 'marks'])
  return {
    at: readInstant(table['at'], `${at}.at`),
    ...(table['reason'] !== undefined && { reason: text(table['reason'], `${at}.reason`) }),
    ...(table['to'] !== undefined && { to: readVersion(table['to'], `${at}.to`) }),
    marks: list(mark)(table['marks'], `${at}.marks`),
  }
}
