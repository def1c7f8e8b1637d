// What makes two policies the same for a verdict. The path of the file is left out, because hosts keep the same policy at different paths, and
// so is the wording of its problems, which names that path.
import type { PolicySource } from '../model/trust.ts'

export function policyFacts({ role, digest, policy, problems, root, code, channel }: PolicySource): unknown {
  return [
    role,
    digest ?? null,
    policy !== undefined,
    problems.length,
    root?.blake3 ?? null,
    code ?? null,
    channel?.channel ?? null,
  ]
}
