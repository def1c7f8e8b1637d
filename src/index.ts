// The library: verification and loading of agent bundles, and the verbs they are made of.

export * as AgentTool from './agent-tool/index.ts'
export { type ToolEnd, toAgentcliContent } from './agentcli/answer.ts'
export type { AgentcliTimeouts, AgentcliTool } from './agentcli/load.ts'
export type { OpenAiTool } from './agentcli/openai.ts'
export type { Limits } from './bundle/archive.ts'
export type { CaseResult, TestedAgent } from './call/cases.ts'
export type { Confirm, ConfirmDecision, ConfirmQuestion } from './call/context.ts'
export { type BudgetLedger, newLedger } from './call/ledger.ts'
export type { ListedTools } from './call/open-agent.ts'
export type { CallPlan, PlannedCall } from './call/prepare-call.ts'
export type { ReplayedCall, ReplayResult } from './call/replay.ts'
export type { SecretsGiven } from './call/session.ts'
export {
  type CallOptions,
  type CallResult,
  callTool,
  type DevOptions,
  type DevRound,
  devPath as dev,
  type ListToolsOptions,
  listToolsOf as listTools,
  type ReplayOptions,
  type RunAgentOptions,
  type RunAgentResult,
  replayPath as replay,
  runAgent,
  type ServeOptions,
  serveTools,
  type TestOptions,
  testPath as testTools,
} from './call/verbs.ts'
export type { ModuleEnd } from './call/wasi/run-module.ts'
export type { CapsReport, CapsTool } from './caps/report.ts'
export type {
  BuiltOnFacts,
  ChannelChanged,
  ChannelHeartbeatMade,
  ChannelPublished,
  ChannelPulled,
  ChannelPushed,
  ChannelResult,
  ChannelSigned,
  ChannelToSign,
  HeartbeatFacts,
  LackingFacts,
  NextStep,
  ReleaseFacts,
  RootFacts,
} from './channel/answers.ts'
export type { ExportResult } from './convert/export-from.ts'
export { type ExportOptions, exportPath as exportTools } from './convert/export-verb.ts'
export type { ImportResult } from './convert/import-into.ts'
export { type ImportOptions, importPath as importTools } from './convert/import-verb.ts'
export {
  AgentcliLoadError,
  type AgentcliSource,
  type AgentcliTools,
  loadAgentcliTools,
} from './convert/load-agentcli.ts'
export type { StatedPredicate } from './evidence/any-statement.ts'
export type { Attested } from './evidence/attest.ts'
export type { Bom, StatedBom } from './evidence/bom.ts'
export type {
  BuildStated,
  Provenance,
  StatedBuild,
  StatedProvenance,
  StatingGiven,
} from './evidence/provenance.ts'
export type { StatedSummary, Summary } from './evidence/summary.ts'
export type {
  ChannelUpdated,
  FollowedFacts,
  FollowedStatus,
  TrustFollowed,
  TrustUpdated,
} from './follow/answers.ts'
export type { TrustUnfollowed } from './follow/unfollow.ts'
export type { GateAnswer } from './gate/question-answer.ts'
export {
  type GateAsk,
  type GateListening,
  type GateOptions,
  type OpenGate,
  openGateAt as openGate,
} from './gate/verb.ts'
export type { ComparedSide, DiffResult } from './inspect/compared.ts'
export type { AgentDiff } from './inspect/diff.ts'
export type { Inspected } from './inspect/inspected.ts'
export type { InspectedAgainst, InspectResult } from './inspect/inspected-bundle.ts'
export {
  type CompareOptions,
  diffPaths as diff,
  type InspectOptions,
  inspectPath as inspect,
} from './inspect/verbs.ts'
export {
  type InstallOptions,
  InstallRefusedError,
  installPath as install,
} from './install/install-verbs.ts'
export type { InstalledAgents, Row as InstalledAgent } from './install/installed.ts'
export type { InstallResult } from './install/outcome.ts'
export type { Uninstalled } from './install/uninstall.ts'
export type { CallerOptions, LongOptions, PathGiven } from './io/library/caller.ts'
export * from './library/generated/caps.ts'
export * from './library/generated/channel.ts'
export * from './library/generated/evidence.ts'
export * from './library/generated/follow.ts'
export * from './library/generated/install.ts'
export * from './library/generated/lock.ts'
export * from './library/generated/pack.ts'
export * from './library/generated/registry.ts'
export * from './library/generated/scaffold.ts'
export * from './library/generated/sign.ts'
export * from './library/generated/trust.ts'
export type { LintFix, LintResult } from './lint/lint-result.ts'
export { type LintOptions, lintPath as lint } from './lint/lint-verb.ts'
export type { LockAdded } from './lock/add.ts'
export type { CheckedAgent, LockAnswer, LockChecked } from './lock/check.ts'
export type { LockConcern } from './lock/compare-entries.ts'
export type { LockRemoved } from './lock/lock-file.ts'
export type { LockListed, PinnedAgent } from './lock/locked-entry.ts'
export type { LockOutdated, OutdatedAgent } from './lock/outdated.ts'
export type { LockUpdate, LockUpdated } from './lock/update.ts'
export { LockRefusedError } from './lock/update.ts'
export { ERRORS, type ErrorCode, RlpError } from './model/error.ts'
export type { Finding, OtherPlace, Severity } from './model/finding.ts'
export type { NetGrant, Policy } from './model/policy.ts'
export type { OnProgress, Progress } from './model/progress.ts'
export { REASON_CODES, type ReasonCode } from './model/reason-codes.ts'
export type { Check, CheckedFile, Reason, Report, Step } from './model/report.ts'
export type { SecretAnswer, SecretSource } from './model/secret.ts'
export type { AnchorKey, Signer } from './model/signer.ts'
export type { Tool, Transport } from './model/tools.ts'
export type { AnchorTable, IdentityTable, RuleTable, TrustPolicyTable } from './model/trust-table.ts'
export { VERDICTS, type Verdict } from './model/verdict.ts'
export type { Difference, PackCheck } from './pack/compare.ts'
export type { DigestChange } from './pack/digest.ts'
export type { DigestResult } from './pack/digest-agent.ts'
export type { Packed } from './pack/pack-agent.ts'
export {
  type PackOptions,
  type PackResult,
  packPath as pack,
} from './pack/pack-verbs.ts'
export type { Copied } from './registry/copy.ts'
export type { Countersigned } from './registry/countersign.ts'
export type { Detached } from './registry/detach.ts'
export type { PulledBundle } from './registry/pull.ts'
export type { Pushed } from './registry/push.ts'
export type { ListedVersions } from './registry/stored-versions.ts'
export {
  type CountersignKeylessOptions,
  type CountersignOptions,
  countersignPath as countersign,
  type ListVersionsOptions,
  listVersionsPath as listVersions,
} from './registry/verbs.ts'
export type { Initialized } from './scaffold/init-agent.ts'
export type { VersionResult } from './scaffold/set-version.ts'
export type { ToolChanges } from './scaffold/tool-given.ts'
export { type OpeningGiven, type ScaffoldOptions, scaffoldAgent as scaffold } from './scaffold/verbs.ts'
export type { ScaffoldResult } from './scaffold/write-scaffold.ts'
export type { AddedToolResult, EditedToolResult, RemovedTools } from './scaffold/write-tools.ts'
export type { KeylessGiven, SignedKeyless } from './sign/keyless/keyless.ts'
export type { ListedKey, ListedKeys } from './sign/named-keys.ts'
export type { MadeKey, ShownKey } from './sign/new-key.ts'
export type { SignedBundle } from './sign/sign-bundle.ts'
export { type SignBundleOptions, type SignKeylessOptions, signPath as sign } from './sign/sign-verb.ts'
export type { TrustGrant } from './trust/add-signer.ts'
export type { PolicyDifference, TrustDiffed } from './trust/compare-policies.ts'
export type { PolicyChanges, PolicyEdited } from './trust/edit-policy.ts'
export type { Foreseen, PolicyEffect } from './trust/effect.ts'
export type { ExplainedBundle, ExplainedIdentity } from './trust/explain.ts'
export type { ListedContent, ListedPolicy, TrustListed } from './trust/listed-policy.ts'
export type { PolicyAsked, TrustTested } from './trust/question-file.ts'
export type { ForgottenMark, TrustReset } from './trust/reset-marks.ts'
export type { BundleSource, FolderGiven, TrustOptions, TrustPolicyGiven } from './verify/input.ts'
export type { DeniedTool, LoadedBundle, SafetyFacts } from './verify/load.ts'
export { NotVerifiedError } from './verify/make-report.ts'
export type { VerifyBundleOptions } from './verify/verbs-here.ts'
export { loadBundle, verifyBundle } from './verify/verify-verbs.ts'
export type { Expectation } from './version/reference.ts'
