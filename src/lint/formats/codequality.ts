// Lint's report in GitLab's code quality format, a part of Code Climate's: GitLab shows it beside the changed lines of a merge request.
import { resolve } from 'node:path'
import type { Failed } from '../../cli/each.ts'
import type { Severity } from '../../model/finding.ts'
import { jsonLine } from '../../report/json.ts'
import { checkoutOf, slashed } from '../../report/place.ts'
import { printable } from '../../text/printable.ts'
import { otherPlacesText } from '../message-words.ts'
import { fingerprints, shortDigest } from './fingerprints.ts'
import { type Format, fileOf, type View } from './format.ts'

const SEVERITIES = { error: 'critical', warning: 'minor', info: 'info' } as const satisfies Record<
  Severity,
  string
>

interface Issue {
  readonly description: string
  readonly check_name: string
  readonly fingerprint: string
  readonly severity: (typeof SEVERITIES)[Severity] | 'blocker'
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } }
}

export const codequality = {
  render({ linted, failed }, view) {
    const found = linted.flatMap(target => {
      // Counted before the suppressed ones are left out: a finding keeps its name when another is suppressed.
      const names = fingerprints(target.agent, target.findings)
      return target.findings.flatMap((finding, index): Issue[] => {
        if (finding.suppressed !== undefined) return []
        const { rule, severity, message, fix, line } = finding
        return [
          {
            description: printable(sentences(message, fix, otherPlacesText(finding))),
            check_name: rule,
            fingerprint: names[index] ?? '',
            severity: SEVERITIES[severity],
            location: { path: shownPath(fileOf(target, finding), view), lines: { begin: line } },
          },
        ]
      })
    })
    return jsonLine([...found, ...failed.map(one => unread(one, view))])
  },
  renderFailure: (failed, _exit, view) => jsonLine([unread(failed, view)]),
} as const satisfies Format

/** The format has no place for what could not be read, and an empty list would say that nothing was found. */
function unread({ target, error }: Failed, view: View): Issue {
  const { code, message, hint } = error
  return {
    description: printable(sentences(message, hint)),
    check_name: `rlp/${code}`,
    fingerprint: shortDigest(JSON.stringify([code, target])),
    severity: 'blocker',
    location: { path: shownPath(resolve(view.cwd, target), view), lines: { begin: 1 } },
  }
}

function sentences(...parts: readonly (string | undefined)[]): string {
  return parts.flatMap(part => (part === undefined ? [] : `${part}.`)).join(' ')
}

function shownPath(path: string, { cwd, env }: View): string {
  return printable(slashed(checkoutOf(cwd, env['CI_PROJECT_DIR']), path)) || '.'
}
