// What registries said to names and passwords → the same for a while.
import type { LoginOutcomes } from '../model/carried.ts'
import type { Judging } from '../verify/examine.ts'

/** So long after a registry has refused a name and a password, they are tried again: a gate outlives a lock of an account. */
const FORGET_MS = 600_000

export function forgetful<T extends Pick<Judging, 'access'>>(trust: T): () => T {
  let since = performance.now()
  let logins: LoginOutcomes = new Map()
  return () => {
    if (performance.now() - since > FORGET_MS) [since, logins] = [performance.now(), new Map()]
    const { access } = trust
    return access === undefined ? trust : { ...trust, access: { ...access, logins } }
  }
}
