// Step "files": every packed file matches its digest, and every file has one.
import { artifactsOf, isDigest } from '../agent/manifest.ts'
import { type Agent, MANIFEST_FILE, PENDING_DIGEST, SIGNATURE_FILE } from '../model/agent.ts'
import type { CheckedFile } from '../model/report.ts'
import type { Turn } from '../model/turn.ts'
import { diagnoseText } from '../text/diagnose.ts'
import { findingsOf, reasonsOf } from './findings.ts'
import type { Protocol } from './protocol.ts'

/** Every guess costs a digest, and a hostile bundle has ten thousand files. */
const MOST_GUESSES = 10

export async function checkFiles(agent: Agent, protocol: Protocol, turn: Turn): Promise<void> {
  if (agent.manifest === undefined) {
    protocol.skip('files', 'No digest was compared: the manifest cannot be read')
    return
  }
  const stated = new Map(artifactsOf(agent.manifest).map(({ path, blake3 }) => [path, blake3]))
  protocol.files.push(...agent.files.list.map(file => checked(file, stated)))
  for (const { path } of protocol.files
    .filter(({ result }) => result === 'mismatch')
    .slice(0, MOST_GUESSES)) {
    const bytes = agent.files.get(path)?.content ?? agent.files.get(path)?.bytes
    const message = bytes && diagnoseText(bytes, stated.get(path)?.toLowerCase() ?? '')
    if (message !== undefined) protocol.diagnoses.push({ path, message: `It looks like ${message}` })
  }
  const findings = await findingsOf(agent, 'files', turn)
  protocol.findings.push(...findings)
  if (findings.length > 0) protocol.fail('files', 'invalid', reasonsOf(findings))
  else
    protocol.pass(
      'files',
      `${protocol.files.filter(({ result }) => result === 'passed').length} digests compared`,
    )
}

function checked(
  { path, size, digest }: Agent['files']['list'][number],
  stated: ReadonlyMap<string, string | undefined>,
): CheckedFile {
  if (path === MANIFEST_FILE || path === SIGNATURE_FILE)
    return { path, size, blake3: digest ?? null, result: 'root' }
  if (digest === undefined) throw new TypeError(`no digest was taken of ${path}`)
  const named = stated.get(path)
  if (!stated.has(path)) return { path, size, blake3: digest, result: 'unlisted' }
  const isRight = isDigest(named) && named !== PENDING_DIGEST && named.toLowerCase() === digest
  return { path, size, blake3: digest, result: isRight ? 'passed' : 'mismatch' }
}
