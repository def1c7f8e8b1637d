// Findings, signers, what was not checked, and files → sections.

import type { Finding } from '../../../model/finding.ts'
import type { PolicyJudgement, Report } from '../../../model/report.ts'
import { grouped, plural } from '../../../text/words.ts'
import type { InspectedSigner } from '../../inspected.ts'
import { type Emphasis, fileDigest, type Item, type Section, whyNotCounted } from '../page.ts'

/** More of one rule are one line that opens. */
const MOST_OF_A_RULE = 3

/** Errors first. What a rule says of many places is one line. */
export function findingsSection(findings: readonly Finding[]): Section[] {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings) {
    const { rule, severity, suppressed } = finding
    if (severity === 'info') continue
    const key = JSON.stringify([severity, rule, suppressed?.reason])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [finding])
    else group.push(finding)
  }
  const all = [...groups.values()]
  const items = (['error', 'warning'] as const).flatMap(level =>
    all.filter(([first]) => first?.severity === level).flatMap(ruleItems),
  )
  return items.length === 0 ? [] : [{ id: 'lint', title: 'What lint says', items }]
}

function ruleItems(same: readonly Finding[]): Item[] {
  const [first] = same
  if (first === undefined || same.length <= MOST_OF_A_RULE) return same.map(findingItem)
  const more = same.map(
    ({ file, line, message }): Item => ({ words: [{ text: `${file}:${line}` }, ' ', { text: message }] }),
  )
  const { mark, words } = findingItem(first)
  return [{ mark, words: [...words, ` and ${same.length - 1} more of this rule`], more }]
}

function findingItem({ rule, severity, suppressed, file, line, message }: Finding): Item {
  const off = suppressed === undefined ? [] : [', suppressed by its author: ', { text: suppressed.reason }]
  return {
    mark: severity === 'error' ? 'bad' : 'warning',
    words: [{ text: `${file}:${line}` }, ' ', { text: message }, ` (${rule})`, ...off],
  }
}

export function signersSection(signers: readonly InspectedSigner[], { judgements }: Report): Section {
  const groups = new Map<string, SignerLine[]>()
  for (const signer of signers) {
    const line = signerLine(signer, judgements)
    const key = JSON.stringify([line.name ?? signer.keyid, line.mark, line.why])
    groups.set(key, [...(groups.get(key) ?? []), line])
  }
  const signed = [...groups.values()].map(signerItem)
  return {
    id: 'signers',
    title: 'Who signed it, and who may grant it',
    items: [
      ...(signed.length === 0 ? [{ mark: 'warning' as const, words: ['No one has signed it.'] }] : signed),
      ...judgements.map(judgementItem),
    ],
  }
}

interface SignerLine extends Pick<InspectedSigner, 'keyid' | 'sshFingerprint'> {
  /** Undefined for a key that no trust policy names. */
  readonly name: string | undefined
  readonly mark: Emphasis
  readonly why: string
}

function signerLine(
  { keyid, sshFingerprint, result, anchors }: InspectedSigner,
  judgements: readonly PolicyJudgement[],
): SignerLine {
  const facts = judgements.flatMap(({ signers }) => signers.filter(({ signer }) => signer === keyid))
  const counts = facts.some(({ is }) => is === 'counted')
  const mark = result === 'invalid' ? 'bad' : counts ? 'good' : 'warning'
  const [fact] = facts
  const isNamed = anchors.length > 0 && !counts && fact !== undefined
  const not = isNamed ? `, which does not count: ${whyNotCounted(fact.is)}` : ''
  const name = anchors.length === 0 ? undefined : anchors.join(', ')
  return {
    keyid,
    sshFingerprint,
    name,
    mark,
    why: result === 'invalid' ? ', and the signature is wrong' : not,
  }
}

/** One signer, with one key or several. */
function signerItem(same: readonly SignerLine[]): Item {
  const [first] = same
  if (first === undefined) throw new TypeError('a group has a member')
  const { name, mark, why } = first
  const who = name === undefined ? 'a key that no trust policy names' : { text: name }
  if (same.length === 1) return { mark, words: [who, ' ', ...keyWords(first), why] }
  const more = same.map((line): Item => ({ words: keyWords(line) }))
  return { mark, words: [who, `, with ${plural(same.length, 'key')}`, why], more, isOpen: true }
}

/** The key in both of its spellings: that of policies, and that of ssh. */
function keyWords({ keyid, sshFingerprint }: SignerLine): Item['words'] {
  return [{ text: keyid }, ...(sshFingerprint === null ? [] : [' ', { text: sshFingerprint }])]
}

function judgementItem({ policy, verdict, detail, line, beyond }: PolicyJudgement): Item {
  const more = beyond.map((text): Item => ({ mark: 'bad', words: ['beyond the rule: ', { text }] }))
  return {
    mark: verdict === 'passed' ? 'good' : 'bad',
    words: [{ text: line === null ? policy : `${policy}:${line}` }, ' ', { text: detail }],
    more,
    isOpen: more.length > 0,
  }
}

export function warningsSection({ warnings = [] }: Report): Section[] {
  const items = warnings.map(({ message }): Item => ({ mark: 'warning', words: [{ text: message }] }))
  return items.length === 0 ? [] : [{ id: 'ends-soon', title: 'What ends soon', items }]
}

export function skippedSection({ skipped }: Report): Section[] {
  const items = skipped.map((text): Item => ({ words: [{ text }] }))
  return items.length === 0 ? [] : [{ id: 'skipped', title: 'Not checked', items }]
}

export function filesSection({ files }: Report): Section[] {
  if (files.length === 0) return []
  const items = files.map(({ path, size, blake3, result }): Item => {
    const isWrong = result === 'mismatch' || result === 'unlisted'
    return {
      mark: isWrong ? 'bad' : undefined,
      words: [{ text: path }, ` ${grouped(size)} bytes, ${fileDigest(blake3)}${isWrong ? ` ${result}` : ''}`],
    }
  })
  return [{ id: 'files', title: plural(files.length, 'file'), items }]
}

export function overridesSection({ overrides }: Report): Section[] {
  const items = overrides.map(({ path, key }): Item => ({ words: [{ text: path }, ' for ', { text: key }] }))
  return items.length === 0 ? [] : [{ id: 'overrides', title: 'Overrides on this host', items }]
}
