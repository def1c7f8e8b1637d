// The questions about one tool, for the scaffold wizard and for `tool add`.

import { type Answers, type Question, YES_NO } from '../../cli/wizard/question.ts'
import { TRANSPORTS } from '../../format/transports/index.ts'
import type { Files } from '../../model/files.ts'
import {
  decimalProblem,
  descriptionProblem,
  eachItem,
  integerProblem,
  nameProblem,
  neededCapabilityProblem,
  secretAdvice,
} from './answer.ts'
import { schemaQuestions } from './schema-questions.ts'

/** The context of the questions about a tool. */
export interface ToolContext {
  /** Prefix of each question's id, if there are answers about several tools. */
  readonly prefix: string
  /** Ids of other tools. */
  readonly taken: readonly string[]
  /** Files in the agent's `schemas/`. */
  readonly schemaFiles: readonly string[]
}

/** Files that a tool's schema may be taken from. */
export function schemaFilesOf(files: Files): string[] {
  return files.list.map(({ path }) => path).filter(path => /^schemas\/.*\.json$/.test(path))
}

/** The questions about one tool, in order, as far as its transport kind is known. */
export function toolQuestions(answers: Answers, context: ToolContext): Question[] {
  const { prefix, taken, schemaFiles } = context
  const id = (name: string) => prefix + name
  return [
    {
      kind: 'text',
      id: id('id'),
      message: 'Tool id (e.g., mail.smtp_send)',
      check: text => idProblem(text, taken),
    },
    {
      kind: 'text',
      id: id('description'),
      message: 'Tool description',
      check: descriptionProblem,
    },
    {
      kind: 'choice',
      id: id('kind'),
      message: 'Transport kind (http/exec)',
      // http first: it is the default, and the existing wizard names it first.
      choices: [...TRANSPORTS]
        .reverse()
        .map(({ kind, summary }) => ({ value: kind, label: kind, hint: summary })),
      fallback: 'http',
      mustBeAnswered: true,
    },
    ...transportQuestions(answers.get(id('kind')), prefix),
    ...schemaQuestions(answers, id('input-schema'), 'Input schema', schemaFiles),
    ...schemaQuestions(answers, id('result-schema'), 'Result schema', schemaFiles),
    ...lastQuestions(prefix),
  ]
}

function idProblem(text: string, taken: readonly string[]): string | undefined {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(text)) {
    return 'write a name of letters, digits and _ . -, for example mail.smtp_send'
  }
  return taken.includes(text) ? 'another tool has this id' : undefined
}

function transportQuestions(chosen: string | undefined, prefix: string): Question[] {
  const questions = TRANSPORTS.find(({ kind }) => kind === chosen)?.asked.questions ?? []
  return questions.map(({ name, ...question }) => ({ kind: 'text', id: prefix + name, ...question }))
}

function lastQuestions(prefix: string): Question[] {
  return [
    {
      kind: 'text',
      id: `${prefix}secret`,
      message: 'Secrets (comma-separated, optional)',
      example: 'runloop/mail/smtp_api_key',
      check: eachItem(nameProblem),
      advise: secretAdvice,
    },
    {
      kind: 'text',
      id: `${prefix}capability`,
      message: 'Capabilities required (comma-separated, optional)',
      example: 'kb_write:drafts',
      check: eachItem(neededCapabilityProblem),
    },
    {
      kind: 'choice',
      id: `${prefix}requires-confirmation`,
      message: 'Require confirmation for this tool?',
      choices: YES_NO,
      fallback: 'no',
    },
    {
      kind: 'text',
      id: `${prefix}budget-tokens`,
      message: 'Budget tokens (optional integer)',
      check: integerProblem,
    },
    {
      kind: 'text',
      id: `${prefix}budget-usd`,
      message: 'Budget USD (optional decimal)',
      check: decimalProblem,
    },
    {
      kind: 'text',
      id: `${prefix}tag`,
      message: 'Observability tags (comma-separated, optional)',
      check: eachItem(text => (/[\x00-\x1f\x7f]/.test(text) ? 'it has a control character' : undefined)),
    },
  ]
}
