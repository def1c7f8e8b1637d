// The state of an agent + an event → its new state. Pure.

import type { AgentState, Baseline, Install, Mark, Pending, Reset } from '../model/state.ts'
import { raise } from '../state/marks.ts'

/** As many of one root as a person goes back, and not one for each of a thousand temporary roots. */
const MOST_BASELINES = { ofRoot: 4, ofAll: 32 }

/** An install begins: recorded before anything changes in the root, so that a crash leaves a trace. */
export function announce(state: AgentState, pending: Pending): AgentState {
  const others = withdraw(state, pending.install.root).pending
  return { ...state, pending: [...others, pending] }
}

/** The install in a root did not take place. */
export function withdraw(state: AgentState, root: string): AgentState {
  return { ...state, pending: state.pending.filter(({ install }) => install.root !== root) }
}

/**
 * The announced install of a root took place if the root now holds its file.
 * @param fileDigest of the file in the root
 */
export function settle(state: AgentState, root: string, fileDigest: string): AgentState {
  const rest = withdraw(state, root)
  const pending = state.pending.find(({ install }) => install.root === root)
  if (pending === undefined || pending.install.fileDigest !== fileDigest) return rest
  const { install, mark, baseline } = pending
  return {
    ...forget(rest, root),
    installs: [...forget(rest, root).installs, install],
    marks: mark === undefined ? state.marks : raise(state.marks, mark),
    wasInstalled: true,
    baselines: baseline === undefined ? state.baselines : withBaseline(state.baselines, baseline),
  }
}

/** One that is dropped makes the next comparison stricter, never laxer. */
function withBaseline(known: readonly Baseline[], baseline: Baseline): readonly Baseline[] {
  const { root, manifestDigest } = baseline
  const here = known.filter(one => one.root === root && one.manifestDigest !== manifestDigest)
  const kept = here.slice(-(MOST_BASELINES.ofRoot - 1))
  const others = known.filter(one => one.root !== root || kept.includes(one))
  return [...others, baseline].slice(-MOST_BASELINES.ofAll)
}

/** The record of an installed file says more by now. */
export function complete(state: AgentState, install: Install): AgentState {
  const isIt = ({ root, fileDigest }: Install) => root === install.root && fileDigest === install.fileDigest
  return { ...state, installs: state.installs.map(one => (isIt(one) ? install : one)) }
}

/** A root holds no install of it any more. The marks stay, and so do the baselines for the next install. */
export function forget(state: AgentState, root: string): AgentState {
  return { ...state, installs: state.installs.filter(install => install.root !== root) }
}

/**
 * The recorded recovery (docs/recovery.md): the marks are forgotten, but not that they were. With `to`, that version is the mark from now
 * on, whatever its content.
 * @param installed what counts as a mark because it is installed, which is forgotten too
 */
export function reset(
  state: AgentState,
  { at, reason, to }: Omit<Reset, 'marks'>,
  installed: readonly Mark[] = [],
): AgentState {
  const entry: Reset = {
    at,
    ...(reason !== undefined && { reason }),
    ...(to !== undefined && { to }),
    marks: [...state.marks, ...installed],
  }
  const marks = to === undefined ? [] : [{ version: to, manifestDigest: null, keys: [], at }]
  return { ...state, marks, resets: [...state.resets, entry] }
}

/** The install in a root, completed or only announced. */
export function installIn(state: AgentState, root: string, fileDigest?: string): Install | undefined {
  const announced = state.pending.map(({ install }) => install)
  return [...state.installs, ...announced].find(
    install => install.root === root && (fileDigest === undefined || install.fileDigest === fileDigest),
  )
}

/** Whether an install in a root, completed or only announced, has a folder beside its file. */
export function hasFolder(state: AgentState, root: string): boolean {
  return [...state.installs, ...state.pending.map(({ install }) => install)].some(
    install => install.root === root && install.unpacked,
  )
}
