// Version 2 of the state: a mark belongs to the agent, and lists the keys that vouched.
import type { AgentState, Mark, Pending, Reset } from '../../model/state.ts'
import { closed, list, type Read, text } from '../json/read.ts'
import {
  frame,
  readDigest,
  readInstall,
  readInstant,
  readKeys,
  readLastBaseline,
  readVersion,
  seemsInstalled,
} from './parts.ts'

export function readStateV2(value: unknown): AgentState {
  const { table, agent, baselines, installs } = frame(value)
  const state = {
    agent,
    marks: list(readMark)(table['marks'], 'marks'),
    baselines,
    installs,
    pending: list(pending)(table['pending'], 'pending'),
    resets: list(readReset)(table['resets'], 'resets'),
  }
  return { ...state, wasInstalled: seemsInstalled(state) }
}

export const readMark: Read<Mark> = (value, at) => {
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
  const install = readInstall(table['install'], `${at}.install`)
  const replacing =
    table['baseline'] === undefined ? undefined : readLastBaseline(table['baseline'], `${at}.baseline`)
  return {
    install,
    ...(table['mark'] !== undefined && { mark: readMark(table['mark'], `${at}.mark`) }),
    ...(replacing !== undefined && { baseline: { ...replacing, root: install.root } }),
  }
}

export const readReset: Read<Reset> = (value, at) => {
  const table = closed(value, at, ['at', 'reason?', 'to?', 'marks'])
  return {
    at: readInstant(table['at'], `${at}.at`),
    ...(table['reason'] !== undefined && { reason: text(table['reason'], `${at}.reason`) }),
    ...(table['to'] !== undefined && { to: readVersion(table['to'], `${at}.to`) }),
    marks: list(readMark)(table['marks'], `${at}.marks`),
  }
}
