// A name that a command did not find → where the agent is, and what to type: its source, a packed bundle and an installed one lie in known
// places. For every command that takes an agent or a bundle.
import { resolve } from 'node:path'
import { meantName, readReference } from '../agent/agent-name.ts'
import { installedAs, packedHere, sourceHere, sourcesHere } from '../io/find/find-agents.ts'
import { kindAt } from '../io/find/search-folders.ts'
import { installedIn } from '../io/root/find-installed.ts'
import { rootsFor } from '../io/root/roots.ts'
import { own } from '../model/own.ts'
import { meantReference } from '../oci/reference.ts'
import { writePath, writeWords } from '../text/shell-words.ts'
import type { AnyCommand, Io } from './command.ts'
import { camelCase, type Meant } from './option.ts'
import { didYouMean, nearest } from './suggest.ts'

interface Line {
  readonly command: AnyCommand
  readonly args: object
  /** Behind the words of the command. */
  readonly words: readonly string[]
}

/**
 * @param message of the error, which has to be about the name
 * @returns undefined if every name was found, or if nothing of it is here
 */
export async function elsewhere(line: Line, io: Io, message: string): Promise<string | undefined> {
  for (const [value, names] of namesIn(line)) {
    const isMeant = message.includes(`"${value}"`)
    if (!isMeant || kindAt(resolve(io.cwd, value)) !== undefined) continue
    const isName = readReference(value) !== undefined
    const place = isName ? await placeOf(value, names, line, io) : undefined
    const meant = isName ? undefined : await nameHere(value, line, io)
    const stored = isName ? undefined : meantReference(value)
    if (place !== undefined) return place
    if (meant !== undefined || stored !== undefined) return `Did you mean ${meant ?? stored}?`
    // Commands that take sources say this themselves.
    const near = isName && names !== 'source' ? await nearHere(value, line, io) : []
    if (near.length > 0) return didYouMean(near)
  }
  return undefined
}

/** The values of arguments and options that name agents or bundles. */
function namesIn({ command, args }: Line): [value: string, names: Meant][] {
  const given = args as Readonly<Record<string, unknown>>
  const options = Object.entries(command.options).map(([name, option]) => ({ name, ...option }))
  return [...(command.positionals ?? []), ...options].flatMap(declared => {
    const names = 'names' in declared ? declared.names : undefined
    const values = [own(given, camelCase(declared.name))].flat()
    return names === undefined
      ? []
      : values.flatMap((value): [string, Meant][] => (typeof value === 'string' ? [[value, names]] : []))
  })
}

/** A name that is here in another spelling: `my_agent` for `My-Agent`. */
async function nameHere(value: string, line: Line, io: Io): Promise<string | undefined> {
  const meant = meantName(value)
  if (meant === undefined) return undefined
  const { root, agentsDir = 'agents' } = line.args as { root?: string; agentsDir?: string }
  const isHere =
    sourceHere(meant, agentsDir, io.cwd) ??
    packedHere(meant, io.cwd) ??
    installedAs(meant, await rootsFor(root, io.cwd))
  return isHere === undefined ? undefined : meant
}

/** Names like a misspelt one, of agents that are installed or in the folder of agents. */
async function nearHere(value: string, line: Line, io: Io): Promise<string[]> {
  const { root, agentsDir = 'agents' } = line.args as { root?: string; agentsDir?: string }
  const roots = await rootsFor(typeof root === 'string' ? root : undefined, io.cwd)
  const installed = await Promise.all(roots.map(installedIn))
  const names = installed.flat().flatMap(({ agent }) => agent ?? [])
  return nearest(value, [...names, ...sourcesHere(agentsDir, io.cwd)])
}

async function placeOf(name: string, names: Meant, line: Line, io: Io): Promise<string | undefined> {
  const { root, agentsDir = 'agents' } = line.args as { root?: string; agentsDir?: string }
  const packed = packedHere(name, io.cwd)
  const source = sourceHere(name, agentsDir, io.cwd)
  const roots = await rootsFor(typeof root === 'string' ? root : undefined, io.cwd)
  const installed = installedAs(name, roots)
  const withPath = (path: string) =>
    `rlp ${line.command.name} ${line.words.map(word => (word === name ? writePath(path) : writeWords([word]))).join(' ')}`
  if (names === 'source') {
    if (source !== undefined) return undefined
    const shown = installed ?? packed
    const state = installed === undefined ? 'packed' : 'installed'
    return shown && `It is ${state}, and this command takes sources: rlp agent inspect ${writePath(shown)}`
  }
  if (names === 'installed or source' && source !== undefined)
    return `Its source is here: ${withPath(source)}`
  // A person who has said so need not pack it.
  const { unverified } = line.args as { unverified?: boolean }
  if (unverified === true && source !== undefined) return `Its source is here: ${withPath(source)}`
  if (packed !== undefined) return `It is packed: ${withPath(packed)}`
  if (installed !== undefined && names === 'bundle') return `It is installed: ${withPath(installed)}`
  if (installed !== undefined || source === undefined) return undefined
  const pack = `rlp agent pack ${writePath(source === `agents/${name}` ? name : source)}`
  return `${source} is its source, and this command takes bundles: pack it first with ${pack}`
}
