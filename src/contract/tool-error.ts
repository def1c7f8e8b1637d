// The errors that the contract knows by name, as exceptions (docs/contract.md). One row each.
import { type Failure, type FailureDetails, failure } from './envelope.ts'

/** What is known of an error; which parts are used depends on its source. */
export interface ErrorFacts {
  /** As the caller wrote it. */
  readonly path?: string | undefined
  /** In whose words it is told; where the source has words of its own they come first. */
  readonly message?: string | undefined
}

type Row = (facts: ErrorFacts) => Omit<FailureDetails, 'tool'>

const SOURCES = {
  'folder.invalidArguments': ({ message = 'The arguments do not fit' }) => ({
    kind: 'invalid_args',
    message,
  }),
  'folder.pathOutsideRoot': ({ path = '' }) => ({
    kind: 'invalid_args',
    message: `Path '${path}' is outside the working directory. Use a relative path under the working folder, e.g. \`src/app.py\`.`,
    field: 'path',
    expected: 'relative path under the working folder',
  }),
  'folder.fileNotFound': ({ path = '' }) => ({
    kind: 'not_found',
    message: `File not found: ${path}. Check the exact path with \`file_search(target="files", pattern="${lastPart(path)}")\` or list the parent directory with \`file_read\` before retrying.`,
    field: 'path',
    expected: 'path to an existing file under the working folder',
  }),
  'folder.directoryNotFound': ({ path = '' }) => ({
    kind: 'not_found',
    message: `Directory not found: ${path}. List the parent directory with \`file_read\` (a directory path returns a listing) to find the right name before retrying.`,
    field: 'path',
    expected: 'path to an existing directory under the working folder',
  }),
  'folder.operationFailed': ({ message = 'The operation failed' }) => ({ kind: 'execution_error', message }),
  'folder.binaryFile': ({ path = '' }) => ({
    kind: 'execution_error',
    message: `Cannot read '${path}' as text: it is a binary file.`,
    retryable: false,
  }),
  'registry.policyDenied': ({ message = 'Execution denied by policy.' }) => ({ kind: 'rejected', message }),
  'registry.userDenied': ({ message = 'User denied execution.' }) => ({ kind: 'user_denied', message }),
  'registry.missingPermissions': ({ message = 'System permissions are missing.' }) =>
    never('unavailable', message),
  'mcp.timeout': ({ message }) => ({
    kind: 'timeout',
    message: told('MCP provider call timed out.', message),
  }),
  'mcp.notConnected': ({ message }) => never('unavailable', told('MCP provider is not connected.', message)),
  'mcp.disabled': ({ message }) => never('unavailable', told('MCP provider is disabled.', message)),
  'mcp.unknownProvider': ({ message }) => never('unavailable', told('MCP provider is not known.', message)),
  'mcp.badUrl': ({ message }) =>
    never('unavailable', told('MCP provider has a URL that cannot be used.', message)),
  'mcp.connectionFailed': ({ message }) => ({
    kind: 'unavailable',
    message:
      message === undefined
        ? 'MCP provider connection failed.'
        : `MCP provider connection failed: ${message}`,
  }),
  // The provider's own words say more than a prefix of ours could.
  'mcp.toolExecutionFailed': ({ message = 'The MCP tool failed without saying why.' }) => ({
    kind: 'execution_error',
    message,
  }),
  'sandbox.timeout': ({ message }) => ({
    kind: 'timeout',
    message: told(
      'Command killed by the idle timeout: it produced no output for the configured ceiling. Re-run with a longer `timeout`, or restructure it to emit progress output.',
      message,
    ),
  }),
  'sandbox.notRunning': ({ message }) => ({
    kind: 'unavailable',
    message: told('The sandbox is not running.', message),
  }),
  'sandbox.failed': ({ message }) => ({
    kind: 'execution_error',
    message: told('The sandbox failed.', message),
  }),
} as const satisfies Readonly<Record<string, Row>>

/** Where an error comes from, and which one it is there. */
export type ErrorSource = keyof typeof SOURCES

/** All of them, for those who translate errors of their own into these. */
export const ERROR_SOURCES = Object.keys(SOURCES) as readonly ErrorSource[]

/** What a registry numbers, by number. */
export const REGISTRY_CODES: Readonly<Record<number, ErrorSource>> = {
  3: 'registry.policyDenied',
  4: 'registry.userDenied',
  6: 'registry.policyDenied',
  7: 'registry.missingPermissions',
}

/**
 * Thrown by a tool's body; `fromError` gives its failure.
 *
 * @example
 * throw new ToolError('folder.fileNotFound', { path: 'docs/README.md' })
 */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly source: ErrorSource
  readonly failure: Failure

  constructor(source: ErrorSource, facts: ErrorFacts = {}) {
    const made = failure(SOURCES[source](facts))
    super(made.message)
    this.source = source
    this.failure = made
  }
}

function never(kind: FailureDetails['kind'], message: string): Omit<FailureDetails, 'tool'> {
  return { kind, message, retryable: false }
}

function told(words: string, message: string | undefined): string {
  return message === undefined || message === '' ? words : `${words} ${message}`
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast(part => part !== '') ?? path
}
