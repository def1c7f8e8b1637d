// The registry of lint rules: one file and one line each, in the order of families and of the flow.
import { capsBroadGrant } from './caps/broad-grant.ts'
import { capsCapabilitySyntax } from './caps/capability-syntax.ts'
import { capsContradiction } from './caps/contradiction.ts'
import { capsDuplicateGrant } from './caps/duplicate-grant.ts'
import { capsEntry } from './caps/entry.ts'
import { capsNotGranted } from './caps/not-granted.ts'
import { capsShape } from './caps/shape.ts'
import { capsUndeclaredNeed } from './caps/undeclared-need.ts'
import { capsUnknownFamily } from './caps/unknown-family.ts'
import { capsUnusedGrant } from './caps/unused-grant.ts'
import { filesCaseTwin } from './files/case-twin.ts'
import { filesLeftOut } from './files/left-out.ts'
import { filesLimit } from './files/limit.ts'
import { filesLink } from './files/link.ts'
import { filesName } from './files/name.ts'
import { filesRequired } from './files/required.ts'
import { filesSignatures } from './files/signatures.ts'
import { jsonDuplicateKey } from './json/duplicate-key.ts'
import { jsonEncoding } from './json/encoding.ts'
import { jsonSyntax } from './json/syntax.ts'
import { jsonTooLarge } from './json/too-large.ts'
import { jsonUnsafeValue } from './json/unsafe-value.ts'
import { manifestArtifactPath } from './manifest/artifact-path.ts'
import { manifestArtifactTwice } from './manifest/artifact-twice.ts'
import { manifestDigestFormat } from './manifest/digest-format.ts'
import { manifestDigestMissing } from './manifest/digest-missing.ts'
import { manifestDigestPending } from './manifest/digest-pending.ts'
import { manifestDigestStale } from './manifest/digest-stale.ts'
import { manifestEntryMissing } from './manifest/entry-missing.ts'
import { manifestEntryTwice } from './manifest/entry-twice.ts'
import { manifestFileMissing } from './manifest/file-missing.ts'
import { manifestFixedPath } from './manifest/fixed-path.ts'
import { manifestKind } from './manifest/kind.ts'
import { manifestLintTable } from './manifest/lint-table.ts'
import { manifestNameMismatch } from './manifest/name-mismatch.ts'
import { manifestShape } from './manifest/shape.ts'
import { manifestStrayDigest } from './manifest/stray-digest.ts'
import { manifestSuppression } from './manifest/suppression.ts'
import { manifestSuppressionRefused } from './manifest/suppression-refused.ts'
import { manifestToolsVersion } from './manifest/tools-version.ts'
import type { Rule } from './rule.ts'
import { schemaDefault } from './schema/default.ts'
import { schemaDialect } from './schema/dialect.ts'
import { schemaEmpty } from './schema/empty.ts'
import { schemaEndless } from './schema/endless.ts'
import { schemaImpossible } from './schema/impossible.ts'
import { schemaInvalid } from './schema/invalid.ts'
import { schemaNoDescription } from './schema/no-description.ts'
import { schemaNotObject } from './schema/not-object.ts'
import { schemaOldDialect } from './schema/old-dialect.ts'
import { schemaOpenObject } from './schema/open-object.ts'
import { schemaPattern } from './schema/pattern.ts'
import { schemaPatternUndecided } from './schema/pattern-undecided.ts'
import { schemaProseOnly } from './schema/prose-only.ts'
import { schemaRefInvalid } from './schema/ref-invalid.ts'
import { schemaRefMissing } from './schema/ref-missing.ts'
import { schemaRefRegistry } from './schema/ref-registry.ts'
import { schemaRefRemote } from './schema/ref-remote.ts'
import { schemaRequiredUndeclared } from './schema/required-undeclared.ts'
import { schemaSlowPattern } from './schema/slow-pattern.ts'
import { schemaTooLarge } from './schema/too-large.ts'
import { schemaUnknownKeyword } from './schema/unknown-keyword.ts'
import { schemaUnused } from './schema/unused.ts'
import { secretsEnvCollision } from './secrets/env-collision.ts'
import { secretsIdStyle } from './secrets/id-style.ts'
import { secretsInUrl } from './secrets/in-url.ts'
import { secretsLiteral } from './secrets/literal.ts'
import { secretsUnlisted } from './secrets/unlisted.ts'
import { secretsUnused } from './secrets/unused.ts'
import { tomlDuplicateKey } from './toml/duplicate-key.ts'
import { tomlEncoding } from './toml/encoding.ts'
import { tomlSyntax } from './toml/syntax.ts'
import { tomlTooLarge } from './toml/too-large.ts'
import { tomlUnsafeValue } from './toml/unsafe-value.ts'
import { toolsAgentcli } from './tools/agentcli.ts'
import { toolsCodeInjection } from './tools/code-injection.ts'
import { toolsCommand } from './tools/command.ts'
import { toolsDescription } from './tools/description.ts'
import { toolsDuplicateEntry } from './tools/duplicate-entry.ts'
import { toolsDuplicateId } from './tools/duplicate-id.ts'
import { toolsEnv } from './tools/env.ts'
import { toolsFetchedProgram } from './tools/fetched-program.ts'
import { toolsHeader } from './tools/header.ts'
import { toolsHiddenText } from './tools/hidden-text.ts'
import { toolsIdStyle } from './tools/id-style.ts'
import { toolsInputPath } from './tools/input-path.ts'
import { toolsInterfaceClassifier } from './tools/interface-classifier.ts'
import { toolsInterfaceComplete } from './tools/interface-complete.ts'
import { toolsInterfaceDisagrees } from './tools/interface-disagrees.ts'
import { toolsInterfaceInternalField } from './tools/interface-internal-field.ts'
import { toolsInterfaceRecord } from './tools/interface-record.ts'
import { toolsInterfaceShape } from './tools/interface-shape.ts'
import { toolsInterfaceUnknownTool } from './tools/interface-unknown-tool.ts'
import { toolsInterfaceValue } from './tools/interface-value.ts'
import { toolsMethod } from './tools/method.ts'
import { toolsNeedsConfirmation } from './tools/needs-confirmation.ts'
import { toolsPlaceholder } from './tools/placeholder.ts'
import { toolsPlainHttp } from './tools/plain-http.ts'
import { toolsShape } from './tools/shape.ts'
import { toolsShellCommand } from './tools/shell-command.ts'
import { toolsUrl } from './tools/url.ts'
import { toolsVersion } from './tools/version.ts'
import { wasmClockNotGranted } from './wasm/clock-not-granted.ts'
import { wasmComponent } from './wasm/component.ts'
import { wasmImportNotGranted } from './wasm/import-not-granted.ts'
import { wasmMalformed } from './wasm/malformed.ts'
import { wasmNativeFormat } from './wasm/native-format.ts'
import { wasmNoEntry } from './wasm/no-entry.ts'
import { wasmNoMemory } from './wasm/no-memory.ts'
import { wasmNotValidated } from './wasm/not-validated.ts'
import { wasmNotWasm } from './wasm/not-wasm.ts'
import { wasmStub } from './wasm/stub.ts'
import { wasmUnknownImport } from './wasm/unknown-import.ts'

