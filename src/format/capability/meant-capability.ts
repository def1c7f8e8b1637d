// A capability, or a policy → what its author means: of a program that is a whole line the first word, and of a folder its plain path.

import type { Policy } from '../../model/policy.ts'
import { programIn } from '../exec/odd-command.ts'
import { plainFolder } from './folder.ts'

/** Of a line the program is needed, and of a folder its plain path. */
export function meantCapability(capability: string): string {
  const [, family, scope = ''] = /^(exec|fs|fs_ro|fs_rw):(.+)$/s.exec(capability) ?? []
  if (family === undefined) return capability
  return `${family}:${family === 'exec' ? programIn(scope) : plainFolder(scope)}`
}

/** The policy as it is when what `caps/plain-path` says was done. */
export function meantPolicy(policy: Policy): Policy {
  const { exec, fs, fsRo, fsRw } = policy
  const each = (list: readonly string[], plain: (entry: string) => string) => [...new Set(list.map(plain))]
  return {
    ...policy,
    exec: exec === true ? true : each(exec, programIn),
    fs: each(fs, plainFolder),
    fsRo: each(fsRo, plainFolder),
    fsRw: each(fsRw, plainFolder),
  }
}
