// Version 3 of the state: what was installed as trusted is kept for each root.
import type { AgentState, Pending } from '../../model/state.ts'
import { closed, flag, list, type Read, text } from '../json/read.ts'
import { readBaseline, readInstall } from './parts.ts'
import { readMark, readReset } from './v2.ts'

export function readStateV3(value: unknown): AgentState {
  const members = ['version', 'agent', 'marks', 'wasInstalled', 'baselines', 'installs', 'pending', 'resets']
  const table = closed(value, 'the state', members)
  return {
    agent: text(table['agent'], 'agent'),
    marks: list(readMark)(table['marks'], 'marks'),
    wasInstalled: flag(table['wasInstalled'], 'wasInstalled'),
    baselines: list(readBaseline)(table['baselines'], 'baselines'),
    installs: list(readInstall)(table['installs'], 'installs'),
    pending: list(pending)(table['pending'], 'pending'),
    resets: list(readReset)(table['resets'], 'resets'),
  }
}

const pending: Read<Pending> = (value, at) => {
  const table = closed(value, at, ['install', 'mark?', 'baseline?'])
  return {
    install: readInstall(table['install'], `${at}.install`),
    ...(table['mark'] !== undefined && { mark: readMark(table['mark'], `${at}.mark`) }),
    ...(table['baseline'] !== undefined && { baseline: readBaseline(table['baseline'], `${at}.baseline`) }),
  }
}
