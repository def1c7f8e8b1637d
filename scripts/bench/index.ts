// The groups of rows, in the order in which they are measured. A new one: a file, and a line here.
import { measureChannel } from './channel.ts'
import { measureDigest } from './digest.ts'
import { measureFleet } from './fleet.ts'
import type { Group } from './group.ts'
import { measureKeyless } from './keyless.ts'
import { measureLarge } from './large.ts'
import { measureLoad } from './load.ts'
import { measureLock } from './lock.ts'
import { measureAgents, measureBundles, measureFiles } from './many.ts'
import { measurePack } from './pack.ts'
import { measureRegistry } from './registry.ts'
import { measureSandbox } from './sandbox.ts'
import { measureStart } from './start.ts'
import { measureTools } from './tools.ts'

export const GROUPS: readonly Group[] = [
  { name: 'start', summary: 'whole processes, on every Node that is installed', measure: measureStart },
  { name: 'tools', summary: 'lint of 5,000 tools', measure: measureTools },
  { name: 'load', summary: 'loadBundle in a process that has done it before', measure: measureLoad },
  { name: 'pack', summary: 'pack of 200 files, 20 MB', measure: measurePack },
  { name: 'digest', summary: 'digest of one file of 256 MB', measure: measureDigest },
  { name: 'large', summary: 'pack and verify of 1 GB, and their memory', measure: measureLarge },
  { name: 'registry', summary: 'push and pull of 200 MB, and looking at 500 MB', measure: measureRegistry },
  { name: 'files', summary: 'pack and verify of 1 to 9,996 files', measure: measureFiles },
  { name: 'bundles', summary: 'verify of 1 to 1,000 bundles', measure: measureBundles },
  { name: 'fleet', summary: 'verify of 10,000 bundles on every core, and the gate', measure: measureFleet },
  {
    name: 'channel',
    summary: 'trust update, and what a channel adds to verify',
    measure: measureChannel,
  },
  {
    name: 'keyless',
    summary: 'a keyless signature beside one of a key',
    measure: measureKeyless,
  },
  { name: 'sandbox', summary: 'a call in the sandbox, beside bubblewrap alone', measure: measureSandbox },
  { name: 'lock', summary: 'lock check of 100 agents', measure: measureLock },
  { name: 'agents', summary: 'lint of 1 to 1,000 agents', measure: measureAgents },
]
