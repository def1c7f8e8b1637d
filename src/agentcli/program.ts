// command[0] of an agentcli entry → the program that it names, by agentcli's path rule.
import { posix, win32 } from 'node:path'
import { quoteGo } from './go-text.ts'

export type Platform = 'posix' | 'win32'

export type AgentcliProgram =
  | {
      readonly ok: true
      /** Absolute. */
      readonly path: string
      /** `./tools/bin/…` in its proper spelling; undefined for an absolute program. */
      readonly relative: string | undefined
    }
  /** `problem` follows the index and the name of the tool. */
  | { readonly ok: false; readonly problem: string }

const BIN = './tools/bin/'

/**
 * @param written `command[0]`
 * @param manifestDir absolute path of the folder that holds the document; the current folder has no effect
 */
export function resolveProgram(written: string, manifestDir: string, platform: Platform): AgentcliProgram {
  if (isAbsolute(written, platform)) return { ok: true, path: written, relative: undefined }
  // Backslashes separate on every platform, so that a document means the same everywhere.
  const slashed = written.replaceAll('\\', '/')
  const cleaned = clean(slashed)
  const form = cleaned === 'tools' || cleaned.startsWith('tools/') ? `./${cleaned}` : cleaned
  const problem = relativeProblem(written, slashed, form)
  if (problem !== undefined) return { ok: false, problem }
  const host = platform === 'posix' ? posix : win32
  if (!host.isAbsolute(manifestDir)) {
    return { ok: false, problem: `resolve command[0]: ${quoteGo(manifestDir)} is not an absolute path` }
  }
  return { ok: true, path: host.join(manifestDir, form), relative: form }
}

function relativeProblem(written: string, slashed: string, form: string): string | undefined {
  if (form === '..' || form.startsWith('../')) {
    return `command[0] must not start with '..' or escape tools/bin (got ${quoteGo(written)})`
  }
  if (form.startsWith(BIN)) return undefined
  if (slashed.startsWith(BIN) || slashed === './tools/bin') {
    return `command[0] escapes ./tools/bin after normalization (got ${quoteGo(written)} -> ${quoteGo(form)})`
  }
  return `relative command[0] must start with ${BIN}`
}

/** On Windows a drive with a root or a share; a bare leading slash is neither. */
function isAbsolute(path: string, platform: Platform): boolean {
  return platform === 'posix'
    ? path.startsWith('/')
    : /^(?:[A-Za-z]:[\\/]|[\\/]{2}[^\\/]+[\\/][^\\/])/.test(path)
}

/** Lexically, as Go's path.Clean, which also drops a slash at the end. */
function clean(path: string): string {
  const normal = posix.normalize(path)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}
