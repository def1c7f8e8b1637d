// A capability, or a policy → what its author means: of a program that is a whole line the first word, and of a folder its plain path.

import type { Family, Policy } from '../model/policy.ts'
import { programIn } from '../tools/command-oddities.ts'
import { plainFolder } from './folder.ts'
import { entryProblem } from './grant-entry.ts'

/** Of a line the program is needed, and of a folder its plain path. */
export function meantCapability(capability: string): string {
  const [, family, scope = ''] = /^(exec|fs|fs_ro|fs_rw):(.+)$/s.exec(capability) ?? []
  if (family === undefined) return capability
  return `${family}:${family === 'exec' ? programIn(scope) : plainFolder(scope)}`
}

/** The policy as it is when what `caps/plain-path` and `caps/entry` say was done: an entry that grants nothing is left out. */
export function meantPolicy(policy: Policy): Policy {
  const { exec, fs, fsRo, fsRw, net, secrets, kbRead, kbWrite } = policy
  const each = (key: Family, list: readonly string[], plain: (entry: string) => string = entry => entry) => [
    ...new Set(list.flatMap(entry => grantingEntry(key, plain(entry)) ?? [])),
  ]
  const named = (key: Family, list: true | readonly string[]) => (list === true ? true : each(key, list))
  return {
    ...policy,
    exec: exec === true ? true : each('exec', exec, programIn),
    fs: each('fs', fs, plainFolder),
    fsRo: each('fs_ro', fsRo, plainFolder),
    fsRw: each('fs_rw', fsRw, plainFolder),
    net: { ...net, hosts: each('net', net.hosts) },
    secrets: each('secrets', secrets),
    kbRead: named('kb_read', kbRead),
    kbWrite: named('kb_write', kbWrite),
  }
}

function grantingEntry(key: Family, entry: string): string | undefined {
  const problem = entryProblem(key, entry)
  return problem === undefined ? entry : problem.meant
}
