// The rules of the step "schemas", which verification takes for a bundle whose contents it reads: one file and one line each, in the order of
// families and of the flow.
import { capsCapabilitySyntax } from './caps/capability-syntax.ts'
import { capsEntry } from './caps/entry.ts'
import { capsNoHosts } from './caps/no-hosts.ts'
import { capsShape } from './caps/shape.ts'
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

export const CONTENT_RULES: readonly BundleRule[] = [
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
