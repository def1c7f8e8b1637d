// The library: verification and loading of agent bundles, and the verbs they are made of.

export {
  AgentcliLoadError,
  type AgentcliSource,
  type AgentcliTools,
  loadAgentcliTools,
} from './convert/load-agentcli.ts'
export * as AgentTool from './format/agent-tool/index.ts'
export type { AgentcliTool } from './format/agentcli/load.ts'
export type { OpenAiTool } from './format/agentcli/openai.ts'
export type { Limits } from './format/archive/header.ts'
export type { Expectation } from './format/reference.ts'
export { ERRORS, type ErrorCode, RlpError } from './model/error.ts'
export type { Finding, Severity } from './model/finding.ts'
export type { NetGrant, Policy } from './model/policy.ts'
export type { OnProgress, Progress } from './model/progress.ts'
export type { Check, CheckedFile, Reason, Report, Step } from './model/report.ts'
export type { JsonSchema, Tool, Transport } from './model/tools.ts'
export type { AnchorTable, RuleTable, TrustPolicyTable } from './model/trust-table.ts'
export { VERDICTS, type Verdict } from './model/verdict.ts'
export type { BundleSource, FolderGiven, TrustPolicyGiven } from './verify/given.ts'
export type { DeniedTool, LoadedBundle, SafetyFacts } from './verify/load.ts'
export {
  loadBundle,
  NotVerifiedError,
  type TrustOptions,
  type VerifyBundleOptions,
  verifyBundle,
} from './verify/load-file.ts'
