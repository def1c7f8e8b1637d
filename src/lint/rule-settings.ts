// Levels that a caller gives to rules → settings, where such rules are there.
import { DESCRIBED_RULES } from './rules/described.ts'
import { isAbout, type RuleSetting } from './suppress.ts'

/** How much interfaces.json has to state. */
export type InterfaceLevel = 'schema' | 'complete'

/** Level of Agent Tool records → the levels of the rules about facts that a record leaves out (docs/interfaces.md). */
const INTERFACE_LEVELS = {
  schema: { 'tools/interface-complete': 'off' },
  complete: { 'tools/interface-complete': 'error', 'tools/interface-classifier': 'error' },
} as const satisfies Record<InterfaceLevel, Readonly<Record<string, RuleSetting['level']>>>

export function interfaceSettings(level: InterfaceLevel | undefined): RuleSetting[] {
  const levels: Readonly<Record<string, RuleSetting['level']>> =
    level === undefined ? {} : INTERFACE_LEVELS[level]
  const said = `--interfaces ${level}`
  return Object.entries(levels).map(([rule, level]) => ({ rule, level, said }))
}

/** Whether a setting is about any rule: a rule's id, or `family/*`. */
export function isAboutAny(setting: string): boolean {
  return DESCRIBED_RULES.some(({ id }) => isAbout(setting, id))
}
