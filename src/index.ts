// The library: verification and loading of agent bundles, and the verbs they are made of.

export type { Limits } from './format/archive/header.ts'
export type { Expectation } from './format/reference.ts'
export {
  loadBundle,
  NotVerifiedError,
  type VerifyBundleOptions,
  verifyBundle,
} from './library.ts'
export type { DeniedTool, LoadedBundle } from './load.ts'
export { ERRORS, type ErrorCode, RlpError } from './model/error.ts'
export type { Finding, Severity } from './model/finding.ts'
export type { NetGrant, Policy } from './model/policy.ts'
export type { Check, CheckedFile, Reason, Report, Step } from './model/report.ts'
export type { JsonSchema, Tool, Transport } from './model/tools.ts'
export { VERDICTS, type Verdict } from './model/verdict.ts'
