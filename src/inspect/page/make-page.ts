// One bundle that was looked into, and perhaps another version → the page about it. Pure.

import type { Agent } from '../../model/agent.ts'
import type { Finding } from '../../model/finding.ts'
import type { Permissions } from '../../model/permissions.ts'
import type { Report } from '../../model/report.ts'
import { VERSION } from '../../model/rlp-version.ts'
import { VERDICTS } from '../../model/verdict.ts'
import { digestText } from '../../text/digest-text.ts'
import { utcSecond } from '../../text/time.ts'
import type { ComparedSide } from '../compared.ts'
import type { AgentDiff } from '../diff.ts'
import type { Inspected } from '../inspected.ts'
import { nameOf, type Page, type Section, type Words } from './page.ts'
import { makePicture } from './picture.ts'
import { type Power, powersIn } from './powers.ts'
import { attachedSection } from './sections/attached.ts'
import { changesSection } from './sections/changes.ts'
import { dangerousTools, maySection } from './sections/permissions.ts'
import {
  filesSection,
  findingsSection,
  overridesSection,
  signersSection,
  skippedSection,
  warningsSection,
} from './sections/rest.ts'
import { toolsSection } from './sections/tools.ts'

/** Everything that a page is made of. */
export interface PageFacts {
  readonly target: string
  /** Undefined for a folder that an author works in. */
  readonly report: Report | undefined
  /** When it was judged. */
  readonly now: Date
  /** Undefined if it cannot be read. */
  readonly agent: Agent | undefined
  /** What it may do; undefined if that cannot be read. */
  readonly may: Permissions | undefined
  /** The same, each thing of the host with the tools that have it. */
  readonly powers: readonly Power[] | undefined
  readonly inspected: Inspected | undefined
  readonly findings: readonly Finding[]
  /** Only what changed, what it may do and who signed it: the tools and files that are the same are not told. */
  readonly isBrief?: true
  readonly against?:
    | { readonly side: ComparedSide; readonly agent: Agent; readonly diff: AgentDiff }
    | undefined
}

export function makePage(facts: PageFacts): Page {
  const { target, report, now, agent, may, powers, inspected, findings, against, isBrief } = facts
  const verdict = report?.verdict ?? 'source'
  const fills = new Map(may?.tools.map(tool => [tool.id, tool.fills]))
  const before = against && powersIn(against.agent)
  const name = agent?.manifest === undefined ? '' : nameOf(namesOf(agent))
  const sections: Section[] = [
    ...(against === undefined ? [] : [changesSection(against.side, against.diff, powers)]),
    ...(powers === undefined ? [] : [maySection(powers, before, verdict)]),
    ...(inspected?.tools == null || isBrief
      ? []
      : [toolsSection(inspected.tools, verdict, fills, dangerousTools(powers ?? []))]),
    ...(isBrief ? [] : findingsSection(findings)),
    ...(report === undefined
      ? []
      : [
          ...(inspected === undefined ? [] : [signersSection(inspected.signers, report)]),
          ...overridesSection(report),
          ...warningsSection(report),
          ...skippedSection(report),
          ...(isBrief ? [] : filesSection(report)),
          ...attachedSection(report, inspected),
        ]),
  ]
  return {
    title: name === '' ? target : name,
    target,
    verdict,
    ...decision(report),
    facts: factsOf(report, agent),
    made: madeOf(report, now),
    sections,
    picture: powers && powers.length > 0 ? () => makePicture(name, powers, before) : undefined,
  }
}

function namesOf({ manifest }: Agent) {
  const { name = null, version = null, variant = null } = manifest ?? {}
  return { name, version, variant }
}

/** The first reason is the one that decided. */
function decision(report: Report | undefined): Pick<Page, 'decided' | 'hint'> {
  if (report === undefined) return { decided: ['a folder that an author works in: no signature'] }
  const [reason] = report.reasons
  const judged = report.judgements.find(({ verdict }) => verdict === 'passed')
  if (report.verdict === 'trusted' && judged !== undefined) {
    const { policy, line, detail } = judged
    return { decided: [{ text: detail }, ' (', { text: line === null ? policy : `${policy}:${line}` }, ')'] }
  }
  return {
    decided: [reason === undefined ? VERDICTS[report.verdict].meaning : { text: reason.message }],
    hint: reason?.hint,
  }
}

function factsOf(report: Report | undefined, agent: Agent | undefined): Words[] {
  const kind = report?.agent?.kind ?? agent?.manifest?.kind
  const identity = report?.identity ?? null
  const description = agent?.manifest?.description ?? ''
  return [
    ...(description === '' ? [] : [['it says of itself: ', { text: description }]]),
    ...(kind === undefined ? [] : [[{ text: kind }, report === undefined ? '' : `, ${report.form}`]]),
    ...(identity === null ? [] : [['identity ', { text: identity }]]),
  ]
}

/** A page that is kept says what it holds for: another day or another policy may give another verdict. */
function madeOf(report: Report | undefined, now: Date): Words[] {
  const made = [`made ${utcSecond(now)} by rlp ${VERSION}`]
  if (report === undefined) return [made]
  const { policies } = report
  const under = policies.map(({ path, role, digest }): Words => {
    const which = digest === null ? ['which could not be read'] : [{ text: digestText(digest) }]
    return [`under the ${OF_ROLE[role]} trust policy `, { text: path }, ' ', ...which]
  })
  return [made, ...(policies.length === 0 ? [['under no trust policy']] : under)]
}

const OF_ROLE = { system: 'system’s', user: 'user’s', channel: 'followed', given: 'given' } as const
