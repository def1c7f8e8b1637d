// Gives everything that verdicts depend on beside the bundles one digest. Two jobs with the same digest judge alike; one with another policy,
// an empty home or another program is found out when their reports are merged. The names of files are left out: hosts keep the same policy at
// different paths.
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { runloopHome } from '../io/home.ts'
import { Ways } from '../io/owner/ways.ts'
import { programDigest } from '../io/process/program-digest.ts'
import { contentDigest, folderDigest } from '../io/read/folder-digest.ts'
import { ownPath } from '../io/root/own-folder.ts'
import { SYSTEM_ROOTS } from '../io/root/roots.ts'
import { stateFolder } from '../io/state/state.ts'
import { VERSION } from '../model/rlp-version.ts'
import { readTrustPolicies } from '../trust/read-trust.ts'
import { openLocks } from '../verify/open-locks.ts'
import { policyFacts } from './policy-facts.ts'
import type { FleetOptions } from './task.ts'

const SYSTEM_OVERRIDES = '/etc/runloop/policy-overrides'

/** Read once: a file that changes later is not the program that runs. */
let program: Promise<string | undefined> | undefined

/** @returns lower-case hex of a sha256 */
export async function hostBasis(options: FleetOptions, expect: string | undefined): Promise<string> {
  const { allowUnsigned, allowDev, trustPolicy, attestations, locks, root } = options
  const home = runloopHome()
  const roots = root === undefined ? [join(home, 'agents'), ...SYSTEM_ROOTS] : [root]
  program ??= programDigest()
  const facts = [
    VERSION,
    (await program) ?? null,
    { allowUnsigned, allowDev, expect: expect ?? null, isOneRoot: root !== undefined },
    (await readTrustPolicies({ trustPolicy }, new Ways())).map(policyFacts),
    (await openLocks(locks)).map(({ digest, problems }) => [digest ?? null, problems.length]),
    attestations === undefined ? null : contentDigest(attestations),
    folderDigest(stateFolder(home), name => name.endsWith('.json')),
    [SYSTEM_OVERRIDES, join(home, 'policy-overrides'), join(home, 'caps')].map(path => folderDigest(path)),
    roots.map(path => folderDigest(join(ownPath({ path, label: path }), 'stamps'))),
  ]
  return hash('sha256', JSON.stringify(facts))
}
