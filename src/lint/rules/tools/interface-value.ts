import { flagState } from '../../../agent-tool/flags.ts'
import { expectedOf, isField, meantField } from '../../../agent-tool/interface-fields.ts'
import {
  type AgentToolRecord,
  INTERFACES_FILE,
  isOfARun,
  isRecordObject,
} from '../../../agent-tool/records.ts'
import { isFlagText, isKnownVersion, SAFETY_FLAGS, WORDS } from '../../../agent-tool/vocabulary.ts'
import type { Pointer } from '../../../model/document.ts'
import { kindName } from '../../../model/kind-name.ts'
import { own } from '../../../model/own.ts'
import { probablyMeant } from '../../../text/did-you-mean.ts'
import { quoteText } from '../../../text/quote.ts'
import { interfaceRecords } from '../interface-records.ts'
import type { Rule } from '../rule.ts'

export const toolsInterfaceValue: Rule = {
  id: 'tools/interface-value',
  severity: 'warning',
  scope: 'source',
  summary: 'a word or a key in interfaces.json that Agent Tool does not have',
  why: 'The schemas take any text in these places, and any key. A runtime that does not know the word has to take the unsafe answer, and passes over a key that is misspelt: both are seldom what was meant.',
  fix: 'Write one of the words of Agent Tool v0.2.0; for a flag true, false, classifier:<id> or same_as:<flag>.',
  looks: 'agent',
  needs: { [INTERFACES_FILE]: 'parts' },
  check({ agent }, report) {
    const unknown = { left: MAX_UNKNOWN }
    for (const record of interfaceRecords(agent))
      lookInto(record, unknown, ({ at, message, fix }) =>
        report({
          file: INTERFACES_FILE,
          place: { pointer: [...record.at, ...at] },
          message,
          fix,
        }),
      )
  },
}

/** The most unknown keys that are compared with all fields: a hostile file can have very many. */
const MAX_UNKNOWN = 1000

interface Odd {
  readonly at: Pointer
  readonly message: string
  readonly fix: string
}

type ReportOdd = (odd: Odd) => void

function lookInto({ name, value }: AgentToolRecord, unknown: { left: number }, report: ReportOdd): void {
  const version = String(value['schema_version'])
  if (!isKnownVersion(version))
    report({
      at: ['schema_version'],
      message: `Version ${quoteText(version)} of Agent Tool is not known here`,
      fix: 'Write "schema_version": "0.2.0"',
    })
  for (const [key, words] of Object.entries(WORDS[name] ?? {})) {
    const given = own(value, key)
    if (Array.isArray(given))
      for (const [index, word] of given.entries()) lookAtWord(key, [key, index], word, words, report)
    else if (given !== undefined) lookAtWord(key, [key], given, words, report)
  }
  if (name === 'tool-interface') lookAtFlags(value, report)
  if (!isOfARun(name)) lookAtKeys(name, value, unknown, report)
  const contract = name === 'tool-declaration' ? value['input_contract'] : undefined
  if (isRecordObject(contract) && Object.hasOwn(contract, 'schema'))
    report({
      at: ['input_contract', 'schema'],
      message: 'Version 0.1 called the model’s schema "schema"; it is read as "model_input_schema"',
      fix: 'Write "model_input_schema"',
    })
}

/** Keys that resemble a field, and fields whose type only the page defines. */
function lookAtKeys(
  name: AgentToolRecord['name'],
  value: AgentToolRecord['value'],
  unknown: { left: number },
  report: ReportOdd,
): void {
  for (const [key, given] of Object.entries(value)) {
    const isUnknown = !isField(name, key) && unknown.left-- > 0
    const meant = isUnknown ? meantField(name, key) : undefined
    if (meant !== undefined)
      report({
        at: [key],
        message: `${quoteText(key)} is no field of a ${name.replaceAll('-', '_')}, and is passed over`,
        fix: `Did you mean ${quoteText(meant)}?`,
      })
    const wanted = name === 'tool-interface' ? expectedOf(key, given) : undefined
    if (wanted !== undefined)
      report({
        at: [key],
        message: `${key} must be ${wanted}`,
        fix: `Write ${wanted}`,
      })
  }
}

function lookAtWord(
  key: string,
  at: Pointer,
  word: unknown,
  words: readonly string[],
  report: ReportOdd,
): void {
  if (words.some(known => known === word)) return
  const written = typeof word === 'string' ? quoteText(word) : kindName(word)
  const meant = typeof word === 'string' ? probablyMeant(word, words) : undefined
  const shown = words.slice(0, 6).join(', ') + (words.length > 6 ? ' …' : '')
  report({
    at,
    message: `${written} is no ${key.replace(/s$/, '')} of Agent Tool`,
    fix: meant === undefined ? `Write one of ${shown}` : `Did you mean ${quoteText(meant)}?`,
  })
}

function lookAtFlags(value: AgentToolRecord['value'], report: ReportOdd): void {
  // A text without a meaning is reported at its own place, not where others refer to it.
  const isOdd = (flag: string) =>
    typeof own(value, flag) === 'string' && !isFlagText(flag, String(own(value, flag)))
  const read = Object.fromEntries(SAFETY_FLAGS.map(flag => [flag, isOdd(flag) ? true : value[flag]]))
  for (const flag of SAFETY_FLAGS) {
    const text = value[flag]
    if (typeof text !== 'string') continue
    if (!isFlagText(flag, text))
      report({
        at: [flag],
        message: `${flag} is ${quoteText(text)}, which says neither true nor false nor how to find out`,
        fix: 'Write true, false, "classifier:<id>" or "same_as:<flag>"',
      })
    // Classifiers are assumed to answer, so the rest is a circle, or leads to a fact that is not stated.
    else if (flagState(read, flag, () => true) === 'unknown')
      report({
        at: [flag],
        message: `${flag} is ${quoteText(text)}, which leads to no answer`,
        fix: 'Write true, false or "classifier:<id>" at the end of the chain',
      })
  }
}
