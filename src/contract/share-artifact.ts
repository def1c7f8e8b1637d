// The four ways in which sharing an artifact fails → failures that name the next step.
import { type Failure, failure } from './envelope.ts'
import { listed, shown } from './say.ts'

/** Why a file could not be shared. */
export type ShareArtifactProblem =
  /** The path is outside the folder that may be shared. */
  | { readonly failure: 'pathRejected'; readonly path?: string; readonly root?: string }
  /** `tried`: all paths that were checked. */
  | { readonly failure: 'fileNotFound'; readonly path?: string; readonly tried?: readonly string[] }
  /** `reason`: the file system's message. */
  | { readonly failure: 'copyFailed'; readonly path?: string; readonly reason?: string }
  | { readonly failure: 'destinationRejected'; readonly filename?: string }

/**
 * @example
 * shareArtifactFailure({ failure: 'fileNotFound', path: 'a.png', tried: ['/home/a.png', '/home/output/a.png'] }, 'share_artifact')
 */
export function shareArtifactFailure(problem: ShareArtifactProblem, tool?: string): Failure {
  switch (problem.failure) {
    case 'pathRejected': {
      const root =
        problem.root === undefined ? 'the trusted root' : `the trusted root \`${shown(problem.root)}\``
      return failure({
        kind: 'invalid_args',
        message: `${named('Path', problem.path)} is outside ${root}. Find the file with \`sandbox_search_files\` and pass its path below that root.`,
        field: 'path',
        expected: 'path of a file below the trusted root',
        tool,
      })
    }
    case 'fileNotFound': {
      const { tried = [] } = problem
      const places = tried.length === 0 ? '' : ` Looked at: ${listed(tried)}.`
      return failure({
        kind: 'execution_error',
        message: `${named('File', problem.path)} was not found.${places}`,
        tool,
      })
    }
    case 'copyFailed': {
      const reason = problem.reason === undefined ? '' : `: ${shown(problem.reason)}`
      return failure({
        kind: 'execution_error',
        message: `${named('File', problem.path)} could not be copied${reason}.`,
        tool,
      })
    }
    case 'destinationRejected':
      return failure({
        kind: 'invalid_args',
        message: `${named('Filename', problem.filename)} cannot be used. Pass a plain basename without folders, e.g. \`report.pdf\`.`,
        field: 'filename',
        expected: 'plain basename',
        tool,
      })
  }
}

function named(what: string, value: string | undefined): string {
  return value === undefined ? what : `${what} \`${shown(value)}\``
}
