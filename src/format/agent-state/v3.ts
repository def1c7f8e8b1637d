// Version 3 of the state: what was installed as trusted is kept for each root.
import type { AgentState, Install, Pending } from '../../model/state.ts'
import { closed, flag, list, type Read, ReadProblem, text } from '../json/read.ts'
import { readBaseline, readInstall } from './parts.ts'
import { readMark, readReset } from './v2.ts'

export function readStateV3(value: unknown): AgentState {
  return readPlaced(value, readInstall)
}

/** @param readInstall how this version writes an install */
export function readPlaced(value: unknown, readInstall: Read<Install>): AgentState {
  const members = ['version', 'agent', 'marks', 'wasInstalled', 'baselines', 'installs', 'pending', 'resets']
  const table = closed(value, 'the state', members)
  return {
    agent: text(table['agent'], 'agent'),
    marks: list(readMark)(table['marks'], 'marks'),
    wasInstalled: flag(table['wasInstalled'], 'wasInstalled'),
    baselines: list(readBaseline)(table['baselines'], 'baselines'),
    installs: list(readInstall)(table['installs'], 'installs'),
    pending: list(pendingOf(readInstall))(table['pending'], 'pending'),
    resets: list(readReset)(table['resets'], 'resets'),
  }
}

function pendingOf(readInstall: Read<Install>): Read<Pending> {
  return (value, at) => pending(value, at, readInstall)
}

function pending(value: unknown, at: string, readInstall: Read<Install>): Pending {
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
