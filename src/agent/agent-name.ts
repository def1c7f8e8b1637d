// The name of an agent: `name` or `name@variant`. Separate from versions, so that lint need not load a SemVer library.
import { MAX_NAME_LENGTH } from '../model/limits.ts'
import { isDeviceName } from '../text/path.ts'

const NAME = /^[a-z][a-z0-9_]*$/
const VARIANT = /^[a-z0-9][a-z0-9_-]*$/

/** An agent by name and, where it matters, variant. */
export interface Reference {
  readonly name: string
  readonly variant: string | undefined
}

export function isAgentName(text: string): boolean {
  return NAME.test(text) && isFolderName(text)
}

export function isVariant(text: string): boolean {
  return VARIANT.test(text) && isFolderName(text)
}

/** Names become folders and files: Windows opens a device instead of `con`. */
function isFolderName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && !isDeviceName(text)
}

/** The name that was probably meant by one with capitals, hyphens and the like: `My-Agent` is `my_agent`. */
export function meantName(text: string): string | undefined {
  const name = text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
  return name !== text && isAgentName(name) ? name : undefined
}

export function readReference(text: string): Reference | undefined {
  const read = promisedReference(text)
  if (read === undefined || !isAgentName(read.name)) return undefined
  return read.variant === undefined || isVariant(read.variant) ? read : undefined
}

/** A text with the form of a reference, also one that no agent can have, such as `con`: no bundle is what it promises. */
export function promisedReference(text: string): Reference | undefined {
  const [name = '', variant, ...more] = text.split('@')
  if (!NAME.test(name) || more.length > 0) return undefined
  return variant === undefined || VARIANT.test(variant) ? { name, variant } : undefined
}

/** `name` or `name@variant`: the form in which users, state files and installed files name an agent. */
export function referenceText({ name, variant }: { name: string; variant?: string | undefined }): string {
  // An empty variant counts as none, as in the existing runtime.
  return variant ? `${name}@${variant}` : name
}
