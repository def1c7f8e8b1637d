// Reads the bytes of a trust policy at once, with the parser there from the beginning.
import type { PolicySource } from '../model/trust.ts'
import * as syntax from '../toml/syntax.ts'
import { finishPolicy, readPlainPolicy, rootFileOf, withRoot } from './source.ts'

/** @param path name of the file in messages */
export function readPolicySource(path: string, role: PolicySource['role'], bytes: Uint8Array): PolicySource {
  const begun = readPlainPolicy(path, role, bytes)
  return 'text' in begun ? finishPolicy(syntax, role, begun) : begun
}

/** The policy among the files of a channel’s release. */
export function channelPolicy(
  label: string,
  bytes: Uint8Array,
  files: ReadonlyMap<string, Uint8Array>,
): PolicySource {
  const source = readPolicySource(label, 'channel', bytes)
  const root = rootFileOf(source)
  return root === undefined ? source : withRoot(source, files.get(root))
}
