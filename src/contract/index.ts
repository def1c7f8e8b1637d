// The tool contract as an entry point of its own, `rlp-bundle/contract`. It loads nothing else of the
// package.

export type { FailureKind } from '../model/error.ts'
export type { JsonSchema } from '../model/tools.ts'
export { type CheckedResult, checkResult, type Remark } from './check-result.ts'
export { classify, type ResultClass } from './classify.ts'
export { type CoerceOptions, coerce } from './coerce.ts'
export { type Detected, detect, failureMessage, isError, isSuccess, successPayload } from './detect.ts'
export {
  type Envelope,
  type Failure,
  type FailureDetails,
  failure,
  RETRYABLE,
  type Success,
  serialize,
  success,
  textSuccess,
} from './envelope.ts'
export { type ErrorReader, fromError } from './from-error.ts'
export { fromAgentcli, fromMcp, type McpResult } from './from-foreign.ts'
export type { Fields } from './json-text.ts'
export { KINDS } from './kinds.ts'
export { legacyFailure } from './legacy.ts'
export { type NormalizeOptions, normalizeResult } from './normalize.ts'
export { cancelled, timedOut, unknownTool } from './outcomes.ts'
export { type Preflight, type PreflightOptions, preflight } from './preflight.ts'
export {
  optionalString,
  type Required,
  requireArgumentsDictionary,
  requireBoolean,
  requireInt,
  requireString,
  requireStringArray,
  type Wanted,
} from './require.ts'
export { requirePath, type WantedPath } from './require-path.ts'
export {
  type Entry,
  type FileContent,
  fileContent,
  type KnownResult,
  type Listing,
  listing,
  type SearchResult,
  searchResult,
  type TruncatedOutput,
} from './results.ts'
export { type ShareArtifactProblem, shareArtifactFailure } from './share-artifact.ts'
export { PIPEFAIL, type ShellOutcome, shellWarnings } from './shell.ts'
export { ERROR_SOURCES, type ErrorFacts, type ErrorSource, ToolError } from './tool-error.ts'
export { MAX_RESULT_CHARS, MAX_STDERR_CHARS, MAX_TEXT_CHARS, truncateForModel } from './truncate.ts'
export { type TruncateOptions, truncateResult } from './truncate-result.ts'
export { type Validation, validate } from './validate.ts'
