// The words for what an agent folder holds once it has been read.
import type { Document, ShapeProblem, TextProblem } from './document.ts'
import type { Files } from './files.ts'
import type { Policy } from './policy.ts'
import type { ToolsDocument } from './tools.ts'

/** A file that the manifest names, with the digest it states. */
export interface Artifact {
  /** As written in the manifest; the usual one where it states none. */
  readonly path: string
  readonly isPathStated: boolean
  /** As written: 64 hex digits in either case, or 64 zeros for "not computed yet". Undefined when the manifest states none. */
  readonly blake3: string | undefined
  /** Where in the manifest the path and the digest stand. */
  readonly at: readonly (string | number)[]
  readonly digestAt: readonly (string | number)[]
  readonly role: 'entry' | 'policy' | 'tools' | 'file'
}

export type AgentKind = 'wasm32-wasip1' | 'native-shim'

/** The manifest's facts, read leniently from what is there; the schema says what must be there. */
export interface Manifest {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly variant: string | undefined
  readonly kind: string | undefined
  /** `[caps].file`. */
  readonly capsFile: string | undefined
  /** `[artifacts.tools].version`. */
  readonly toolsVersion: unknown
  /** Every entry that stands, wherever it stands. */
  readonly entries: readonly Artifact[]
  readonly policy: Artifact | undefined
  readonly tools: Artifact | undefined
  /** `[artifacts.files]`. */
  readonly files: readonly Artifact[]
}

/** A text file of the agent that could not be read as a document. */
export interface Unreadable {
  readonly path: string
  readonly syntax: 'json' | 'toml'
  readonly problem: TextProblem
  readonly text: string | undefined
}

/** An agent folder or a bundle's files, read. Every part that could not be read is undefined and named in `unreadable`. */
export interface Agent {
  /** How people call this folder or bundle: the path they gave. */
  readonly label: string
  /** `source`: a folder an author works in; `bundle`: a packed bundle, or an unpacked one as it stands. */
  readonly form: 'source' | 'bundle'
  readonly files: Files
  readonly documents: ReadonlyMap<string, Document>
  readonly unreadable: readonly Unreadable[]
  /** For each document that has a JSON Schema: where it differs from it. */
  readonly shapes: ReadonlyMap<string, readonly ShapeProblem[]>
  readonly manifest: Manifest | undefined
  /** Undefined also when the document's shape is not the schema's. */
  readonly policy: Policy | undefined
  /** Undefined also when the document's shape is not the schema's or its version is not known. */
  readonly tools: ToolsDocument | undefined
}

export const MANIFEST_FILE = 'manifest.toml'
export const POLICY_FILE = 'policy.caps'
export const TOOLS_FILE = 'tools.json'
export const SIGNATURE_FOLDER = 'SIGNATURES'
export const SIGNATURE_FILE = 'SIGNATURES/manifest.sig'
/** The one root folder inside every archive (DESIGN §3.5). */
export const BUNDLE_ROOT = 'agent.bundle'
/** "Not computed yet"; never verifies. */
export const PENDING_DIGEST = '0'.repeat(64)
