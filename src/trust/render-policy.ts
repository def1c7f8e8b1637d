// Shows people a trust policy, with line numbers, and how two of them differ.
import { beside, pad, width } from '../cli/render/layout.ts'
import { createStyle, type Style } from '../cli/render/style.ts'
import type { TrustedRootName } from '../model/keyless.ts'
import type { PolicySource, Revocation, TrustPolicy } from '../model/trust.ts'
import { withReadableHosts } from '../policy/readable-host.ts'
import { fingerprintOfAnchor } from '../signature/ssh.ts'
import { digestText } from '../text/digest-text.ts'
import { printable } from '../text/printable.ts'
import { anchorWords } from '../trust-policy/anchor-fields/index.ts'
import { maySign } from '../trust-policy/anchors.ts'
import { identityRows } from '../trust-policy/identity-members.ts'
import { placedRequirements, requirementWords } from '../trust-policy/requirements/index.ts'
import { bundleIdentity } from '../version/reference.ts'
import type { ComparedPolicies, PolicyDifference } from './compare-policies.ts'
import { rulesOf, ruleText } from './rule.ts'
import { asOf } from './usable-policy.ts'

/** One row: the subject, its meaning, and the line. */
type Row = readonly [what: string, says: string, line: number | undefined]

export function renderPolicy(source: PolicySource, now: Date, style: Style, columns: number): string {
  const { path, role, policy } = source
  const { problems } = asOf(source, now)
  const head = `${style.bold(printable(path))}${role === 'system' ? style.dim('  the system’s') : ''}`
  const wrong = problems.map(problem => `  ${style.red('✗')} ${printable(problem)}`)
  if (wrong.length > 0) wrong.push('  It decides nothing until that is corrected')
  if (policy === undefined) return `${[head, ...wrong].join('\n')}\n`
  const rows = rowsOf(policy, source.lineOf)
  const left = Math.min(24, Math.max(0, ...rows.map(([what]) => width(what))))
  const lines = rows.flatMap(([what, says, line]) => {
    const at = line === undefined ? '' : `line ${line}`
    const label = `  ${style.dim(pad(at, 8))}  ${pad(printable(what), left)}  `
    return beside(label, printable(says), left + 14, columns)
  })
  return `${[head, ...wrong, ...lines].join('\n')}\n`
}

function rowsOf(policy: TrustPolicy, lineOf: PolicySource['lineOf']): Row[] {
  const { validUntil, trustedRoot, anchors, groups, rules, require, floors, revokedKeys, revokedBundles } =
    policy
  return [
    ...(validUntil === undefined ? [] : [['valid until', validUntil, lineOf(['valid_until'])] as const]),
    ...(trustedRoot === undefined ? [] : [rootRow(trustedRoot, lineOf)]),
    ...(anchors.length === 0 ? [['', 'no signer counts', undefined] as const] : []),
    ...anchors.flatMap((anchor): Row[] => {
      const { name } = anchor
      return [
        [name, anchorWords(anchor), lineOf(['anchors', name])],
        ...anchor.keys.map((key): Row => ['', fingerprintOfAnchor(key) ?? '', undefined]),
        ...identityRows(anchor.identity).map(([member, text]): Row => ['', `${member}: ${text}`, undefined]),
        ...(maySign(anchor) ? rulesOf(rules, name) : []).map(
          ({ rule, at }): Row => ['', ruleText(rule), at && lineOf(at)],
        ),
      ]
    }),
    ...groups.flatMap(({ name, of, atLeast }): Row[] => {
      const rule = rules.has(name) ? rulesOf(rules, name) : []
      return [
        [name, `group: ${atLeast} of ${of.join(', ')}`, lineOf(['groups', name])],
        ...rule.map(({ rule, at }): Row => ['', ruleText(rule), at && lineOf(at)]),
      ]
    }),
    ...placedRequirements(require).map(
      ({ entry, at }): Row => ['required', requirementWords(entry), lineOf(at)],
    ),
    ...[...floors].map(
      ([agents, version]): Row => ['floor', `${agents}: ${version} or newer`, lineOf(['floors', agents])],
    ),
    ...[...revokedKeys].map(
      ([key, entry]): Row => ['revoked', revocation(key, entry), lineOf(['revoked', key])],
    ),
    ...[...revokedBundles].map(([digest, entry]): Row => {
      const name = bundleIdentity(digest)
      return ['revoked', revocation(name, entry), lineOf(['revoked', name])]
    }),
  ]
}

function rootRow({ file, blake3 }: TrustedRootName, lineOf: PolicySource['lineOf']): Row {
  return ['trusted root', `${file}, ${digestText(blake3)}`, lineOf(['sigstore', 'trusted_root'])]
}

function revocation(what: string, { since, reason, replacedBy }: Revocation): string {
  const words = [since && `since ${since}`, reason, replacedBy && `replaced by ${replacedBy}`].filter(Boolean)
  return words.length === 0 ? what : `${what} (${words.join(', ')})`
}

/** Printable lines; none if the two decide alike. What is wider comes first. */
export function comparedLines(
  { widened, narrowed }: ComparedPolicies,
  style: Style = createStyle(false),
): string[] {
  return [
    ...part('trusted that was not:', style.yellow('+'), widened),
    ...part('no longer trusted:', style.green('-'), narrowed),
  ]
}

function part(title: string, mark: string, differences: readonly PolicyDifference[]): string[] {
  if (differences.length === 0) return []
  return [
    title,
    ...differences.map(one => `  ${mark} ${printable(`${whose(one)}${withReadableHosts(one.says)}`)}`),
  ]
}

function whose({ agents, but }: PolicyDifference): string {
  if (agents !== null) return `${agents.join(', ')}: `
  return but.length === 0 ? '' : `every agent but ${but.join(', ')}: `
}
