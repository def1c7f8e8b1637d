// Files of an agent → the credentials that would be packed. The only part of lint that reads whole files: in pieces, and no more than a
// bounded part of them.

import { throwIfCancelled } from '../io/wait/breathe.ts'
import { type Agent, SIGNATURE_FOLDER, TOOLS_FILE } from '../model/agent.ts'
import { LOOK_LIMITS } from '../model/limits.ts'
import { type PackedSecret, SecretScan } from '../secret/packed-secret.ts'

export interface SecretInFile extends PackedSecret {
  readonly file: string
}

/**
 * Looks at the beginning of each file. `tools.json` is left to `secrets/literal`, which names the place.
 * @throws RlpError CANCELLED when `signal` aborts, IO, CHANGED_WHILE_READING
 */
export async function findSecrets({ files }: Agent, signal?: AbortSignal): Promise<SecretInFile[]> {
  const found: SecretInFile[] = []
  let left: number = LOOK_LIMITS.allBytes
  for (const { path } of files.list) {
    if (path === TOOLS_FILE || path.startsWith(`${SIGNATURE_FOLDER}/`) || left <= 0) continue
    const scan = new SecretScan()
    let room = Math.min(left, LOOK_LIMITS.fileBytes)
    for await (const chunk of files.open(path)) {
      throwIfCancelled(signal, `looking for secrets in "${path}"`)
      const piece = chunk.subarray(0, room)
      room -= piece.length
      left -= piece.length
      scan.take(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1'))
      if (room <= 0) break
    }
    found.push(...scan.end().map(secret => ({ file: path, ...secret })))
  }
  return found
}
