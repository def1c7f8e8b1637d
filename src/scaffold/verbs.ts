// The functions of the library that make an agent, in a new folder or in one that exists, and that add, change and remove its tools. They
// check the kinds of members; lint judges what these say.
import { join } from 'node:path'
import { type CallerOptions, type PathGiven, pathGiven, targetGiven } from '../io/library/caller.ts'
import { refuseUnknownMembers } from '../io/library/known-options.ts'
import { copyGiven, runVerb } from '../io/library/verb.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { refuseIfTaken } from '../io/write/new-files.ts'
import { UsageError } from '../model/error.ts'
import { isTable, own } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'
import { quoted } from '../text/printable.ts'
import { TRANSPORTS } from '../tools/transports/index.ts'
import { addTools, refuseUnreadable, stated } from './add-tool.ts'
import { editTool, toolIn } from './change-tools.ts'
import { editorSchemas } from './editor-schemas.ts'
import {
  goalFor,
  openingFile,
  PARAM,
  paramProblem,
  refuseBadName,
  scaffold,
  usualDescription,
  writeOpening,
} from './scaffold.ts'
import { descriptionProblem, folderProblem, hostProblem, modelProblem, nameProblem } from './wizard/answer.ts'
import {
  isTaken,
  keepBuild,
  openingTaken,
  refuseInAgent,
  type ScaffoldPlace,
  type ScaffoldResult,
  writeScaffold,
} from './write-scaffold.ts'
import {
  type AddedToolResult,
  type EditedToolResult,
  type RemovedTools,
  removeFrom,
  writeAdded,
  writeEdited,
} from './write-tools.ts'

export interface ScaffoldOptions extends CallerOptions {
  /** The folder that gets the agent's folder; `agents` where this is left out. */
  readonly root?: PathGiven
  readonly description?: string
  /** The model that it uses; `null:echo` where this is left out, `false` for none. */
  readonly model?: string | false
  /** Id of the secret that the model needs. */
  readonly modelSecret?: string
  /** Folders that it may read; `~/.runloop/artifacts/<name>` where this is left out. */
  readonly fs?: readonly string[]
  /** Hosts that it may reach, `host` or `host:port`. */
  readonly net?: readonly string[]
  /** Knowledge-base domains that it may read and write. */
  readonly kbRead?: readonly string[]
  readonly kbWrite?: readonly string[]
  /** Its tools; policy.caps grants what they need. */
  readonly tools?: readonly Tool[]
  /** Write a starter opening too: `true` for the usual one. */
  readonly opening?: boolean | OpeningGiven
  /** Write into a folder that is there; replaces only the files that scaffold writes. */
  readonly force?: boolean
}

export interface OpeningGiven {
  /** Its file; `examples/openings/<name>.yaml` where this is left out. */
  readonly path?: PathGiven
  /** What it is for; `run the <name> agent` where this is left out. */
  readonly goal?: string
  /** Its parameter; `prompt` where this is left out. */
  readonly param?: string
}

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
export async function scaffoldAgent(name: string, options: ScaffoldOptions = {}): Promise<ScaffoldResult> {
  return runVerb('scaffold', options, async (given, io) => {
    refuseBadName(name)
    const { root = 'agents', model = 'null:echo', force = false } = given
    const path = join(pathGiven(root, io, 'scaffold into'), name)
    refuseWrong(given)
    const place = placeFor(name, path, given, io)
    const opening = openingText(name, given)
    if (opening !== undefined && isTaken(place) && !force) throw openingTaken(place.opening)
    const isThere = await refuseIfTaken(path, path, force)
    const answers = {
      name,
      description: given.description ?? usualDescription(name),
      model: model === false ? undefined : model,
      modelSecret: model === false ? undefined : given.modelSecret,
      fs: given.fs ?? [`~/.runloop/artifacts/${name}`],
      net: given.net ?? [],
      kbRead: given.kbRead ?? [],
      kbWrite: given.kbWrite ?? [],
      tools: given.tools ?? [],
    }
    const files = scaffold(answers, editorSchemas(path))
    const kept = await keepBuild(files, path, name, isThere)
    return writeScaffold(place, { name, files, kept, opening }, force, io)
  })
}

function openingGiven({ opening }: ScaffoldOptions): OpeningGiven | undefined {
  if (opening === undefined || opening === false) return undefined
  if (opening !== true) refuseUnknownMembers(opening, ['path', 'goal', 'param'], 'opening')
  return opening === true ? {} : opening
}

function openingText(name: string, options: ScaffoldOptions): string | undefined {
  const given = openingGiven(options)
  if (given === undefined) return undefined
  const { goal = goalFor(name), param = PARAM } = given
  const wrong = [
    ['goal', goal, descriptionProblem(goal)],
    ['param', param, paramProblem(param)],
  ] as const
  for (const [field, text, problem] of wrong) {
    if (problem !== undefined)
      throw new UsageError(`Cannot scaffold with ${field} ${quoted(text)}: ${problem}`, { field })
  }
  return writeOpening({ agent: name, goal, param })
}

function placeFor(name: string, path: string, options: ScaffoldOptions, io: Setting): ScaffoldPlace {
  const given = openingGiven(options)?.path ?? openingFile(name)
  const openingPath = pathGiven(given, io, 'write the opening to')
  const place = { path, label: path, openingPath, opening: openingPath }
  refuseInAgent(place, 'opening.path')
  return place
}

