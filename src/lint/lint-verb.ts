// What the library offers of lint: an agent's folder, or a tools.json of agentcli, to its findings.
import { type LongOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { UsageError } from '../model/error.ts'
import type { Severity } from '../model/finding.ts'
import { lintFile } from './lint-file.ts'
import { type LintResult, lintResult } from './lint-result.ts'
import { isToolsFile, lintTarget } from './lint-target.ts'
import { type InterfaceLevel, interfaceSettings, isAboutAny } from './suppress.ts'

export interface LintOptions extends LongOptions {
  /** A level for a rule or a `family/*`, by its id; the last one that fits a rule counts. */
  readonly rules?: { readonly [rule: string]: Severity | 'off' }
  /** How much interfaces.json has to state. */
  readonly interfaces?: InterfaceLevel
  /** `written`: the safe fixes are applied. `shown`: the findings are as if they were, and nothing is written. */
  readonly fix?: 'shown' | 'written'
  /** The time of this run, for suppressions that end; now where it is left out. */
  readonly now?: Date
}

/**
 * Lints one agent's folder, or a tools.json of agentcli. What is wrong with it is a finding and never an error.
 *
 * @example
 * const { findings, counts } = await lint('agents/mailer', { rules: { 'wasm/stub': 'off' } })
 * for (const { file, line, message } of findings) console.log(`${file}:${line} ${message}`)
 *
 * @throws {@link RlpError} `NOT_FOUND` and the like where nothing can be read, `USAGE` for a rule that is not there, `CANCELLED`
 */
export async function lintPath(path: PathGiven, options: LintOptions = {}): Promise<LintResult> {
  return runVerb('lint', options, async (given, io) => {
    const { rules = {}, interfaces, fix = 'none', now = new Date() } = given
    const target = targetGiven(path, io, 'lint')
    for (const rule of Object.keys(rules)) {
      if (!isAboutAny(rule))
        throw new UsageError(`Cannot lint: there is no rule ${JSON.stringify(rule)}`, { field: 'rules' })
    }
    const levels = Object.entries(rules).map(([rule, level]) => ({ rule, level, said: 'rules' }))
    const settings = [...interfaceSettings(interfaces), ...levels]
    const linted = isToolsFile(target)
      ? await lintFile(target, { now, settings, fixes: 'none' })
      : await lintTarget(target, { now, settings, fixes: fix }, io)
    return lintResult(linted)
  })
}
