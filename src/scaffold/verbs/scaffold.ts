// rlp agent scaffold: creates a new agent's folder, from a wizard on a terminal or from options. The name is asked first, because the other
// questions and the folder depend on it.
import { join, resolve } from 'node:path'
import { askToReplace } from '../../cli/interactive.ts'
import type { Prompter } from '../../cli/wizard/question.ts'
import { refuseIfTaken } from '../../io/write/new-files.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import { commandOf, defineVerb, needed, typedOnly, type World, whether } from '../../verb/index.ts'
import { type AskPerson, asking } from '../../verb/kinds/questions.ts'
import { editorSchemas } from '../editor-schemas.ts'
import { renderScaffolded, showReplaced } from '../render-agent.ts'
import {
  goalFor,
  openingFile,
  PARAM,
  refuseBadName,
  scaffoldFiles,
  usualDescription,
  writeOpening,
} from '../scaffold.ts'
import { agentName, NEW_AGENT, type OpeningSaid, type SaidOfAgent } from '../scaffold-inputs.ts'
import { renderCommandLine } from '../wizard/command-line.ts'
import { type AnsweredAgent, answersFor } from '../wizard/scaffold-answers.ts'
import {
  isTaken,
  keepBuild,
  openingTaken,
  refuseInAgent,
  replacementsIn,
  type ScaffoldPlace,
  type ScaffoldResult,
  writeScaffold,
} from '../write-scaffold.ts'

/**
 * Writes a new agent's folder. It lints and packs at once: `bin/<name>.wasm` is a placeholder that does nothing, and every digest is real.
 *
 * @example
 * const { path, files } = await scaffold('mailer', { net: ['api.mail.example'] })
 * console.log(path, files.length)
 *
 * @throws {@link RlpError} `USAGE` for a name that no agent may have, or for a tool that needs what no policy can grant; `EXISTS` without
 * `force`, `NO_PERMISSION`, `NO_SPACE`, `CANCELLED`; then nothing has been written
 */
export const verb = defineVerb({
  name: 'agent scaffold',
  summary: 'write a new agent’s folder; asks on a terminal',
  called: 'scaffold',
  arguments: ['name'],
  inputs: {
    name: needed(agentName),
    asking,
    ...NEW_AGENT,
    /** Write into a folder that is there; replaces only the files that scaffold writes. */
    force: whether('write into a folder that is there; shows what it replaces, and asks on a terminal'),
    yes: typedOnly(whether('with --force: replace what is shown, without a question', { alias: 'y' })),
  },
  async run({ name: named, asking, force, yes, ...asked }, world): Promise<Scaffolded> {
    const { name, prompter } = named === '' ? await askName(asking) : { name: named, prompter: undefined }
    const place = placeOf(name, asked, world)
    const isThere = await refuseIfTaken(place.path, place.label, force)
    const said = { ...asked, opening: leftAlone(place, force, asking !== undefined, asked.opening, world) }
    const begun = { name, said, place, force, isThere, asking, prompter }
    const { terminal } = world
    const answered = terminal === undefined ? programAnswers(name, said) : await answersFor(begun)
    const files = scaffoldFiles(answered.answers, editorSchemas(place.path))
    const kept = await keepBuild(files, place.path, name, isThere)
    const { person } = answered
    if (isThere && terminal !== undefined) {
      const others = await replacementsIn(place.path, files)
      showReplaced(others, place.label, terminal.args, terminal.io)
      const names = others.map(({ path }) => path)
      // Without a person --force is the answer.
      if (person !== undefined && names.length > 0 && !yes)
        await askToReplace(names, `scaffold "${name}"`, person.prompter)
    }
    person?.prompter.outro('Writing')
    const text = answered.opening && writeOpening(answered.opening)
    const done = await writeScaffold(place, { name, files, kept, opening: text }, force, world)
    return { done, place, line: person?.line }
  },
  answer: ({ done }): ScaffoldResult => done,
})

interface Scaffolded {
  readonly done: ScaffoldResult
  readonly place: ScaffoldPlace
  /** What a person could have typed, who was asked. */
  readonly line: string | undefined
}

async function askName(asking: AskPerson | undefined): Promise<{ name: string; prompter: Prompter }> {
  if (asking === undefined)
    throw new UsageError('Cannot run "rlp agent scaffold": <name> is missing, and no person can be asked', {
      field: 'name',
      expected: agentName.typed.describe,
      hint: 'Write rlp agent scaffold <name> [options]',
    })
  const prompter = await asking('scaffold an agent')
  prompter.intro('A new agent')
  const typed = await prompter.text({
    message: 'Name (lowercase letters, digits and underscores)',
    fallback: undefined,
    example: 'mailer',
    check: typed => problemOf(typed.trim()),
  })
  return { name: typed.trim(), prompter }
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

/** @throws UsageError for an opening in the agent's folder */
function placeOf(name: string, { root, opening }: SaidOfAgent, world: World): ScaffoldPlace {
  const usual = openingFile(name)
  const { path, label } = opening.place ?? { path: resolve(world.cwd, usual), label: usual }
  const place = {
    path: join(root.path, name),
    label: join(root.label, name),
    openingPath: path,
    opening: label,
  }
  refuseInAgent(place, world.terminal === undefined ? 'opening.path' : 'opening-path')
  return place
}

/**
 * Offers a person only what would not be refused, unless they asked for this very file.
 * @throws RlpError EXISTS for an opening that is there
 */
function leftAlone(
  place: ScaffoldPlace,
  force: boolean,
  asks: boolean,
  said: OpeningSaid,
  { tell }: World,
): OpeningSaid {
  if (said.isWanted === false || !isTaken(place) || force) return said
  if (said.isWanted) throw openingTaken(place.opening)
  if (!asks) return said
  tell(`${place.opening} is there already and stays; --force replaces it, --opening-path writes elsewhere`)
  return { isWanted: false }
}

/** A program is asked nothing: what it has not said is as usual. */
function programAnswers(name: string, said: SaidOfAgent): AnsweredAgent {
  const { description = usualDescription(name), model = 'null:echo', modelSecret, opening, tools } = said
  const { fs = [`~/.runloop/artifacts/${name}`], net = [], kbRead = [], kbWrite = [] } = said
  const { isWanted, goal = goalFor(name), param = PARAM } = opening
  return {
    answers: {
      name,
      description,
      model: model || undefined,
      modelSecret: model ? modelSecret : undefined,
      fs,
      net,
      kbRead,
      kbWrite,
      tools,
    },
    opening: isWanted ? { agent: name, goal, param } : undefined,
  }
}

export const command = commandOf(verb, {
  flags: {
    'crates-dir': {
      type: 'refused',
      describe: 'write a Rust crate too',
      instead:
        'No source code is generated: write the agent in any language that compiles to wasm32-wasip1, and put the module at bin/<name>.wasm',
    },
  },
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
  quiet: ({ done, place }) => [place.label, ...(done.opening === undefined ? [] : [place.opening])],
  text: ({ done, place, line }, { io }) =>
    renderScaffolded(done, place, io) + (line === undefined ? '' : renderCommandLine(line)),
})
