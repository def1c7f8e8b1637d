// A trust policy that decides nothing. Verification says why, and need not load the reader of policies for it.
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