/** The same questions that the wizard asks of an answer. */
function refuseWrong({ description, model, fs, net, kbRead, kbWrite }: ScaffoldOptions): void {
  const asked = [
    ['description', description === undefined ? [] : [description], descriptionProblem],
    ['model', model === undefined || model === false ? [] : [model], modelProblem],
    ['fs', fs, folderProblem],
    ['net', net, hostProblem],
    ['kbRead', kbRead, nameProblem],
    ['kbWrite', kbWrite, nameProblem],
  ] as const
  for (const [field, texts = [], problemOf] of asked) {
    for (const text of texts) {
      const problem = problemOf(text)
      if (problem !== undefined)
        throw new UsageError(`Cannot scaffold with ${field} ${quoted(text)}: ${problem}`, { field })
    }
  }
}

export interface GrantingOptions extends CallerOptions {
  /** Also write into policy.caps what the tool needs and the policy lacks. Without it `missing` says what that is. */
  readonly grant?: boolean
}

/** What may change of a tool. What is left out stays; with another `id` the tool is renamed. */
export type ToolChanges = Partial<Tool>

/**
 * Adds a tool to the tools.json of an agent's folder. Layout and comments of the files stay. Afterwards call {@link digest}.
 *
 * @example
 * const [tool] = (await loadBundle('old.agent.bundle', { expect: 'any' })).tools
 * if (tool !== undefined) console.log((await addTool('agents/mailer', tool, { grant: true })).granted)
 *
 * @throws {@link RlpError} `EXISTS` for an id that is taken; `LINT_FAILED` for a tool that lint refuses, or an agent that cannot be read; `USAGE` for
 * a need that no policy can grant; `NOT_FOUND`, `NOT_EDITABLE`, `CHANGED_WHILE_READING`, `CANCELLED`
 */
export async function addToolPath(
  agent: PathGiven,
  tool: Tool,
  options: GrantingOptions = {},
): Promise<AddedToolResult> {
  return runVerb('addTool', options, async (given, io) => {
    const own = toolGiven(tool)
    const target = targetGiven(agent, io, 'add a tool to')
    const source = await readSourceFolder(target, 'held', io)
    const plan = await addTools(
      source,
      [stated(source, own)],
      turnsOf(`checking "${target.label}"`, io.signal),
    )
    const isGranted = given.grant === true && plan.policy !== undefined
    return writeAdded({ target, agent: source, id: own.id, isGranted }, plan, io)
  })
}

/**
 * Changes a tool in the tools.json of an agent's folder. policy.caps is never narrowed.
 *
 * @example
 * const { keys } = await editTool('agents/mailer', 'mail.send', { description: 'Send one mail' })
 * console.log(keys)
 *
 * @throws {@link RlpError} `NOT_FOUND` for a tool that is not there, and as {@link addTool}
 */
export async function editToolPath(
  agent: PathGiven,
  id: string,
  changes: ToolChanges,
  options: GrantingOptions = {},
): Promise<EditedToolResult> {
  return runVerb('editTool', options, async (given, io) => {
    const own = copyGiven(changes, 'the changes') as ToolChanges
    const target = targetGiven(agent, io, 'change a tool of')
    const source = await readSourceFolder(target, 'held', io)
    refuseUnreadable(source)
    const tool = toolGiven({ ...toolIn(source, id, 'change'), ...own })
    const turn = turnsOf(`checking "${target.label}"`, io.signal)
    const plan = await editTool(source, { was: id, tool }, own.requiresConfirmation !== undefined, turn)
    const isGranted = given.grant === true && plan.policy !== undefined
    return writeEdited({ target, agent: source, id: tool.id, isGranted }, plan, io)
  })
}

/**
 * Takes tools out of the tools.json of an agent's folder, with their records in interfaces.json: all of them, or none.
 *
 * @example
 * console.log((await removeTools('agents/mailer', ['mail.send'])).unused)
 *
 * @throws {@link RlpError} as {@link editTool}
 */
export async function removeToolsPath(
  agent: PathGiven,
  ids: readonly string[],
  options: CallerOptions = {},
): Promise<RemovedTools> {
  return runVerb('removeTools', options, (_, io) =>
    removeFrom(targetGiven(agent, io, 'remove tools of'), ids, io),
  )
}

const isText = (value: unknown) => typeof value === 'string'
const isSchema = (value: unknown) => typeof value === 'boolean' || isTable(value)
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)

/** Types are gone at run time. */
const MEMBER_KINDS: {
  readonly [Name in keyof Tool]-?: readonly [what: string, is: (value: unknown) => boolean]
} = {
  id: ['a text', isText],
  description: ['a text', isText],
  transport: [
    `an object of the kind ${TRANSPORTS.map(({ kind }) => kind).join(' or ')}`,
    value => isTable(value) && TRANSPORTS.some(({ kind }) => kind === value['kind']),
  ],
  inputSchema: ['a JSON Schema', isSchema],
  resultSchema: ['a JSON Schema', isSchema],
  capabilities: ['a list of texts', isTexts],
  secrets: ['a list of texts', isTexts],
  tags: ['a list of texts', isTexts],
  schemaRefs: ['an object', isTable],
  requiresConfirmation: ['true or false', value => typeof value === 'boolean'],
  budget: ['an object', value => value === undefined || isTable(value)],
  rlp: ['an object', isTable],
}

/** @returns a copy. @throws UsageError for a member that is missing, or of another kind */
function toolGiven(given: Tool): Tool {
  const tool = copyGiven(given, 'the tool')
  if (!isTable(tool)) throw new UsageError('Cannot use the tool: it is no object', { field: 'tool' })
  for (const [name, [what, is]] of Object.entries(MEMBER_KINDS))
    if (!is(own(tool, name)))
      throw new UsageError(`Cannot use the tool: its ${name} is not ${what}`, {
        field: name,
        hint: 'A tool has every member that the tools of a loaded bundle have',
      })
  return tool as unknown as Tool
}
