// A stored bundle → the agent that its manifest states, from the bundle's first bytes. Nothing ties them to the bundle's digest: they decide
// where a copy goes, and a reader of the copy sees whether the bundle is what it is called.
import { isAgentName, isVariant } from '../agent/agent-name.ts'
import { readManifest } from '../agent/manifest.ts'
import { BLOCK, readHeader } from '../bundle/header.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { parseToml } from '../toml/parse.ts'
import { isVersion } from '../version/version.ts'
import type { Found } from './open-carried.ts'
import type { NamedAgent } from './push-target.ts'

/** Of most manifests all, so that one request is enough. */
const FIRST_BYTES = 8000

/** @throws RlpError STORE for what does not begin like a bundle; as a store says */
export async function statedAgent({ store, layer }: Found, label: string): Promise<NamedAgent> {
  const bytes = await manifestIn({ store, layer })
  const parsed = bytes && parseToml(label, bytes)
  const { name, version, variant } = parsed?.ok === true ? readManifest(parsed.document.value) : {}
  const isNamed =
    name !== undefined && isAgentName(name) && (variant === undefined || variant === '' || isVariant(variant))
  if (isNamed && version !== undefined && isVersion(version))
    return { name, version, ...(variant && { variant }) }
  throw new RlpError(
    'STORE',
    `Cannot copy "${label}": it does not begin like a bundle, with the name of an agent`,
    {
      hint: 'rlp agent verify says what is wrong with it',
    },
  )
}

async function manifestIn({ store, layer }: Pick<Found, 'store' | 'layer'>): Promise<Uint8Array | undefined> {
  const first = await store.part(layer, 0, Math.min(FIRST_BYTES, layer.size))
  const header = readHeader(first.subarray(0, BLOCK))
  if (!header.ok || header.path !== MANIFEST_FILE) return undefined
  const end = BLOCK + header.size
  if (header.size > PARSE_LIMITS.textBytes || end > layer.size) return undefined
  return end <= first.length ? first.subarray(BLOCK, end) : store.part(layer, BLOCK, header.size)
}
