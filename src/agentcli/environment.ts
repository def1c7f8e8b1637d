// The agent's own environment → the few variables that an agentcli tool gets.
import { own } from '../model/own.ts'

/** Passed on unless they are empty. */
export const ALWAYS_PASSED: readonly string[] = ['PATH', 'HOME']

interface ToolEnvironment {
  readonly env: Readonly<Record<string, string>>
  /** Names that `envPassthrough` passed on, for the audit line; never values. */
  readonly envKeys: readonly string[]
}

/** @param names `envPassthrough` as loaded; an empty variable is passed on, a missing one is not */
export function toolEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): ToolEnvironment {
  const held = (name: string) => own(parent, name)
  const envKeys = names.filter(name => held(name) !== undefined)
  const passed = [...ALWAYS_PASSED.filter(name => held(name)), ...envKeys]
  return { env: Object.fromEntries(passed.map(name => [name, held(name) ?? ''])), envKeys }
}
