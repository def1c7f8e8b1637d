// The agent's own environment → the few variables that an agentcli tool gets (systems reference §1a, "Runner").
import { own } from '../../model/own.ts'

/** Passed on whenever they hold something. */
const ALWAYS = ['PATH', 'HOME']

export interface ToolEnvironment {
  readonly env: Readonly<Record<string, string>>
  /** Names that `envPassthrough` passed on, for the audit line: never their values. */
  readonly envKeys: readonly string[]
}

/** @param names `envPassthrough` as it was loaded; one that holds an empty value is passed on, one that does not exist is not */
export function toolEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): ToolEnvironment {
  const held = (name: string) => own(parent, name)
  const envKeys = names.filter(name => held(name) !== undefined)
  const passed = [...ALWAYS.filter(name => held(name)), ...envKeys]
  return { env: Object.fromEntries(passed.map(name => [name, held(name) ?? ''])), envKeys }
}
