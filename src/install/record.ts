// What is remembered of an agent + something that happens to it → what is remembered then. Pure.
import { raise } from '../format/marks.ts'
import type { AgentState, Install, Pending, Reset } from '../model/state.ts'

/** An install begins: written down before anything changes in the root, so that a crash leaves a trace. */
export function announce(state: AgentState, pending: Pending): AgentState {
  const others = withdraw(state, pending.install.root).pending
  return { ...state, pending: [...others, pending] }
}

/** The install in a root has not taken place. */
export function withdraw(state: AgentState, root: string): AgentState {
  return { ...state, pending: state.pending.filter(({ install }) => install.root !== root) }
}

/**
 * What was announced for a root, now that a file stands there: it took place when this is its file.
 *
 * @param fileDigest of the file that stands in the root
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
    ...(baseline !== undefined && { baseline }),
  }
}

/** Nothing is installed in a root any more. Marks and what the next install is compared with stay. */
export function forget(state: AgentState, root: string): AgentState {
  return { ...state, installs: state.installs.filter(install => install.root !== root) }
}

/**
 * The recorded recovery (DESIGN §3.7): the marks are forgotten, and that they were is not. With `to`, that version is the mark from now on,
 * whatever its content.
 */
export function reset(state: AgentState, { at, reason, to }: Omit<Reset, 'marks'>): AgentState {
  const entry: Reset = {
    at,
    ...(reason !== undefined && { reason }),
    ...(to !== undefined && { to }),
    marks: state.marks,
  }
  const marks = to === undefined ? [] : [{ version: to, manifestDigest: null, keys: [], at }]
  return { ...state, marks, resets: [...state.resets, entry] }
}

/** The install in a root, settled or only announced. */
export function installIn(state: AgentState, root: string, fileDigest?: string): Install | undefined {
  const announced = state.pending.map(({ install }) => install)
  return [...state.installs, ...announced].find(
    install => install.root === root && (fileDigest === undefined || install.fileDigest === fileDigest),
  )
}

/** Whether an install in a root, settled or only announced, has a folder beside its file. */
export function hasFolder(state: AgentState, root: string): boolean {
  return [...state.installs, ...state.pending.map(({ install }) => install)].some(
    install => install.root === root && install.unpacked,
  )
}
