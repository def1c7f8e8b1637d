// Lint's report in GitLab's code quality format, a part of Code Climate's: GitLab shows it beside the changed lines of a merge request.
import { resolve } from 'node:path'
import { blake3Hex } from '../../bundle/blake3.ts'
import type { Failed } from '../../cli/each.ts'
import { serialize } from '../../contract/serialize.ts'
import type { Severity } from '../../model/finding.ts'
import { printable, printableJson } from '../../text/printable.ts'
import { otherPlacesText } from '../other-places.ts'
import { fingerprints } from './fingerprints.ts'
import type { Format, View } from './format.ts'
import { checkoutOf, fileOf, slashed } from './place.ts'

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
    return write([...found, ...failed.map(one => unread(one, view))])
  },
  renderFailure: (failed, _exit, view) => write([unread(failed, view)]),
} as const satisfies Format

function write(issues: readonly Issue[]): string {
  return `${printableJson(serialize(issues))}\n`
}

/** The format has no place for what could not be read, and an empty list would say that nothing was found. */
function unread({ target, error }: Failed, view: View): Issue {
  const { code, message, hint } = error
  return {
    description: printable(sentences(message, hint)),
    check_name: `rlp/${code}`,
    fingerprint: blake3Hex(new TextEncoder().encode(JSON.stringify([code, target]))).slice(0, 32),
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
