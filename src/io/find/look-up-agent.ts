// A reference `name[@variant]` → the agent's folder below a folder of agents, and never the folder of another agent.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Reference, referenceText } from '../../agent/agent-name.ts'
import { readManifest } from '../../agent/manifest.ts'
import { MANIFEST_FILE, type Manifest } from '../../model/agent.ts'
import { RlpError } from '../../model/error.ts'
import { MAX_TEXT_BYTES } from '../../text/decode.ts'
import { probablyMeant } from '../../text/did-you-mean.ts'
import { parseToml } from '../../toml/parse.ts'
import { ioNow } from '../fail.ts'
import { targetAt } from '../read/entry.ts'
import { child, isFile, search, type Target } from './search-folders.ts'

/**
 * The folder itself if it is the agent, then the four places of a reference; the first match wins (runloop case `roots-variant`).
 * @param arg the reference as it was written
 * @throws RlpError NOT_FOUND also if the manifest there declares another name or variant
 */
export async function lookUpAgent(arg: string, reference: Reference, dir: Target): Promise<Target> {
  const here = declaredAt(dir)
  if (here !== undefined && fits(here, reference)) return dir
  const found = placesOf(reference)
    .map(place => child(dir, place))
    .find(({ path }) => isFile(join(path, MANIFEST_FILE)))
  const declared = found && declaredAt(found)
  if (found !== undefined && (declared === undefined || fits(declared, reference))) return found
  const other = await elsewhere(reference, dir)
  const hint = other && `It is in "${other.label}": name that folder`
  if (found === undefined || declared === undefined)
    throw new RlpError('NOT_FOUND', `Cannot find the agent "${arg}": it is not in "${dir.label}"`, {
      hint:
        hint ??
        meantIn(dir, reference) ??
        `Name its folder, say where to look with --agents-dir, or make it with rlp agent scaffold ${reference.name}`,
    })
  const is = referenceText({ name: declared.name ?? '', variant: declared.variant }).slice(0, 100)
  throw new RlpError('NOT_FOUND', `Cannot use "${found.label}" as ${arg}: its manifest declares ${is}`, {
    hint:
      hint ??
      `Ask for ${is}, name the folder itself, or correct name and variant in ${found.label}/${MANIFEST_FILE}`,
  })
}

function placesOf({ name, variant }: Reference): string[] {
  return variant === undefined
    ? [name]
    : [`${name}@${variant}`, `${name}/${variant}`, `${name}/variants/${variant}`, name]
}

/** A reference without variant is satisfied by any; a variant that is asked for has to be declared. */
function fits(declared: Manifest, { name, variant }: Reference): boolean {
  return declared.name === name && (variant === undefined || declared.variant === variant)
}

function meantIn({ path }: Target, { name }: Reference): string | undefined {
  if (targetAt(path)?.isDirectory() !== true) return undefined
  const names = ioNow(`read "${path}"`, () => readdirSync(path))
  const meant = probablyMeant(
    name,
    names.filter(one => isFile(join(path, one, MANIFEST_FILE))),
  )
  return meant === undefined ? undefined : `Did you mean ${meant}?`
}

async function elsewhere(reference: Reference, dir: Target): Promise<Target | undefined> {
  if (targetAt(dir.path)?.isDirectory() !== true) return undefined
  const isAsked = (path: string) => {
    const declared = isFile(join(path, MANIFEST_FILE)) ? declaredAt({ path, label: path }) : undefined
    return declared?.name === reference.name && declared.variant === reference.variant
  }
  return (await search(dir, isAsked))[0]
}

/** Undefined if the manifest states no name or cannot be read: the command itself reports that. */
function declaredAt({ path, label }: Target): Manifest | undefined {
  const file = join(path, MANIFEST_FILE)
  const stat = targetAt(file)
  // A FIFO would block the reader.
  if (stat?.isFile() !== true || stat.size > MAX_TEXT_BYTES) return undefined
  const parsed = parseToml(
    MANIFEST_FILE,
    ioNow(`read "${label}/${MANIFEST_FILE}"`, () => readFileSync(file)),
  )
  const manifest = parsed.ok ? readManifest(parsed.document.value) : undefined
  return manifest?.name === undefined ? undefined : manifest
}
