// The inputs that the verbs for stored bundles share: what is stored, and where bundles are sent to.
import type { Target } from '../io/find/search-folders.ts'
import { absolute } from '../io/layout-folder.ts'
import { noReference, referenceIn } from '../io/reference.ts'
import { own } from '../model/own.ts'
import { isOciReference } from '../oci/scheme.ts'
import { type At, type Facts, givenText, type Input, whether } from '../verb/index.ts'
import type { Sending } from './push-target.ts'

/** Move a tag that names other content. It is not needed for renewed signatures by the same signers. */
export const force = whether('move a tag that names other content; renewed signatures need no force')

const LAST = 'Name the target last: oci://HOST/REPOSITORY, or oci-layout:FOLDER'

/**
 * Where to: the last of the arguments, with an absolute folder.
 * @param places the argument that holds all of them
 * @param hint for what is no place in a registry
 */
export function sentTo(
  doing: Sending,
  places: 'bundle' | 'stored',
  hint: string = LAST,
): Input<string, Target> {
  return {
    type: 'string',
    flags: {},
    fromTyped: (args: Readonly<Record<string, readonly string[]>>, at: At) => {
      const all = own(args, places) ?? []
      const to = all.at(-1) ?? ''
      if (all.length > 1 && isOciReference(to)) return storedAt(to, at)
      throw noReference(to, {
        message: `Cannot ${doing}: ${all.length < 2 ? 'the target is missing' : `"${to}" is no target`}`,
        field: places,
        hint: isOciReference(to) ? LAST : hint,
      })
    },
    fromGiven: (given, at) => storedAt(givenText(given, at), at),
  }
}

interface StoredFacts extends Facts<'string'> {
  /** For messages: `pull`. */
  readonly doing: string
  /** For a text that is no reference. */
  readonly hint: string
}

/** A stored bundle. */
export function stored(describe: string, { doing, hint, ...facts }: StoredFacts): Input<string, Target> {
  return {
    type: 'string',
    typed: { ...facts, type: 'string', lists: ['reference'], describe },
    fromTyped: (typed: string, at: At) =>
      typedStored(typed, at, `Cannot ${doing} "${typed}": it is no reference`, hint),
    fromGiven: (given, at) => storedAt(givenText(given, at), at),
  }
}

/** A stored bundle, or a repository, that only a program names so. @param doing for messages: `pull` */
export function givenStored(doing: string): Input<string, Target> {
  return {
    type: 'string',
    fromGiven(given, at) {
      referenceIn(givenText(given, at), doing)
      return storedAt(given, at)
    },
  }
}

/** @throws UsageError for what is no reference */
export function typedStored(typed: string, at: At, message: string, hint: string): Target {
  if (isOciReference(typed)) return storedAt(typed, at)
  throw noReference(typed, { message, field: at.field, hint })
}

/** The same with an absolute folder. */
export function storedAt(label: string, { world }: At): Target {
  return { path: absolute(label, world.cwd), label }
}
