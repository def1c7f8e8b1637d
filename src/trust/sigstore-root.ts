// Finds the trusted root by which an identity is proven: a file that a person names, which is copied beside the policy, or the one that is
// beside it already.
import { dirname, join } from 'node:path'
import { blake3Hex } from '../bundle/blake3.ts'
import { expandHome } from '../io/home.ts'
import { readOwn } from '../io/owner/read-own.ts'
import { Ways } from '../io/owner/ways.ts'
import { readInput } from '../io/read/bounded.ts'
import type { Setting } from '../io/setting.ts'
import { RlpError } from '../model/error.ts'
import type { TrustedRoot, TrustedRootName } from '../model/keyless.ts'
import { byteLimit, CHANNEL_LIMITS } from '../model/limits.ts'
import { digestText } from '../text/digest-text.ts'
import { NAME_A_ROOT } from './edits/add.ts'
import type { EditableFile } from './write-trust.ts'

const ROOT_NAME = 'sigstore-root.json'

/** A file that a person named. */
export interface RootFile extends TrustedRoot {
  /** What it is called beside the policy. */
  readonly name: string
  /** As it was named. */
  readonly from: string
  /** It is beside the policy already. */
  readonly isThere: boolean
}

/**
 * @param given a path, as typed
 * @param named what the policy names already
 * @throws RlpError WRONG_FILE_TYPE for one that names no authorities, EXISTS if another file has its name; as reading
 */
export async function readRootFile(
  given: string,
  policy: EditableFile,
  named: TrustedRootName | undefined,
  io: Setting,
): Promise<RootFile> {
  const bytes = await readInput(expandHome(given), io)
  // A channel has to be able to bring it.
  const most = CHANNEL_LIMITS.fileBytes
  if (bytes.length > most)
    throw new RlpError(
      'LIMIT_EXCEEDED',
      `Cannot take "${given}" as a trusted root: it has ${bytes.length} bytes; at most ${byteLimit(most)} are read`,
      { hint: 'Name the file that was meant' },
    )
  const root = { blake3: blake3Hex(bytes), bytes }
  await refuseOther(root, given)
  const name = named?.blake3 === root.blake3 ? named.file : ROOT_NAME
  const there = await readOwn(join(dirname(policy.path), name), new Ways())
  if (there !== undefined && Buffer.compare(there, bytes) !== 0)
    throw new RlpError(
      'EXISTS',
      `Cannot put "${given}" beside ${policy.label}: another file is called ${name} there`,
      {
        hint: 'Compare the two. If the other one is not needed, move it away; else name it with `trustedRoot`',
      },
    )
  return { ...root, name, from: given, isThere: there !== undefined }
}

/** The root that a policy names. @throws RlpError NOT_FOUND, NOT_VERIFIED if the file is not the one that is named */
export async function rootInUse(
  { file, blake3 }: TrustedRootName,
  policy: EditableFile,
): Promise<TrustedRoot> {
  const bytes = await readOwn(join(dirname(policy.path), file), new Ways())
  const doing = `Cannot rely on ${file} beside ${policy.label}`
  if (bytes === undefined) throw new RlpError('NOT_FOUND', `${doing}: no such file`, { hint: NAME_A_ROOT })
  const root = { blake3: blake3Hex(bytes), bytes }
  if (root.blake3 !== blake3)
    throw new RlpError('NOT_VERIFIED', `${doing}: it has another digest than the policy names`, {
      hint: 'Put the file back that the policy names, or write its own BLAKE3 into [sigstore] after you looked through it',
    })
  await refuseOther(root, file)
  return root
}

async function refuseOther(root: TrustedRoot, file: string): Promise<void> {
  const { authoritiesOf } = await import('../sigstore/prove.ts')
  if (authoritiesOf(root) !== undefined) return
  const lines = Buffer.from(root.bytes).toString('utf8').trim().split('\n')
  const isMany = lines.length > 1 && lines.every(line => line.startsWith('{') && line.endsWith('}'))
  const state = isMany
    ? `it has ${lines.length} trusted roots, one a line`
    : 'it names no certificate authority'
  const hint = isMany
    ? 'Each is for other authorities. Keep the line of those that you mean, in a file of its own'
    : 'cosign trusted-root create and gh attestation trusted-root write such a file (docs/trust.md#identities)'
  throw new RlpError('WRONG_FILE_TYPE', `Cannot take "${file}" as a trusted root: ${state}`, { hint })
}

/** For people, before it is written. */
export function copiedLines({ from, name, blake3 }: RootFile): readonly string[] {
  return [`${from} is copied to ${name} beside the policy: ${digestText(blake3)}`]
}
