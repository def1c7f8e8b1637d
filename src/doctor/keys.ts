// Signing keys of this user: whether they can be used, who may read them, and whether a policy of this host has revoked one.

import { homeLabel } from '../io/home.ts'
import { isForeign } from '../io/owner/owner.ts'
import { targetAt } from '../io/read/entry.ts'
import type { PolicySource } from '../model/trust.ts'
import { filesOfKey, type ListedKey, listKeys } from '../sign/named-keys.ts'
import { writePath } from '../text/shell-words.ts'
import type { HealthCheck, HealthLine } from './check.ts'

export const ownKeys = {
  name: 'keys',
  async look(host) {
    const { keys: all } = await listKeys()
    if (all.length === 0) return [{ level: 'ok', what: 'keys', state: 'there are none' }]
    const policies = await host.policies()
    return all.map(key => keyLine(key, policies))
  },
} as const satisfies HealthCheck

function keyLine(
  { name, anchor, encrypted, problem }: ListedKey,
  policies: readonly PolicySource[],
): HealthLine {
  const what = `key ${name}`
  const path = filesOfKey(name).privatePath
  const stats = targetAt(path)
  if (stats !== undefined && isForeign(stats))
    return {
      level: 'wrong',
      what,
      state: 'it belongs to another user',
      fix: `Make a new one with rlp key generate, and remove ${homeLabel(path)}`,
    }
  if (stats !== undefined && process.getuid !== undefined && (stats.mode & 0o077) !== 0)
    return {
      level: 'wrong',
      what,
      state: 'others may read or write it',
      fix: `Run chmod 600 ${writePath(homeLabel(path))}, and revoke it if another person may have read it`,
    }
  if (anchor === null)
    return {
      level: 'wrong',
      what,
      state: problem ?? 'it cannot be read',
      fix: `rlp key show ${name} says what is wrong with it`,
    }
  const revoking = policies.find(({ policy }) => policy?.revokedKeys.has(anchor))
  if (revoking !== undefined)
    return {
      level: 'warning',
      what,
      state: `${revoking.path} has revoked it: what it signs is revoked`,
      fix: `Sign with another key, and remove ${homeLabel(path)}`,
    }
  return { level: 'ok', what, state: encrypted ? 'encrypted' : 'not encrypted' }
}
