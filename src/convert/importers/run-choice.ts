// How to run the tools of a file that only describes them: the caller's choice, once for all of them.

import { refuseUnknownMembers } from '../../io/library/unknown-members.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import type { Tool } from '../../model/tools.ts'
import { quoteText } from '../../text/quote.ts'
import { placeholdersIn } from '../../tools/template.ts'
import { MCP_NAMES, namesFor, OPENAI_NAMES } from '../exporters/named-tools.ts'
import type { ImportSource } from './importer.ts'
import { notConvertible } from './refuse.ts'

export type RunChoice =
  /** One program for all: it gets the tool's name as its first argument, and the arguments of the call on standard input. */
  | { readonly is: 'command'; readonly command: string }
  /** One request each: `{name}` is replaced by the tool's name. */
  | {
      readonly is: 'url'
      readonly method: string
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }
  /** As the tools with the same ids in another tools.json. */
  | { readonly is: 'from'; readonly label: string; readonly tools: readonly Tool[] }

const MEMBERS: { readonly [Is in RunChoice['is']]: readonly (keyof Extract<RunChoice, { is: Is }>)[] } = {
  command: ['is', 'command'],
  url: ['is', 'method', 'url', 'headers'],
  from: ['is', 'label', 'tools'],
}

/** Types are gone at run time. @throws UsageError for a choice that there is not, and for members that it does not have */
export function refuseWrongRun(run: RunChoice): void {
  const { is } = run ?? {}
  const known = own(MEMBERS, is) as readonly string[] | undefined
  if (known === undefined)
    throw new UsageError(`Cannot use run: its "is" is ${JSON.stringify(is) ?? 'missing'}`, {
      field: 'run',
      expected: Object.keys(MEMBERS).join(', '),
      hint: 'Say how the tools are run with one of command, url and from',
    })
  refuseUnknownMembers(run, known, 'run')
}

interface Index {
  /** The first of an id counts. */
  readonly byId: ReadonlyMap<string, Tool>
  /** Name that an export gives → id. */
  readonly exported: ReadonlyMap<string, string>
}

const indexes = new WeakMap<readonly Tool[], Index>()

/** Made once for a list, which is asked for each tool of the file. */
function indexOf(tools: readonly Tool[]): Index {
  const known = indexes.get(tools)
  if (known !== undefined) return known
  const byId = new Map(tools.map(tool => [tool.id, tool]).reverse() as [string, Tool][])
  const named = [MCP_NAMES, OPENAI_NAMES].flatMap(rule => [...namesFor([...byId.keys()], rule)])
  const index = { byId, exported: new Map(named.map(([id, name]) => [name, id])) }
  indexes.set(tools, index)
  return index
}

/** The id of the tool that was exported under a name, where the choice has one: "mail__send" was "mail.send". */
export function exportedId(choice: RunChoice | undefined, name: string): string | undefined {
  if (choice?.is !== 'from') return undefined
  const { byId, exported } = indexOf(choice.tools)
  return byId.has(name) ? name : exported.get(name)
}

/** The parts of a tool that the choice decides. */
export type Run = Pick<Tool, 'transport' | 'rlp'> &
  Partial<Pick<Tool, 'secrets' | 'capabilities' | 'requiresConfirmation'>>

const NAME = '{name}'

/**
 * @param tool its id here, and its name in the file
 * @throws RlpError USAGE if no choice was made; NOT_CONVERTIBLE for a name that a url or command would interpret
 */
export function runOf(
  tool: { id: string; name: string },
  choice: RunChoice | undefined,
  source: ImportSource,
): Run {
  const { id, name } = tool
  if (choice === undefined)
    throw new RlpError('USAGE', `Cannot import "${source.label}": it does not say how its tools are run`, {
      hint: `Add --transport-from <tools.json>, or --command <program>, which gets the tool's name as its first argument, or --url 'https://host/${NAME}'`,
    })
  if (choice.is === 'from') {
    const known = indexOf(choice.tools).byId.get(id)
    if (known === undefined)
      throw notConvertible(
        source,
        `"${choice.label}" has no tool ${quoteText(id)}`,
        'Import the others by their names, or use --command or --url',
      )
    const { transport, rlp, secrets, capabilities, requiresConfirmation } = known
    return { transport, rlp, secrets, capabilities, requiresConfirmation }
  }
  if (choice.is === 'command') {
    const problem = name.startsWith('-')
      ? 'an option'
      : placeholdersIn(name).length > 0
        ? 'a template'
        : undefined
    if (problem !== undefined)
      throw notConvertible(
        source,
        `the name ${quoteText(name)} would be ${problem} of the program`,
        'Rename the tool, or leave it out',
      )
    return {
      transport: { kind: 'exec', command: choice.command, args: [name] },
      rlp: { stdin: true, timeoutMs: undefined, env: [] },
    }
  }
  // A url parser takes these for folders.
  if (name === '.' || name === '..')
    throw notConvertible(
      source,
      `the name ${quoteText(name)} would be a folder of the url`,
      'Rename the tool',
    )
  const { method, url, headers } = choice
  const secrets = Object.values(headers)
    .flatMap(placeholdersIn)
    .flatMap(part => (part.kind === 'secret' ? part.id : []))
  return {
    transport: { kind: 'http', method, url: url.replaceAll(NAME, () => encodeURIComponent(name)), headers },
    rlp: { stdin: false, timeoutMs: undefined, env: [] },
    secrets: [...new Set(secrets)],
  }
}

/** Whether each tool gets a url of its own. */
export function namesTool(url: string): boolean {
  return url.includes(NAME)
}
