// The types for an agent folder that has been read.
import type { Document, ShapeProblem, TextProblem } from './document.ts'
import type { Files } from './files.ts'
import type { Policy } from './policy.ts'
import type { PlacedTool, ToolsDocument } from './tools.ts'

/** A file that the manifest names, with the digest it states. */
export interface Artifact {
  /** As written in the manifest; the default path if the manifest has none. */
  readonly path: string
  readonly isPathStated: boolean
  /**
   * As written: 64 hex digits in either case, or 64 zeros for "not computed yet". Undefined if the manifest
   * has none.
   */
  readonly blake3: string | undefined
  /** Position of path and digest in the manifest. */
  readonly at: readonly (string | number)[]
  readonly digestAt: readonly (string | number)[]
  readonly role: 'entry' | 'policy' | 'tools' | 'file'
}

/** The manifest's facts, read leniently: missing ones are undefined. The schema decides what is required. */
export interface Manifest {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly variant: string | undefined
  readonly kind: string | undefined
  /** What the agent says of itself; nothing depends on it. */
  readonly description: string | undefined
  /** `[caps].file`. */
  readonly capsFile: string | undefined
  /** `[artifacts.tools].version`. */
  readonly toolsVersion: unknown
  /** Every entry, from every table of the manifest. */
  readonly entries: readonly Artifact[]
  readonly policy: Artifact | undefined
  readonly tools: Artifact | undefined
  /** `[artifacts.files]`. */
  readonly files: readonly Artifact[]
}

/** A text file of the agent that could not be read as a document. */
interface Unreadable {
  readonly path: string
  readonly syntax: 'json' | 'toml'
  readonly problem: TextProblem
  readonly text: string | undefined
}

/**
 * An agent folder or a bundle's files, read. A part that could not be read is undefined and is named in
 * `unreadable`.
 */
export interface Agent {
  /** How people call this folder or bundle: the path they gave. */
  readonly label: string
  /**
   * `source`: a folder an author works in. `archive`: the same in an archive of another program, whatever its
   * folder is called there. `bundle`: a packed bundle, or an unpacked one with its files unchanged.
   */
  readonly form: 'source' | 'archive' | 'bundle'
  readonly files: Files
  readonly documents: ReadonlyMap<string, Document>
  readonly unreadable: readonly Unreadable[]
  /** For each document that has a JSON Schema: where the document breaks it. */
  readonly shapes: ReadonlyMap<string, readonly ShapeProblem[]>
  readonly manifest: Manifest | undefined
  /** Undefined also if the document does not match the schema. */
  readonly policy: Policy | undefined
  /** Undefined also if the document does not match the schema or its version is unknown. */
  readonly tools: ToolsDocument | undefined
  /** The tools of a broken tools.json that are as its schema says. Only lint sets it: it goes on with them. */
  readonly soundTools?: readonly PlacedTool[]
}

export const MANIFEST_FILE = 'manifest.toml'
export const POLICY_FILE = 'policy.caps'
/** Holds the cases of `rlp agent test`, and is never packed. */
export const CASES_FOLDER = 'tests'
export const TOOLS_FILE = 'tools.json'
export const SIGNATURE_FOLDER = 'SIGNATURES'
export const SIGNATURE_FILE = 'SIGNATURES/manifest.sig'
/** The one root folder inside every archive (docs/spec/archive.md, A-19). */
export const BUNDLE_ROOT = 'agent.bundle'
/** "Not computed yet"; never verifies. */
export const PENDING_DIGEST = '0'.repeat(64)
