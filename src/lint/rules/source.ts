// The registry of the rules that are advice for authors: one file and one line each, in the order of families and of the flow. Separate
// from those of bundles, so that verification need not load them.
import { capsBroadGrant } from './caps/broad-grant.ts'
import { capsContradiction } from './caps/contradiction.ts'
import { capsDuplicateGrant } from './caps/duplicate-grant.ts'
import { capsNotGranted } from './caps/not-granted.ts'
import { capsPlainPath } from './caps/plain-path.ts'
import { capsUndeclaredNeed } from './caps/undeclared-need.ts'
import { capsUnknownFamily } from './caps/unknown-family.ts'
import { capsUnusedGrant } from './caps/unused-grant.ts'
import { capsWhiteSpace } from './caps/white-space.ts'
import { filesLeftOut } from './files/left-out.ts'
import { filesLimit } from './files/limit.ts'
import { filesSecret } from './files/secret.ts'
import { filesSignatures } from './files/signatures.ts'
import { manifestLintTable } from './manifest/lint-table.ts'
import { manifestNameMismatch } from './manifest/name-mismatch.ts'
import { manifestPort } from './manifest/port.ts'
import { manifestSuppression } from './manifest/suppression.ts'
import { manifestSuppressionRefused } from './manifest/suppression-refused.ts'
import { manifestUnknownKey } from './manifest/unknown-key.ts'
import type { Rule } from './rule.ts'
import { schemaDefault } from './schema/default.ts'
import { schemaEmpty } from './schema/empty.ts'
import { schemaImpossible } from './schema/impossible.ts'
import { schemaLongInline } from './schema/long-inline.ts'
import { schemaMisplaced } from './schema/misplaced.ts'
import { schemaNoDescription } from './schema/no-description.ts'
import { schemaNoExample } from './schema/no-example.ts'
import { schemaNotObject } from './schema/not-object.ts'
import { schemaOldDialect } from './schema/old-dialect.ts'
import { schemaOpenObject } from './schema/open-object.ts'
import { schemaProseOnly } from './schema/prose-only.ts'
import { schemaRefRegistry } from './schema/ref-registry.ts'
import { schemaRefusedElsewhere } from './schema/refused-elsewhere.ts'
import { schemaRequiredUndeclared } from './schema/required-undeclared.ts'
import { schemaSlowPattern } from './schema/slow-pattern.ts'
import { schemaUnknownKeyword } from './schema/unknown-keyword.ts'
import { schemaUnused } from './schema/unused.ts'
import { secretsEnvCollision } from './secrets/env-collision.ts'
import { secretsIdStyle } from './secrets/id-style.ts'
import { secretsLikelyLiteral } from './secrets/likely-literal.ts'
import { secretsLiteral } from './secrets/literal.ts'
import { secretsUnused } from './secrets/unused.ts'
import { toolsCodeInjection } from './tools/code-injection.ts'
import { toolsCommandLine } from './tools/command-line.ts'
import { toolsDescription } from './tools/description.ts'
import { toolsDuplicateEntry } from './tools/duplicate-entry.ts'
import { toolsFetchedProgram } from './tools/fetched-program.ts'
import { toolsForeignPlaceholder } from './tools/foreign-placeholder.ts'
import { toolsHiddenText } from './tools/hidden-text.ts'
import { toolsIdStyle } from './tools/id-style.ts'
import { toolsInputPath } from './tools/input-path.ts'
import { toolsInterfaceClassifier } from './tools/interface-classifier.ts'
import { toolsInterfaceComplete } from './tools/interface-complete.ts'
import { toolsInterfaceConfirmation } from './tools/interface-confirmation.ts'
import { toolsInterfaceDisagrees } from './tools/interface-disagrees.ts'
import { toolsInterfaceMutation } from './tools/interface-mutation.ts'
import { toolsInterfaceRecord } from './tools/interface-record.ts'
import { toolsInterfaceUnknownTool } from './tools/interface-unknown-tool.ts'
import { toolsInterfaceValue } from './tools/interface-value.ts'
import { toolsInterfaceVisibility } from './tools/interface-visibility.ts'
import { toolsMethod } from './tools/method.ts'
import { toolsNeedsConfirmation } from './tools/needs-confirmation.ts'
import { toolsOptionalInput } from './tools/optional-input.ts'
import { toolsPlainHttp } from './tools/plain-http.ts'
import { toolsShellCommand } from './tools/shell-command.ts'
import { toolsStructuredInput } from './tools/structured-input.ts'
import { toolsUnconfirmedDelete } from './tools/unconfirmed-delete.ts'
import { toolsUnreachableHost } from './tools/unreachable-host.ts'
import { toolsUnsentArgument } from './tools/unsent-argument.ts'
import { wasmClockNotGranted } from './wasm/clock-not-granted.ts'
import { wasmImportNotGranted } from './wasm/import-not-granted.ts'
import { wasmNoMemory } from './wasm/no-memory.ts'
import { wasmNotValidated } from './wasm/not-validated.ts'
import { wasmStub } from './wasm/stub.ts'
import { wasmUnknownImport } from './wasm/unknown-import.ts'

export const SOURCE_RULES: readonly Rule[] = [
  filesLimit,
  filesLeftOut,
  filesSecret,
  filesSignatures,
  manifestNameMismatch,
  manifestLintTable,
  manifestSuppression,
  manifestSuppressionRefused,
  manifestUnknownKey,
  manifestPort,
  capsUnknownFamily,
  capsPlainPath,
  capsDuplicateGrant,
  capsWhiteSpace,
  capsContradiction,
  capsBroadGrant,
  capsUnusedGrant,
  capsUndeclaredNeed,
  capsNotGranted,
  toolsMethod,
  toolsCommandLine,
  toolsInputPath,
  toolsForeignPlaceholder,
  toolsStructuredInput,
  toolsOptionalInput,
  toolsUnsentArgument,
  toolsCodeInjection,
  toolsShellCommand,
  toolsFetchedProgram,
  toolsUnreachableHost,
  toolsPlainHttp,
  toolsUnconfirmedDelete,
  toolsNeedsConfirmation,
  toolsIdStyle,
  toolsDescription,
  toolsHiddenText,
  toolsDuplicateEntry,
  toolsInterfaceUnknownTool,
  toolsInterfaceRecord,
  toolsInterfaceValue,
  toolsInterfaceClassifier,
  toolsInterfaceDisagrees,
  toolsInterfaceComplete,
  toolsInterfaceConfirmation,
  toolsInterfaceVisibility,
  toolsInterfaceMutation,
  schemaRefRegistry,
  schemaMisplaced,
  schemaImpossible,
  schemaOldDialect,
  schemaEmpty,
  schemaNotObject,
  schemaOpenObject,
  schemaRefusedElsewhere,
  schemaUnknownKeyword,
  schemaRequiredUndeclared,
  schemaDefault,
  schemaSlowPattern,
  schemaNoDescription,
  schemaNoExample,
  schemaProseOnly,
  schemaLongInline,
  schemaUnused,
  secretsUnused,
  secretsLiteral,
  secretsLikelyLiteral,
  secretsIdStyle,
  secretsEnvCollision,
  wasmNotValidated,
  wasmNoMemory,
  wasmUnknownImport,
  wasmImportNotGranted,
  wasmClockNotGranted,
  wasmStub,
]
