// rlp agent scaffold: creates a new agent's folder, from a wizard on a terminal or from options. The name is asked first, because the other
// questions and the folder depend on it.
import { defineCommand, type Io } from '../cli/command.ts'
import {
  askToReplace,
  HOW_TO_ANSWER,
  mayAsk,
  type OpenPrompter,
  openTerminal,
  refusedToWrite,
} from '../cli/interactive.ts'
import { usageLine } from '../cli/parse.ts'
import { note, report } from '../cli/render/report.ts'
import { askAll } from '../cli/wizard/ask.ts'
import type { Answers, Prompter } from '../cli/wizard/question.ts'
import { readTree } from '../io/read/read-tree.ts'
import { refuseIfTaken } from '../io/write/new-files.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import {
  givenBy,
  type NamedArgs,
  placeOf,
  SCAFFOLD_NAME,
  SCAFFOLD_OPTIONS,
  type ScaffoldArgs,
  suggestions,
} from './agent-options.ts'
import { editorSchemas } from './editor-schemas.ts'
import { renderScaffolded, showReplaced } from './render-agent.ts'
import { refuseBadName, scaffold, writeOpening } from './scaffold.ts'
import { renderCommandLine, scaffoldLine } from './wizard/command-line.ts'
import { withSummary } from './wizard/scaffold-plan.ts'
import {
  openingAnswersOf,
  type ScaffoldContext,
  scaffoldAnswersOf,
  scaffoldQuestions,
} from './wizard/scaffold-questions.ts'
import { answerAll, checkGiven } from './wizard/unasked.ts'
import {
  isTaken,
  keepBuild,
  openingTaken,
  replacementsIn,
  type ScaffoldPlace,
  writeScaffold,
} from './write-scaffold.ts'

export const command = defineCommand({
  name: 'agent scaffold',
  summary: 'write a new agent’s folder; asks on a terminal',
  positionals: [SCAFFOLD_NAME],
  options: SCAFFOLD_OPTIONS,
  examples: [
    ['rlp agent scaffold', 'answer the questions, look at the summary, confirm'],
    ['rlp agent scaffold mailer --non-interactive', 'every default, no question'],
    [
      'rlp agent scaffold mailer --cap-net api.mail.example --opening',
      'some answers given; the rest is asked or default',
    ],
  ],
  notes:
    'A person is asked for the name, what the agent is for, the hosts that it may reach and its tools; everything else only after a yes to “More questions?”, and is otherwise what the options say.\n\nThe folder lints and packs at once: bin/<name>.wasm is a placeholder that does nothing, and every digest is real.\n\nQuestions are asked only if standard input and output are terminals. Nothing is written before the last answer; Ctrl-C leaves nothing behind. An empty folder of that name counts as missing.',
  run: (args, io) => runScaffold(args, io, openTerminal),
})

/** @param open asks a person, if there is one */
export async function runScaffold(typed: ScaffoldArgs, io: Io, open: OpenPrompter): Promise<ExitCode> {
  const asks = mayAsk(io, typed)
  if (typed.name !== undefined) refuseBadName(typed.name)
  else if (!asks) throw nameMissing()
  const openWith = async (title: string, doing: string) => {
    const opened = await open(doing, io)
    opened.intro(title)
    return opened
  }
  const { name, prompter } = typed.name === undefined ? await askName(openWith) : { name: typed.name }
  const args = { ...typed, name }
  const doing = `scaffold "${name}"`
  const place = placeOf(args, io)
  const isThere = await refuseIfTaken(place.path, place.label, args.force)
  const hasOpening = isTaken(place)
  const given = givenBy(args)
  // Offer only what would not be refused, unless the person asked for this very file.
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
  const asker = asks ? (prompter ?? (await openWith(`A new agent: ${name}`, doing))) : undefined
  const answers = asker ? await ask(context, given, place, doing, asker) : answerAll(questions, said, doing)
  const opening = openingAnswersOf(answers, context)
  const files = scaffold(scaffoldAnswersOf(answers, context), editorSchemas(place.path))
  const text = opening && writeOpening(opening)
  const kept = await keepBuild(files, place.path, args.name, isThere)
  if (isThere) {
    const others = await replacementsIn(place.path, files)
    showReplaced(others, place.label, args, io)
    // Without a person --force is the answer.
    const names = others.map(({ path }) => path)
    if (asker !== undefined && names.length > 0 && !args.yes) await askToReplace(names, doing, asker)
  }
  asker?.outro('Writing')
  const done = await writeScaffold(place, { name: args.name, files, kept, opening: text }, args.force, io)
  report(io, args, {
    tool: 'agent.scaffold',
    result: done,
    text: () =>
      renderScaffolded(done, place, args.quiet, io) +
      (asker === undefined || args.quiet
        ? ''
        : renderCommandLine(scaffoldLine(answers, context, args, place.label))),
  })
  return EXIT.ok
}

async function contextOf(
  { name, description, model, modelSecret }: NamedArgs,
  place: ScaffoldPlace,
  isThere: boolean,
  asks: boolean,
): Promise<ScaffoldContext> {
  const existing =
    isThere && asks ? await readTree(place.path, place.label, { as: 'source', digest: 'held' }) : undefined
  return { name, description, model, modelSecret, existing }
}

/** @throws RlpError CANCELLED if the person stops, at the latest at the last question */
async function ask(
  context: ScaffoldContext,
  given: Answers,
  place: ScaffoldPlace,
  doing: string,
  prompter: Prompter,
): Promise<Answers> {
  prompter.info(HOW_TO_ANSWER)
  const questions = (answers: Answers) =>
    withSummary(scaffoldQuestions(answers, context), answers, context, place)
  const answers = await askAll(questions, prompter, given)
  if (answers.get('write') !== 'yes') throw refusedToWrite(doing)
  return answers
}

/** @param open a prompter under a title */
async function askName(
  open: (title: string, doing: string) => Promise<Prompter>,
): Promise<{ name: string; prompter: Prompter }> {
  const prompter = await open('A new agent', 'scaffold an agent')
  const name = await prompter.text({
    message: 'Name (lowercase letters, digits and underscores)',
    fallback: undefined,
    example: 'mailer',
    check: typed => problemOf(typed.trim()),
  })
  return { name: name.trim(), prompter }
}

function problemOf(name: string): string | undefined {
  try {
    refuseBadName(name)
    return undefined
  } catch (error) {
    if (error instanceof RlpError) return `${error.message}. ${error.hint}`
    throw error
  }
}

/** Without a person. */
function nameMissing(): UsageError {
  const usage = usageLine({ name: 'agent scaffold', positionals: [{ ...SCAFFOLD_NAME, required: true }] })
  return new UsageError('Cannot run "rlp agent scaffold": <name> is missing, and no person can be asked', {
    field: 'name',
    expected: SCAFFOLD_NAME.describe,
    hint: `Write ${usage}`,
  })
}
