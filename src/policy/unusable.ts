// Why a trust policy decides nothing → the PolicySource that says so.
import type { PolicySource } from '../model/trust.ts'

/** A policy that exists and decides nothing. */
export function unusablePolicy(
  path: string,
  role: PolicySource['role'],
  digest: string | undefined,
  problems: readonly string[],
): PolicySource {
  return { path, role, digest, policy: undefined, problems, lineOf: () => undefined }
}
