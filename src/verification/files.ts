// Step "files": every packed file is the one its digest names, and no file goes without.
import { artifactsOf, isDigest } from '../format/manifest.ts'
import { lint } from '../lint.ts'
import { type Agent, MANIFEST_FILE, PENDING_DIGEST, SIGNATURE_FILE } from '../model/agent.ts'
import type { CheckedFile } from '../model/report.ts'
import type { Protocol } from './protocol.ts'
import { DIGEST_RULES, reasonsOf } from './rule-groups.ts'

export function checkFiles(agent: Agent, protocol: Protocol): void {
  if (agent.manifest === undefined) {
    protocol.skip('files', 'No digest was compared: the manifest cannot be read')
    return
  }
  const stated = new Map(artifactsOf(agent.manifest).map(({ path, blake3 }) => [path, blake3]))
  protocol.files.push(...agent.files.list.map(file => checked(file, stated)))
  const findings = lint(agent, DIGEST_RULES)
  protocol.findings.push(...findings)
  if (findings.length > 0) protocol.fail('files', 'invalid', reasonsOf(findings))
  else
    protocol.pass(
      'files',
      `${protocol.files.filter(({ result }) => result === 'passed').length} digests compared`,
    )
}

function checked(
  { path, size, digest = '' }: Agent['files']['list'][number],
  stated: ReadonlyMap<string, string | undefined>,
): CheckedFile {
  if (path === MANIFEST_FILE || path === SIGNATURE_FILE) return { path, size, blake3: digest, result: 'root' }
  const named = stated.get(path)
  if (!stated.has(path)) return { path, size, blake3: digest, result: 'unlisted' }
  const isRight = isDigest(named) && named !== PENDING_DIGEST && named.toLowerCase() === digest
  return { path, size, blake3: digest, result: isRight ? 'passed' : 'mismatch' }
}
