// A path from a model → the absolute path below the tool's home, or the failure that says what is wrong
// (docs/contract.md, "Writing a tool"). Judges the text alone: the code that opens the path must check links.
import { failure } from './envelope.ts'
import type { Required } from './require.ts'
import { listed, shown } from './say.ts'

/** Where a path may lead, and how the failure names it. */
export interface WantedPath {
  /** The folder for relative paths; absolute, with `/`. */
  readonly home: string
  /** Further folders that an absolute path may be below. */
  readonly roots?: readonly string[]
  /** The argument's name; `path` by default. */
  readonly field?: string
  readonly tool?: string | undefined
}

/** Characters that a shell interprets, quotes included: the path may end up in a command. */
const DANGEROUS = /[;|&$`(){}'"\\\p{Cc}\p{Zl}\p{Zp}]/u

/**
 * A path of the sandbox, absolute and without `.` and doubled slashes. Refused are the empty path, `..` as a part of it, characters that a
 * shell acts upon or that cannot be seen, and absolute paths that are neither `home` nor below it or one of `roots`.
 *
 * @example
 * const path = requirePath('notes/a.txt', { home: '/home/agent', tool: 'read_file' })
 * if (path.ok) console.log(path.value) // /home/agent/notes/a.txt
 */
export function requirePath(path: string, wanted: WantedPath): Required<string> {
  const { home, roots = [], field = 'path', tool } = wanted
  const reason = pathProblem(path, [home, ...roots])
  if (reason === undefined) {
    const parts = partsOf(path.startsWith('/') ? path : `${home}/${path}`)
    return { ok: true, value: `/${parts.join('/')}` }
  }
  return {
    ok: false,
    failure: failure({
      kind: 'invalid_args',
      message: `Argument \`${shown(field)}\` rejected: ${reason}. Got \`${shown(visible(path))}\`.`,
      field,
      expected: `path under the agent home (relative, or absolute under \`${home}\`)`,
      tool,
    }),
  }
}

function pathProblem(path: string, roots: readonly string[]): string | undefined {
  if (path === '') return 'the path is empty'
  if (path.split('/').includes('..')) return 'a `..` in the path leads out (path traversal)'
  const [character] = DANGEROUS.exec(path) ?? []
  if (character !== undefined) return `the path has the dangerous character ${named(character)}`
  if (!path.isWellFormed()) return 'the path has half a character'
  if (!path.startsWith('/') || roots.some(root => isBelow(path, root))) return undefined
  return `the absolute path is outside the allowed roots ${listed(roots)}`
}

/** By segments: `/home/agent-2` is not below `/home/agent`. */
function isBelow(path: string, root: string): boolean {
  const [parts, first] = [partsOf(path), partsOf(root)]
  return first.every((part, index) => parts[index] === part)
}

function partsOf(path: string): string[] {
  return path.split('/').filter(part => part !== '' && part !== '.')
}

function named(character: string): string {
  return visible(character) === character ? `\`${character}\`` : visible(character)
}

/** Invisible characters as their code points. */
function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(
      /[\p{Cc}\p{Zl}\p{Zp}]/gu,
      found => `U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    )
}
