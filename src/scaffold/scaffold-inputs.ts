// What the author of a new agent says of it. A program's texts are refused as the wizard refuses an answer; those of a command line are
// answers to its questions.
import { resolve } from 'node:path'
import { namedPath } from '../io/home.ts'
import type { PathGiven } from '../io/library/caller.ts'
import { refuseUnknownMembers } from '../io/library/unknown-members.ts'
import { UsageError } from '../model/error.ts'
import type { Tool } from '../model/tools.ts'
import { quoted } from '../text/printable.ts'
import {
  type Asked,
  type At,
  givenText,
  givenTexts,
  type Input,
  type InputTable,
  text,
  type World,
} from '../verb/index.ts'
import { type LabelledFile, labelledFile } from '../verb/kinds/paths.ts'
import { paramProblem, refuseBadName } from './scaffold.ts'
import { toolsGiven } from './tool-inputs.ts'
import { descriptionProblem, folderProblem, hostProblem, modelProblem, nameProblem } from './wizard/answer.ts'
import type { OpeningGiven } from './write-scaffold.ts'

/** Empty where it was left out: a person is asked. */
export const agentName = {
  type: 'string',
  typed: {
    type: 'string',
    complete: 'none',
    optional: true,
    describe: 'name of the agent: lowercase letters, digits and underscores; asked on a terminal if left out',
  },
  absent: () => '',
  fromTyped: allowedName,
  fromGiven: (given: string, at: At) => allowedName(givenText(given, at)),
} as const satisfies Input<string, string>

function allowedName(name: string): string {
  refuseBadName(name)
  return name
}

/** What is wrong with a text. */
type ProblemOf = (text: string) => string | undefined

/** @throws UsageError */
function accepted(given: string, at: At, problemOf: ProblemOf): string {
  const { field } = at
  const problem = problemOf(givenText(given, at))
  if (problem === undefined) return given
  throw new UsageError(`Cannot scaffold with ${field} ${quoted(given)}: ${problem}`, { field })
}

const description: Input<string, string | undefined> = {
  ...text('what the agent is for, “Agent <name>” if left out', { placeholder: 'TEXT' }),
  fromGiven: (given, at) => accepted(given, at, descriptionProblem),
}

const model: Input<string | false, string | false | undefined> = {
  ...text('the model it uses, null:echo if left out; none for no model', { placeholder: 'ID' }),
  type: 'string | false',
  fromGiven: (given, at) => (given === false ? false : accepted(given, at, modelProblem)),
}

/** Undefined where it was left out. */
function granted(
  flag: string,
  placeholder: string,
  describe: string,
  problemOf: ProblemOf,
): Input<readonly string[], readonly string[] | undefined> {
  return {
    type: 'readonly string[]',
    typed: { type: 'strings', flag, placeholder, describe },
    fromTyped(typed: readonly string[]) {
      if (typed.length === 0) return undefined
      return typed.length === 1 && typed[0] === '-' ? [] : typed
    },
    fromGiven: (given, at) => givenTexts(given, at).map(one => accepted(one, at, problemOf)),
  }
}

/** Called by its whole path where it begins at home: neither a script nor a shell that reads it in quotes expands ~. */
function placeTyped(typed: string, { world }: At): LabelledFile {
  const path = namedPath(typed, world.cwd)
  return { path, label: typed.startsWith('~') ? path : typed }
}

const root = {
  ...labelledFile('folder that gets the agent’s folder', {
    placeholder: 'DIR',
    default: 'agents',
    doing: 'scaffold into',
  }),
  absent: ({ cwd }: World) => ({ path: resolve(cwd, 'agents'), label: 'agents' }),
  fromTyped: placeTyped,
} as Input<PathGiven, LabelledFile>

export interface OpeningSaid {
  /** Undefined where nothing was said of it. */
  readonly isWanted: boolean | undefined
  readonly place?: LabelledFile | undefined
  readonly goal?: string | undefined
  readonly param?: string | undefined
}

interface OpeningFlags {
  readonly opening: boolean | undefined
  readonly openingPath: string | undefined
  readonly openingGoal: string | undefined
  readonly openingParam: string | undefined
}

const openingPlace = labelledFile('', { doing: 'write the opening to' })

const opening: Input<boolean | OpeningGiven, OpeningSaid> = {
  type: 'boolean | OpeningGiven',
  flags: {
    opening: {
      type: 'boolean',
      negatable: true,
      describe: 'write an opening too, a YAML file that runs the agent once; not if left out',
    },
    'opening-path': {
      type: 'string',
      placeholder: 'FILE',
      describe: 'where the opening goes, examples/openings/<name>.yaml if left out',
    },
    'opening-goal': {
      type: 'string',
      placeholder: 'TEXT',
      describe: 'what a run of the opening is for, “run the <name> agent” if left out',
    },
    'opening-param': {
      type: 'string',
      placeholder: 'NAME',
      describe: 'the input of the opening, prompt if left out',
    },
  },
  absent: () => ({ isWanted: false }),
  fromTyped(typed: OpeningFlags, at: At) {
    const { opening, openingPath: path, openingGoal: goal, openingParam: param } = typed
    const [member] = Object.entries({ path, goal, param }).find(([, value]) => value !== undefined) ?? []
    const flag = `opening-${member}`
    if (opening === false && member !== undefined)
      throw new UsageError(`Cannot use --${flag} with --no-opening`, { field: flag })
    const isWanted = opening ?? (member === undefined ? undefined : true)
    return { isWanted, place: path === undefined ? undefined : placeTyped(path, at), goal, param }
  },
  async fromGiven(given, at) {
    if (typeof given === 'boolean') return { isWanted: given }
    refuseUnknownMembers(given, ['path', 'goal', 'param'], 'opening')
    const { path, goal, param } = given
    const place = path === undefined ? undefined : await openingPlace.fromGiven?.(path, at)
    if (goal !== undefined) accepted(goal, { ...at, field: 'goal' }, descriptionProblem)
    if (param !== undefined) accepted(param, { ...at, field: 'param' }, paramProblem)
    return { isWanted: true, place, goal, param }
  },
}

const tools: Input<readonly Tool[], readonly Tool[]> = {
  type: 'readonly Tool[]',
  absent: () => [],
  fromGiven: toolsGiven,
}

export const NEW_AGENT = {
  description,
  /** The model that it uses; `null:echo` where this is left out, `false` for none. */
  model,
  modelSecret: text('id of the secret that the model needs', { placeholder: 'ID' }),
  /** Folders that it may read; `~/.runloop/artifacts/<name>` where this is left out. */
  fs: granted(
    'cap-fs',
    'DIR',
    'folders it may read, ~/.runloop/artifacts/<name> if left out; - for none',
    folderProblem,
  ),
  net: granted('cap-net', 'HOST', 'hosts it may reach, host or host:port; none if left out', hostProblem),
  kbRead: granted(
    'cap-kb-read',
    'DOMAIN',
    'knowledge-base domains it may read; none if left out',
    nameProblem,
  ),
  kbWrite: granted(
    'cap-kb-write',
    'DOMAIN',
    'knowledge-base domains it may write; none if left out',
    nameProblem,
  ),
  /** Its tools; policy.caps grants what they need. */
  tools,
  /** The folder that gets the agent's folder; `agents` where this is left out. */
  root,
  /** Write a starter opening too: `true` for the usual one. */
  opening,
} as const satisfies InputTable

/** What options say of a new agent; undefined where one was left out. */
export type SaidOfAgent = Asked<typeof NEW_AGENT>
