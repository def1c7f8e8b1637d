// A layout folder that holds other bytes than a push would have put there.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Other bytes as the one bundle of a layout folder. */
export function putInStead(store: string, bytes: Uint8Array): void {
  const blob = (content: Uint8Array | string) => {
    const hex = createHash('sha256').update(content).digest('hex')
    writeFileSync(join(store, 'blobs/sha256', hex), content)
    return { digest: `sha256:${hex}`, size: content.length }
  }
  const read = (path: string) => JSON.parse(readFileSync(join(store, path), 'utf8'))
  const index = read('index.json')
  const [named] = index.manifests
  const manifest = read(`blobs/${named.digest.replace(':', '/')}`)
  Object.assign(manifest.layers[0], blob(bytes))
  Object.assign(named, blob(JSON.stringify(manifest)))
  writeFileSync(join(store, 'index.json'), JSON.stringify(index))
}
