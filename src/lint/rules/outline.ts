// The rules of the steps that verification takes for every bundle, and those about any text: one file and one line each, in the order of
// families and of the flow.
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
import type { BundleRule } from './rule.ts'
import { tomlDuplicateKey } from './toml/duplicate-key.ts'
import { tomlEncoding } from './toml/encoding.ts'
import { tomlSyntax } from './toml/syntax.ts'
import { tomlTooLarge } from './toml/too-large.ts'
import { tomlUnsafeValue } from './toml/unsafe-value.ts'

export const OUTLINE_RULES: readonly BundleRule[] = [
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
]
