// The registry of rules and the caller's settings → their description in SARIF.
import type { Severity } from '../../model/finding.ts'
import { DESCRIBED_RULES } from '../rules/described.ts'
import { isAbout, type RuleSetting } from '../suppress.ts'

export const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Record<
  Severity,
  string
>

/** Every rule, with or without findings: `ruleIndex` counts in this order. */
export function describeRules() {
  return DESCRIBED_RULES.map(({ id, severity, scope, summary, why, fix, autofix, isOptIn }) => {
    const family = id.split('/', 1)[0] ?? ''
    return {
      id,
      shortDescription: { text: sentence(summary) },
      fullDescription: { text: why },
      help: { text: `${why} ${fix}`, markdown: `${escaped(why)}\n\n**Fix:** ${escaped(fix)}` },
      defaultConfiguration: { enabled: isOptIn !== true, level: LEVELS[severity] },
      properties: {
        // Code scanning reads these two names.
        tags: [family, ...(scope === 'bundle' ? ['verification'] : [])],
        'problem.severity': severity === 'info' ? 'recommendation' : severity,
        scope,
        autofix: autofix !== undefined,
      },
    }
  })
}

/** What `--rule` changed, rule by rule. */
export function describeSettings(settings: readonly RuleSetting[]) {
  return DESCRIBED_RULES.flatMap(({ id }, index) => {
    const setting = settings.findLast(({ rule }) => isAbout(rule, id))
    if (setting === undefined) return []
    const { level } = setting
    const configuration = level === 'off' ? { enabled: false } : { enabled: true, level: LEVELS[level] }
    return { descriptor: { id, index }, configuration }
  })
}

function sentence(words: string): string {
  // Keeps the spelling of a file name or key.
  if (/^\S*[._=]/.test(words)) return `${words}.`
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`
}

/** Rules are plain text: markup characters are escaped. */
function escaped(words: string): string {
  return words.replace(/[\\`*_<|[\]]/g, '\\$&')
}
