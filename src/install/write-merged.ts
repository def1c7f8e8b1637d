// An archive as it was stored + signatures that were added there and counted → the archive with them: elsewhere it has to be as good.
import { changed } from '../bundle/writer.ts'
import { PlainDigest } from '../io/bundle/bundle-bytes.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import { writeSignature } from '../sign/write-signature.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import { soundBundle } from '../verify/sound.ts'

/**
 * What is written is judged again, before it takes its place.
 * @returns BLAKE3 of the new archive; undefined if nothing was added, and the file stays as it is
 */
export async function writeMerged(
  path: string,
  { candidate, verification }: Examination,
  label: string,
): Promise<string | undefined> {
  const { carried, signatures, identity } = verification.report
  const envelope = candidate.files.get(SIGNATURE_FILE)?.bytes
  if (envelope === undefined || !carried?.added.some(({ result }) => result === 'merged')) return undefined
  const digest = new PlainDigest()
  await writeSignature(path, envelope, {
    label,
    async check(at) {
      const candidate = await readBundle(at, { keep: 'parsed', label, plain: digest.add })
      const { report } = await soundBundle(candidate, 'write')
      const [now, judged] = [report, { signatures, identity }].map(one =>
        [one.identity, ...one.signatures.map(({ keyid }) => keyid)].join(),
      )
      if (now !== judged) throw changed(label)
    },
  })
  return digest.hex()
}
