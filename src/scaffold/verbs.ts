// The function of the library that makes an agent in a new folder.
import { join } from 'node:path'
import { type CallerOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { refuseUnknownMembers } from '../io/library/known-options.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { refuseIfTaken } from '../io/write/new-files.ts'
import { UsageError } from '../model/error.ts'
import type { Tool } from '../model/tools.ts'
import { quoted } from '../text/printable.ts'
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
