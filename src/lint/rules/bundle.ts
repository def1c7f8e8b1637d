// The registry of the rules that verification applies too: one file and one line each, in the order of families and of the flow.
import { capsCapabilitySyntax } from './caps/capability-syntax.ts'
import { capsEntry } from './caps/entry.ts'
import { capsNoHosts } from './caps/no-hosts.ts'
import { capsShape } from './caps/shape.ts'
import { filesCaseTwin } from './files/case-twin.ts'
import { filesLink } from './files/link.ts'
import { filesName } from './files/name.ts'
import { filesRequired } from './files/required.ts'
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
import { manifestName } from './manifest/name.ts'
import { manifestShape } from './manifest/shape.ts'
import { manifestStrayDigest } from './manifest/stray-digest.ts'
import { manifestToolsVersion } from './manifest/tools-version.ts'
import type { BundleRule } from './rule.ts'
import { schemaDialect } from './schema/dialect.ts'
import { schemaEndless } from './schema/endless.ts'
import { schemaInvalid } from './schema/invalid.ts'
import { schemaPattern } from './schema/pattern.ts'
import { schemaRefInvalid } from './schema/ref-invalid.ts'
import { schemaRefMissing } from './schema/ref-missing.ts'
import { schemaRefRemote } from './schema/ref-remote.ts'
import { schemaTooLarge } from './schema/too-large.ts'
import { secretsInUrl } from './secrets/in-url.ts'
import { secretsUnlisted } from './secrets/unlisted.ts'
import { tomlDuplicateKey } from './toml/duplicate-key.ts'
import { tomlEncoding } from './toml/encoding.ts'
import { tomlSyntax } from './toml/syntax.ts'
import { tomlTooLarge } from './toml/too-large.ts'
import { tomlUnsafeValue } from './toml/unsafe-value.ts'
import { toolsAgentcli } from './tools/agentcli.ts'
import { toolsArguments } from './tools/arguments.ts'
import { toolsCommand } from './tools/command.ts'
import { toolsDuplicateId } from './tools/duplicate-id.ts'
import { toolsEnv } from './tools/env.ts'
import { toolsHeader } from './tools/header.ts'
import { toolsInterfaceInternalField } from './tools/interface-internal-field.ts'
import { toolsInterfaceShape } from './tools/interface-shape.ts'
import { toolsPlaceholder } from './tools/placeholder.ts'
import { toolsShape } from './tools/shape.ts'
import { toolsUrl } from './tools/url.ts'
import { toolsVersion } from './tools/version.ts'
import { toolsWholeNumber } from './tools/whole-number.ts'
import { wasmComponent } from './wasm/component.ts'
import { wasmMalformed } from './wasm/malformed.ts'
import { wasmNativeFormat } from './wasm/native-format.ts'
import { wasmNoEntry } from './wasm/no-entry.ts'
import { wasmNotWasm } from './wasm/not-wasm.ts'

export const BUNDLE_RULES: readonly BundleRule[] = [
  filesRequired,
  filesName,
  filesCaseTwin,
  filesLink,
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
  manifestName,
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
  capsShape,
  capsEntry,
  capsNoHosts,
  capsCapabilitySyntax,
  toolsShape,
  toolsVersion,
  toolsWholeNumber,
  toolsAgentcli,
  toolsDuplicateId,
  toolsCommand,
  toolsArguments,
  toolsUrl,
  toolsHeader,
  toolsPlaceholder,
  toolsEnv,
  toolsInterfaceShape,
  toolsInterfaceInternalField,
  schemaInvalid,
  schemaDialect,
  schemaPattern,
  schemaRefRemote,
  schemaRefInvalid,
  schemaRefMissing,
  schemaEndless,
  schemaTooLarge,
  secretsUnlisted,
  secretsInUrl,
  wasmNotWasm,
  wasmComponent,
  wasmNativeFormat,
  wasmMalformed,
  wasmNoEntry,
]
