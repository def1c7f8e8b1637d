// The entry `rlp-bundle/verify`: verification and loading, for programs that are bundled into one small file. Registries are in the main
// entry alone. Rare parts are loaded when a bundle needs them.

export type { Limits } from '../bundle/archive.ts'
export { ERRORS, type ErrorCode, RlpError } from '../model/error.ts'
export type { NetGrant, Policy } from '../model/policy.ts'
export type { OnProgress, Progress } from '../model/progress.ts'
export type { ReasonCode } from '../model/reason-codes.ts'
export type { Check, CheckedFile, Reason, Report, Step } from '../model/report.ts'
export type { JsonSchema, Tool, Transport } from '../model/tools.ts'
export type { AnchorTable, IdentityTable, RuleTable, TrustPolicyTable } from '../model/trust-table.ts'
export { VERDICTS, type Verdict } from '../model/verdict.ts'
export type { BundleSource, FolderGiven, TrustPolicyGiven } from './input.ts'
export type { DeniedTool, LoadedBundle, SafetyFacts } from './load.ts'
export { NotVerifiedError } from './make-report.ts'
export { loadHere as loadBundle, type VerifyBundleOptions, verifyHere as verifyBundle } from './verbs-here.ts'
