// rlp agent scaffold: a new agent's folder, from a wizard on a terminal or from options.
import { dirname, join } from 'node:path'
import { defineCommand, type Io } from '../cli/command.ts'
import { HOW_TO_ANSWER, mayAsk, type OpenPrompter, openTerminal, refusedToWrite } from '../cli/interactive.ts'
import { note, report } from '../cli/render/report.ts'
import { askAll } from '../cli/wizard/ask.ts'
import type { Answers, Prompter } from '../cli/wizard/question.ts'
import { entryAt } from '../io/entry.ts'
import { hasBuild } from '../io/has-build.ts'
import { makeParents } from '../io/make-parents.ts'
import { readTree } from '../io/read-tree.ts'
import { writeAtomic } from '../io/write-atomic.ts'
import { refuseIfTaken, writeTree } from '../io/write-tree.ts'
import { RlpError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import {
  givenBy,
  type Place,
  placeOf,
  SCAFFOLD_NAME,
  SCAFFOLD_OPTIONS,
  type ScaffoldArgs,
  suggestions,
} from './agent-options.ts'
import { writeOpening } from './opening.ts'
import { renderScaffolded } from './render-agent.ts'
import { refuseBadName, scaffold } from './scaffold.ts'
import { withSummary } from './wizard/scaffold-plan.ts'
import {
  openingAnswersOf,
  type ScaffoldContext,
  scaffoldAnswersOf,
  scaffoldQuestions,
} from './wizard/scaffold-questions.ts'
import { answerAll, checkGiven } from './wizard/unasked.ts'

export const command = defineCommand({
  name: 'agent scaffold',
  summary: 'write a new agent’s folder; asks on a terminal',
  positionals: [SCAFFOLD_NAME],
  options: SCAFFOLD_OPTIONS,
  examples: [
    ['rlp agent scaffold mailer', 'answer the questions, look at the summary, confirm'],
    ['rlp agent scaffold mailer --non-interactive', 'every default, no question'],
    [
      'rlp agent scaffold mailer --cap-net api.mail.example --opening',
      'some answers given; the rest is asked or default',
    ],
  ],
  notes:
    'The folder lints and packs at once: bin/<name>.wasm is a placeholder that does nothing, and every digest is real.\n\nQuestions are put only when standard input and output are terminals. Nothing is written before the last one is answered; Ctrl-C leaves nothing behind. An empty folder of the name counts as not there.',
  run: (args, io) => runScaffold(args, io, openTerminal),
})

/** @param open how to get at a person, where there is one */
export async function runScaffold(args: ScaffoldArgs, io: Io, open: OpenPrompter): Promise<ExitCode> {
  refuseBadName(args.name)
  const place = placeOf(args, io)
  const doing = `scaffold "${args.name}"`
  const isThere = await refuseIfTaken(place.path, place.label, args.force)
  const asks = mayAsk(io, args)
  const hasOpening = isTaken(place)
  const given = givenBy(args)
  // A person who has not asked for this very file is not offered what would be refused.
  if (hasOpening && !args.force && asks && !given.has('opening')) {
    given.set('opening', 'no')
    note(
      io,
      args,
      `${place.opening} is there already and stays; --force replaces it, --opening-path writes elsewhere`,
    )
  }
  if (hasOpening && !args.force && given.get('opening') === 'yes') throw openingTaken(place.opening)
  const context = await contextOf(args, place, isThere, asks)
  const questions = (answers: Answers) => scaffoldQuestions(answers, context)
  const said = new Map([...given, ...suggestions(args)])
  checkGiven(questions, said)
  const answers = asks
    ? await ask(context, given, place, doing, await open(doing, io))
    : answerAll(questions, said, doing)
  const opening = openingAnswersOf(answers, context)
  const files = scaffold(scaffoldAnswersOf(answers, context))
  const text = opening && writeOpening(opening)
  const binary = `bin/${args.name}.wasm`
  // A placeholder is no reason to lose somebody's build, not even with --force.
  const isKept = isThere && (await hasBuild(join(place.path, binary)))
  if (isKept) files.delete(binary)
  const replaced = await write(place, files, text, args.force, io)
  const written = {
    agent: args.name,
    path: place.label,
    files: [...files.keys()],
    replaced,
    stub: isKept ? null : binary,
    kept: isKept ? binary : null,
    opening: text === undefined ? null : place.opening,
  }
  report(io, args, {
    tool: 'agent.scaffold',
    result: written,
    text: () => renderScaffolded(written, args.quiet, io),
  })
  return EXIT.ok
}

async function contextOf(
  { name, description, model, modelSecret }: ScaffoldArgs,
  place: Place,
  isThere: boolean,
  asks: boolean,
): Promise<ScaffoldContext> {
  const existing =
    isThere && asks ? await readTree(place.path, place.label, { as: 'source', digest: 'held' }) : undefined
  return { name, description, model, modelSecret, existing, opening: asks ? 'yes' : 'no' }
}

/** @throws RlpError CANCELLED when the person stops, at the latest at the last question */
async function ask(
  context: ScaffoldContext,
  given: Answers,
  place: Place,
  doing: string,
  prompter: Prompter,
): Promise<Answers> {
  prompter.intro(`A new agent: ${context.name}`)
  prompter.info(HOW_TO_ANSWER)
  const questions = (answers: Answers) =>
    withSummary(scaffoldQuestions(answers, context), answers, context, place)
  const answers = await askAll(questions, prompter, given)
  if (answers.get('write') !== 'yes') throw refusedToWrite(doing)
  prompter.outro('Writing')
  return answers
}

/** The folder appears whole, then the opening; a failure before that leaves neither. */
async function write(
  place: Place,
  files: ReadonlyMap<string, Uint8Array>,
  opening: string | undefined,
  force: boolean,
  io: Io,
): Promise<string[]> {
  const options = { force, label: place.label, signal: io.signal }
  if (opening === undefined) return writeTree(place.path, files, options)
  const undo = await makeParents(dirname(place.openingPath))
  let replaced: string[] = []
  try {
    await writeAtomic(place.openingPath, new TextEncoder().encode(opening), {
      label: place.opening,
      before: async () => {
        if (!force && isTaken(place)) throw openingTaken(place.opening)
        replaced = await writeTree(place.path, files, options)
      },
    })
  } catch (error) {
    await undo()
    throw error
  }
  return replaced
}

function isTaken({ openingPath, opening }: Place): boolean {
  const entry = entryAt(openingPath)
  if (!entry?.isDirectory()) return entry !== undefined
  throw new RlpError('WRONG_FILE_TYPE', `Cannot write "${opening}": it is a folder`, {
    hint: 'Name a file with --opening-path',
  })
}

function openingTaken(label: string): RlpError {
  return new RlpError('EXISTS', `Cannot create "${label}": path already exists`, {
    hint: 'Choose another file with --opening-path, or add --force to replace it',
  })
}
