// The tool contract as an entry point of its own, `rlp-bundle/contract`. It loads nothing else of the
// package.

export type { FailureKind } from '../model/error.ts'
export type { JsonSchema } from '../model/tools.ts'
export { type CheckedResult, checkResult, type Remark } from './check-result.ts'
export {
  classify,
  type Detected,
  detect,
  failureMessage,
  isError,
  isSuccess,
  legacyFailure,
  type ResultClass,
  successPayload,
} from './detect.ts'
export {
  cancelled,
  type Envelope,
  type Failure,
  type FailureDetails,
  failure,
  KINDS,
  RETRYABLE,
  type Success,
  serialize,
  success,
  textSuccess,
  timedOut,
  unknownTool,
} from './envelope.ts'
export { type ErrorReader, fromAgentcli, fromError, fromMcp, type McpResult } from './from-foreign.ts'
export type { Fields } from './json-text.ts'
export { type NormalizeOptions, normalizeResult } from './normalize.ts'
export { type CoerceOptions, coerce, type Preflight, type PreflightOptions, preflight } from './preflight.ts'
export {
  optionalString,
  type Required,
  requireArgumentsDictionary,
  requireBoolean,
  requireInt,
  requirePath,
  requireString,
  requireStringArray,
  type Wanted,
  type WantedPath,
} from './require.ts'
export {
  type Entry,
  type FileContent,
  fileContent,
  type KnownResult,
  type Listing,
  listing,
  PIPEFAIL,
  type SearchResult,
  type ShareArtifactProblem,
  type ShellOutcome,
  searchResult,
  shareArtifactFailure,
  shellWarnings,
  type TruncatedOutput,
} from './results.ts'
export { ERROR_SOURCES, type ErrorFacts, type ErrorSource, ToolError } from './tool-error.ts'
export {
  MAX_RESULT_CHARS,
  MAX_STDERR_CHARS,
  MAX_TEXT_CHARS,
  type TruncateOptions,
  truncateForModel,
  truncateResult,
} from './truncate.ts'
export { type Validation, validate } from './validate.ts'
