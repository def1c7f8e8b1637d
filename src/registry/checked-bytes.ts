// Bytes as they come → the same bytes, held against the size and digest of their descriptor.
import { createHash } from 'node:crypto'
import { RlpError } from '../model/error.ts'
import type { Descriptor } from '../model/oci.ts'

/** The bytes that are stored are not those that their descriptor names. */
export class OtherBytes extends RlpError {
  /** A clause. */
  readonly seen: string

  constructor(label: string, digest: string, seen: string) {
    super('STORE', `Cannot read ${digest} from "${label}": ${seen}`, {
      hint: 'What is stored there is damaged, or was changed. Push it again from where it was made',
    })
    this.seen = seen
  }
}

/**
 * Never more than `size` bytes are passed on, and the last only arrives without an error if all of them have the digest.
 * @throws OtherBytes
 */
export async function* checkedBytes(
  chunks: AsyncIterable<Uint8Array>,
  { digest, size }: Descriptor,
  label: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let seen = 0
  for await (const chunk of chunks) {
    seen += chunk.length
    if (seen > size) throw new OtherBytes(label, digest, `it has more than ${size} bytes`)
    hash.update(chunk)
    yield chunk
  }
  if (seen < size) throw new OtherBytes(label, digest, `it ends after ${seen} of ${size} bytes`)
  const found = `sha256:${hash.digest('hex')}`
  if (found !== digest) throw new OtherBytes(label, digest, `its content is ${found}`)
}
