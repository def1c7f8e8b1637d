// The answers of a wizard → the command line that writes the same without a question.
import { camelCase } from '../../cli/option.ts'
import type { Answers, Question } from '../../cli/wizard/question.ts'
import { own } from '../../model/own.ts'
import { readWords, writePath } from '../../text/shell-words.ts'
import { itemsOf } from './answer.ts'
import { type ScaffoldContext, scaffoldQuestions, toolContext } from './scaffold-questions.ts'
import { optionWords, type ToolArgs, UNASKED } from './tool-answers.ts'
import { FOLDERS, type ToolContext, toolQuestions } from './tool-questions.ts'

/** Questions whose answers are lists of words. */
const LISTS = ['secret', 'capability', 'tag', 'cap-fs', 'cap-net', 'cap-kb-read', 'cap-kb-write']

/** Follow from other options, or only decide what is asked. */
const NO_OPTION = /^(?:kind|more|write|grant|tool[0-9]+)$/

/** As typed behind `rlp tool add`. @param label the agent's folder */
export function toolAddLine(
  label: string,
  answers: Answers,
  context: ToolContext,
  isGranted: boolean,
  rest: Partial<ToolArgs> = {},
): string {
  return [
    'rlp tool add',
    writePath(label),
    ...optionsFor(toolQuestions(answers, context), answers, context.prefix),
    ...restOf(rest),
    ...(isGranted ? ['--grant'] : []),
    '--non-interactive',
  ].join(' ')
}

/** Facts that are not asked: lists first. */
function restOf(rest: Partial<ToolArgs>): string[] {
  const flags = ['header', ...UNASKED.map(({ flag }) => flag)]
  const given = flags.map(flag => [flag, own<unknown>(rest, camelCase(flag))] as const)
  return [true, false].flatMap(isList =>
    given.flatMap(([flag, value]) =>
      value === undefined || Array.isArray(value) !== isList
        ? []
        : [value].flat().map(one => optionWords(flag, `${one}`)),
    ),
  )
}

/** What options alone say, as typed. */
interface TypedPlaces {
  readonly root: string
  readonly openingPath: string | undefined
  readonly force: boolean
}

/** The agent, then each tool, then the digests of what the tools have changed. */
export function scaffoldLine(
  answers: Answers,
  context: ScaffoldContext,
  { root, openingPath, force }: TypedPlaces,
  label: string,
): string {
  // By itself: an option may have set another fallback.
  const plain = { ...context, description: undefined, model: undefined, modelSecret: undefined }
  const questions = scaffoldQuestions(answers, plain).filter(({ id }) => !id.includes('.'))
  const tools: string[] = []
  for (let number = 1; answers.get(`tool${number}`) === 'yes'; number++)
    tools.push(toolAddLine(label, answers, toolContext(answers, context, number), true))
  const first = [
    'rlp agent scaffold',
    context.name,
    ...optionsFor(questions, answers, ''),
    ...(root === 'agents' ? [] : [`--root ${writePath(root)}`]),
    ...(openingPath === undefined ? [] : [`--opening-path ${writePath(openingPath)}`]),
    ...(force ? ['--force', '--yes'] : []),
    '--non-interactive',
  ].join(' ')
  return [first, ...tools, ...(tools.length > 0 ? [`rlp agent digest ${writePath(label)}`] : [])].join(' && ')
}

/** One option for each answer that is not what the option left out would mean. */
function optionsFor(questions: readonly Question[], answers: Answers, prefix: string): string[] {
  return questions.flatMap(({ id, fallback = '' }) => {
    const flag = id.slice(prefix.length)
    const answer = answers.get(id) ?? ''
    if (NO_OPTION.test(flag) || answer === fallback) return []
    if (LISTS.includes(flag)) return [optionWords(flag, itemsOf(answer).join(',') || '-')]
    if (/^header[0-9]$/.test(flag)) return [optionWords('header', answer)]
    const folders = FOLDERS.find(({ name }) => name === flag)
    if (folders !== undefined)
      return [
        optionWords(
          'capability',
          itemsOf(answer)
            .map(folder => `${folders.family}:${folder}`)
            .join(','),
        ),
      ]
    if (flag === 'arg') return argsIn(answer).map(word => optionWords(flag, word))
    // A switch has no value: each of these questions is about one.
    if (['stdin', 'requires-confirmation', 'opening'].includes(flag)) return [`--${flag}`]
    return [optionWords(flag, answer)]
  })
}

function argsIn(answer: string): string[] {
  const words = readWords(answer)
  return 'problem' in words ? [] : words.value
}

/** For a person who has answered questions. */
export function renderCommandLine(line: string): string {
  return `\nThe same without questions:\n\n  ${line}\n`
}
