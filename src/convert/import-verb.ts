// What the library offers for tools of other systems: into an agent, or into a tools.json of their own.
import { dirname } from 'node:path'
import { type CallerOptions, type PathGiven, pathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { readInput } from '../io/read/bounded.ts'
import type { Setting } from '../io/setting.ts'
import { type ImportResult, importInto, importPlace } from './import-into.ts'
import type { Importer } from './importers/importer.ts'
import { type RunChoice, refuseWrongRun } from './importers/run-choice.ts'

export interface ImportOptions extends CallerOptions {
  /** The agent's folder that gets the tools; or `out`. */
  readonly agent?: PathGiven
  /** A tools.json of its own. */
  readonly out?: PathGiven
  /** With `out`: replace a file that holds something else. */
  readonly force?: boolean
  /** The file's system; its content says it where this is left out. */
  readonly from?: Importer['format']
  /** How tools are run that the file only describes. */
  readonly run?: RunChoice
  /** Ids by the names in the file. */
  readonly names?: { readonly [name: string]: string }
  /** Only these, by their names in the file; all where this is left out. */
  readonly only?: readonly string[]
  /** Leave out tools that cannot be imported, and say so in `changes`. */
  readonly onlyGood?: boolean
  /** Put arguments that are beside `properties` into it, and keywords in it beside it. */
  readonly fix?: boolean
  /** For agentcli: where `./tools/bin/` will lie; the folder of the file where this is left out. */
  readonly installDir?: PathGiven
  /** Grant in policy.caps what the tools need and it lacks. */
  readonly grant?: boolean
  /** Write nothing: say what would be written. */
  readonly dryRun?: boolean
  /** Write nothing when a fact would be lost. */
  readonly failOnLoss?: boolean
}

/**
 * Takes the tools of another system's file into an agent, or into a tools.json of their own.
 *
 * @example
 * const { tools, missing } = await importTools('tools.json', { agent: 'agents/mailer', installDir: '/opt/goagent', grant: true })
 * console.log(tools, missing)
 *
 * @throws {@link RlpError} `WRONG_FILE_TYPE`, `NOT_CONVERTIBLE`, `LINT_FAILED` for tools that lint would refuse, `EXISTS`, `USAGE`, `CANCELLED`
 */
export async function importPath(path: PathGiven, options: ImportOptions): Promise<ImportResult> {
  return runVerb('importTools', options, (given, io) => importJob(path, given, io))
}

async function importJob(path: PathGiven, given: ImportOptions, io: Setting): Promise<ImportResult> {
  const {
    agent,
    out,
    force = false,
    grant = false,
    from,
    run,
    names,
    only,
    fix,
    onlyGood,
    installDir,
    dryRun = false,
    failOnLoss = false,
  } = given
  if (run !== undefined) refuseWrongRun(run)
  const file = targetGiven(path, io, 'import')
  const placeAt = (at: PathGiven | undefined) =>
    at === undefined || typeof at === 'string' ? at : pathGiven(at, io, 'import into')
  const place = await importPlace(
    { agent: placeAt(agent), out: placeAt(out), force, grant, agentsDir: 'agents' },
    io,
  )
  const source = {
    bytes: await readInput(file.path, io),
    label: file.label,
    installDir: installDir === undefined ? dirname(file.path) : pathGiven(installDir, io, 'import'),
    platform: process.platform === 'win32' ? ('win32' as const) : ('posix' as const),
  }
  const options = {
    from,
    run,
    only,
    fix,
    onlyGood,
    names: names && new Map(Object.entries(names)),
  }
  const importing = { file: file.label, source, place, options, grant, dryRun, failOnLoss }
  const { answer } = await importInto(importing, async () => grant)
  return answer
}