export const RULES: readonly Rule[] = [
  filesRequired,
  filesName,
  filesCaseTwin,
  filesLink,
  filesLimit,
  filesLeftOut,
  filesSignatures,
  jsonSyntax,
  jsonEncoding,
  jsonDuplicateKey,
  jsonUnsafeValue,
  jsonTooLarge,
  tomlSyntax,
  tomlEncoding,
  tomlDuplicateKey,
  tomlUnsafeValue,
  tomlTooLarge,
  manifestShape,
  manifestNameMismatch,
  manifestEntryMissing,
  manifestEntryTwice,
  manifestKind,
  manifestFixedPath,
  manifestArtifactPath,
  manifestArtifactTwice,
  manifestFileMissing,
  manifestDigestFormat,
  manifestDigestPending,
  manifestDigestStale,
  manifestDigestMissing,
  manifestStrayDigest,
  manifestToolsVersion,
  manifestLintTable,
  manifestSuppression,
  manifestSuppressionRefused,
  capsShape,
  capsUnknownFamily,
  capsEntry,
  capsDuplicateGrant,
  capsContradiction,
  capsBroadGrant,
  capsUnusedGrant,
  capsCapabilitySyntax,
  capsUndeclaredNeed,
  capsNotGranted,
  toolsShape,
  toolsVersion,
  toolsAgentcli,
  toolsDuplicateId,
  toolsCommand,
  toolsUrl,
  toolsMethod,
  toolsHeader,
  toolsPlaceholder,
  toolsInputPath,
  toolsEnv,
  toolsCodeInjection,
  toolsShellCommand,
  toolsFetchedProgram,
  toolsPlainHttp,
  toolsNeedsConfirmation,
  toolsIdStyle,
  toolsDescription,
  toolsHiddenText,
  toolsDuplicateEntry,
  toolsInterfaceShape,
  toolsInterfaceInternalField,
  toolsInterfaceUnknownTool,
  toolsInterfaceRecord,
  toolsInterfaceValue,
  toolsInterfaceClassifier,
  toolsInterfaceDisagrees,
  toolsInterfaceComplete,
  schemaInvalid,
  schemaDialect,
  schemaPattern,
  schemaRefRemote,
  schemaRefInvalid,
  schemaRefMissing,
  schemaRefRegistry,
  schemaEndless,
  schemaTooLarge,
  schemaImpossible,
  schemaOldDialect,
  schemaEmpty,
  schemaNotObject,
  schemaOpenObject,
  schemaUnknownKeyword,
  schemaRequiredUndeclared,
  schemaDefault,
  schemaSlowPattern,
  schemaPatternUndecided,
  schemaNoDescription,
  schemaProseOnly,
  schemaUnused,
  secretsUnlisted,
  secretsUnused,
  secretsInUrl,
  secretsLiteral,
  secretsIdStyle,
  secretsEnvCollision,
  wasmNotWasm,
  wasmComponent,
  wasmNativeFormat,
  wasmMalformed,
  wasmNotValidated,
  wasmNoEntry,
  wasmNoMemory,
  wasmUnknownImport,
  wasmImportNotGranted,
  wasmClockNotGranted,
  wasmStub,
]
