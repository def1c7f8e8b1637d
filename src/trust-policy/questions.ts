// A file of questions about trust policies → each bundle or agent, what is known of it, and the verdict that is expected (docs/trust.md#try-it). A
// closed document, as a policy is.
import type { Document, Pointer } from '../model/document.ts'
import { own, ownMembers } from '../model/own.ts'
import type { Policy } from '../model/policy.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'
import { readPolicy } from '../policy/read.ts'
import { checkShape } from '../schema/check.ts'
import { type Table, type TableProblem, TableReader } from '../toml/closed-table.ts'
import { readReference } from '../version/reference.ts'
import { isVersion } from '../version/version.ts'

/** What is asked about. */
type Subject =
  | { readonly bundle: string; readonly attestations: string | undefined }
  | {
      /** `name` or `name@variant`. */
      readonly agent: string
      readonly version: string
      /** Names of anchors, or anchor strings. */
      readonly signers: readonly string[]
      readonly notAfter: string | undefined
      readonly caps: Policy
    }

export interface PolicyQuestion {
  readonly at: Pointer
  readonly name: string
  readonly about: Subject
  /** A UTC second; undefined: now. */
  readonly clock: string | undefined
  readonly dev: boolean
  /** Versions that were installed before. */
  readonly installed: readonly string[]
  readonly verdict: Verdict
  readonly code: string | undefined
}

export interface PolicyQuestions {
  /** Paths of the policies, from the folder of the file. */
  readonly policies: readonly string[]
  readonly questions: readonly PolicyQuestion[]
}

const SUBJECT = ['bundle', 'attestations', 'agent', 'version', 'signers', 'not_after', 'caps']
const KEYS = ['name', ...SUBJECT, 'clock', 'dev', 'installed', 'verdict', 'code']

export function readQuestions(
  document: Document,
): PolicyQuestions | { readonly problems: readonly TableProblem[] } {
  const reader = new TableReader(document)
  const root = ownMembers(document.value as Table)
  reader.closed(root, ['policies', 'question'], [])
  const policies = reader.texts(root['policies'], ['policies'], () => undefined)
  if (policies.length === 0)
    reader.wrong(['policies'], 'it names no policy: policies = ["trust-policy.toml"]')
  const list = reader.list(root['question'], ['question'], 'a question is [[question]]')
  const questions = list.map((one, index) => readQuestion(reader, one, ['question', index]))
  if (questions.length === 0) reader.wrong(['question'], 'it asks nothing: write [[question]]')
  return reader.problems.length > 0 ? { problems: reader.problems } : { policies, questions }
}

function readQuestion(reader: TableReader, value: unknown, at: Pointer): PolicyQuestion {
  const table = reader.table(value, at)
  reader.closed(table, KEYS, at)
  const text = (key: string) => reader.text(own(table, key), [...at, key])
  const needed = (key: string) => {
    const read = text(key)
    if (own(table, key) === undefined) reader.wrong(at, `it has no ${key}`)
    return read ?? ''
  }
  const verdict = needed('verdict')
  if (!Object.hasOwn(VERDICTS, verdict))
    reader.wrong([...at, 'verdict'], `known are ${Object.keys(VERDICTS).join(', ')}`)
  const isVersionText = (one: string) => (isVersion(one) ? undefined : 'it is no version, as "1.4.0"')
  return {
    at,
    name: needed('name'),
    about: readSubject(reader, table, at, needed),
    clock: reader.second(table['clock'], [...at, 'clock']),
    dev: reader.flag(table['dev'], [...at, 'dev']),
    installed: reader.texts(table['installed'], [...at, 'installed'], isVersionText),
    verdict: verdict as Verdict,
    code: text('code'),
  }
}

function readSubject(
  reader: TableReader,
  table: Table,
  at: Pointer,
  needed: (key: string) => string,
): Subject {
  if (table['bundle'] !== undefined) {
    const stray = SUBJECT.slice(2).find(key => own(table, key) !== undefined)
    if (stray !== undefined) reader.wrong([...at, stray], 'the bundle says that itself', 'key')
    return {
      bundle: needed('bundle'),
      attestations: reader.text(table['attestations'], [...at, 'attestations']),
    }
  }
  const agent = needed('agent')
  if (readReference(agent) === undefined) reader.wrong([...at, 'agent'], 'it is not name or name@variant')
  const version = needed('version')
  if (!isVersion(version)) reader.wrong([...at, 'version'], 'it is no version, as "1.4.0"')
  const caps = reader.table(table['caps'], [...at, 'caps'])
  const document = { capabilities: caps }
  for (const { pointer, message } of checkShape('policy', document))
    reader.wrong([...at, 'caps', ...pointer.slice(1)], message)
  return {
    agent,
    version,
    signers: reader.texts(table['signers'], [...at, 'signers'], () => undefined),
    notAfter: reader.second(table['not_after'], [...at, 'not_after']),
    caps: readPolicy(document),
  }
}
