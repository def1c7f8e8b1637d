// The answers so far → the last question of the scaffold wizard, with everything that would be written.
import { lint } from '../../lint.ts'
import { byPath, type Files } from '../../model/files.ts'
import { read } from '../../read.ts'
import { scaffold, scaffoldPolicy } from '../../scaffold.ts'
import { writeQuestion } from '../interactive.ts'
import type { Answers, Question } from './question.ts'
import { openingAnswersOf, type ScaffoldContext, scaffoldAnswersOf } from './scaffold-questions.ts'
import { block, grantLines, toolLine } from './summary.ts'

/** The questions and, once all of them are answered, the summary with the question whether to write. */
export function withSummary(
  questions: readonly Question[],
  answers: Answers,
  context: ScaffoldContext,
  place: { readonly label: string; readonly opening: string },
): Question[] {
  if (!questions.every(({ id }) => answers.has(id))) return [...questions, writeQuestion(undefined)]
  const said = scaffoldAnswersOf(answers, context)
  const files = scaffold(said)
  const errors = lint(read(inMemory(files), context.name)).filter(({ severity }) => severity === 'error')
  const text = [
    ...block(place.label, [...files.keys()]),
    ...(openingAnswersOf(answers, context) ? [place.opening] : []),
    ...block('Tools', said.tools.map(toolLine)),
    ...block('Grants (policy.caps)', grantLines(scaffoldPolicy(said))),
    ...block(
      'Problems',
      errors.map(({ file, message, fix }) => `${file}: ${message}. ${fix}`),
    ),
  ].join('\n')
  const isBlocked = errors.length > 0
  return [...questions, writeQuestion({ note: { title: 'What will be written', text }, isBlocked })]
}

function inMemory(files: ReadonlyMap<string, Uint8Array>): Files {
  const list = [...files].map(([path, bytes]) => ({ path, size: bytes.length, bytes })).sort(byPath)
  return {
    list,
    oddities: [],
    get: path => list.find(entry => entry.path === path),
    async *open(path) {
      const bytes = files.get(path)
      if (bytes !== undefined) yield bytes
    },
  }
}
